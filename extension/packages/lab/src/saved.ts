interface Parts {
  readonly pipeline: unknown;
  readonly view: { positions?: Record<string, unknown>; marks?: unknown; program?: unknown };
}

/** What is in the file: its text, and the document that the kernel makes of it. */
export class Saved {
  private readonly parts: Parts;

  constructor(
    readonly file: string,
    kernel: string,
  ) {
    this.parts = JSON.parse(kernel) as Parts;
  }

  /** Whether a document of the kernel says the same. Places that a first layout gives to cards are no edit. */
  equals(kernel: string): boolean {
    const now = JSON.parse(kernel) as Parts;
    const places = this.parts.view.positions ?? {};
    const found = now.view.positions ?? {};
    if (JSON.stringify(now.pipeline) !== JSON.stringify(this.parts.pipeline)) {
      this.parts.view.positions = { ...found, ...places };
      return false;
    }
    const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
    const parts = ["marks", "program"] as const; // a program's comments are in no node
    return (
      parts.every((part) => same(now.view[part], this.parts.view[part])) &&
      Object.keys(found).every((key) => same(found[key], places[key]))
    );
  }
}
