interface Parts {
  readonly pipeline: unknown;
  readonly view: {
    positions?: Record<string, unknown>;
    marks?: unknown;
    program?: unknown;
    draft?: unknown;
    written?: unknown;
    pins?: unknown;
    functions?: unknown;
  };
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

  /** Whether it is known where the cards are. */
  get placed(): boolean {
    return Object.keys(this.parts.view.positions ?? {}).length > 0;
  }

  /** Whether a document of the kernel says the same. Places that a first layout gives to cards are no edit. */
  equals(kernel: string): boolean {
    const now = JSON.parse(kernel) as Parts;
    const places = this.parts.view.positions ?? {};
    const found = now.view.positions ?? {};
    if (!same(now.pipeline, this.parts.pipeline) || !sameWords(now, this.parts)) {
      this.parts.view.positions = { ...found, ...places };
      return false;
    }
    return Object.keys(found).every((key) => same(found[key], places[key]));
  }

  /**
   * Whether a document of the same pipeline has another text that is not applied, or, where there are steps, other
   * notes, other comments, or a card in another place.
   */
  rearranged(kernel: string, stepped = true): boolean {
    const now = JSON.parse(kernel) as Parts;
    if (!stepped) return !(["draft", "written"] as const).every((key) => same(now.view[key], this.parts.view[key]));
    const places = this.parts.view.positions ?? {};
    const found = now.view.positions ?? {};
    return !sameWords(now, this.parts) || Object.keys(places).some((key) => !same(found[key], places[key]));
  }
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Notes, groups and junctions, pinned data, code of nodes, and the program, whose comments are in no node, as it is written. */
function sameWords({ view: one }: Parts, { view: other }: Parts): boolean {
  return (["marks", "program", "draft", "written", "pins", "functions"] as const).every((key) =>
    same(one[key], other[key]),
  );
}
