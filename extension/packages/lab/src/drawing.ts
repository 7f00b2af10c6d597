import type { TranslationBundle } from "@jupyterlab/translation";

interface Node {
  readonly key: string;
  readonly operator: string;
  readonly inputs?: readonly (readonly [string, number] | null)[];
  readonly argument_inputs?: Readonly<Record<string, readonly [string, number]>>;
}

interface Document {
  readonly pipeline?: { readonly nodes?: readonly Node[]; readonly outputs?: readonly (readonly [string, number])[] };
  readonly view?: { readonly positions?: Readonly<Record<string, readonly [number, number]>> };
}

const WIDTH = 148;
const HEIGHT = 124;
/** Wires end at its middle. */
const HEADER = 26;
const SVG = "http://www.w3.org/2000/svg";

function element(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/** What feeds a node. */
function sources(node: Node): string[] {
  const wires = [...(node.inputs ?? []), ...Object.values(node.argument_inputs ?? {})];
  return wires.flatMap((wire) => (wire ? [wire[0]] : []));
}

/** Each node in the column behind what feeds it. */
function inColumns(nodes: readonly Node[]): Map<string, readonly [number, number]> {
  const columns = new Map<string, number>();
  const byKey = new Map(nodes.map((n) => [n.key, n]));
  const column = (key: string, path: ReadonlySet<string>): number => {
    const known = columns.get(key);
    const node = byKey.get(key);
    if (known !== undefined || !node || path.has(key)) return known ?? 0;
    const found = Math.max(-1, ...sources(node).map((s) => column(s, new Set([...path, key])))) + 1;
    columns.set(key, found);
    return found;
  };
  const rows = new Map<number, number>();
  return new Map(
    nodes.map((n) => {
      const x = column(n.key, new Set());
      const y = rows.get(x) ?? 0;
      rows.set(x, y + 1);
      return [n.key, [x * (WIDTH + 44), y * (HEIGHT + 28)]] as const;
    }),
  );
}

/** The operators of a document, with the names of their nodes; none if the text is none. */
export function operators(text: string): (readonly [key: string, operator: string])[] {
  try {
    const { pipeline } = JSON.parse(text || "{}") as Document;
    return pipeline?.nodes?.map((n) => [n.key, n.operator] as const) ?? [];
  } catch {
    return [];
  }
}

/** How much of a text is shown that is no document, in characters. */
const EXCERPT = 10_000;

/** The beginning of a text. */
export function excerpt(text: string): Element {
  const shown = document.createElement("pre");
  shown.textContent = text.length > EXCERPT ? `${text.slice(0, EXCERPT)}\n…` : text;
  return shown;
}

/** The graph of a document without a kernel: names and wires; the beginning of a text that is none. */
export function drawing(text: string, words: TranslationBundle): Element {
  let made: Element | null = null;
  try {
    made = drawn(JSON.parse(text) as Document, words);
  } catch {
    // no JSON, or of another form
  }
  return made ?? excerpt(text);
}

function drawn({ pipeline, view }: Document, words: TranslationBundle): Element | null {
  const nodes = pipeline?.nodes;
  if (!nodes) return null;
  const positions = view?.positions ?? {};
  const kept = nodes.every((n) => positions[n.key]);
  const at = kept
    ? new Map(nodes.map((n) => [n.key, positions[n.key] as readonly [number, number]]))
    : inColumns(nodes);
  const places = [...at.values()];
  const left = Math.min(0, ...places.map((p) => p[0])) - 12;
  const top = Math.min(0, ...places.map((p) => p[1])) - 12;
  const width = Math.max(0, ...places.map((p) => p[0])) + WIDTH + 12 - left;
  const height = Math.max(0, ...places.map((p) => p[1])) + HEIGHT + 12 - top;
  const svg = element("svg", {
    viewBox: `${left} ${top} ${width} ${height}`,
    width,
    height,
    role: "img",
    class: "dali-Drawing",
  });
  svg.setAttribute("aria-label", words.__("Pipeline of %1 operators", nodes.length));
  for (const node of nodes) {
    const to = at.get(node.key);
    for (const source of sources(node)) {
      const from = at.get(source);
      if (!from || !to) continue;
      const [x1, y1, x2, y2] = [from[0] + WIDTH, from[1] + HEADER / 2, to[0], to[1] + HEADER / 2];
      const bend = Math.max(20, Math.abs(x2 - x1) / 2);
      svg.append(element("path", { d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` }));
    }
  }
  for (const node of nodes) {
    const [x, y] = at.get(node.key) ?? [0, 0];
    svg.append(element("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 8 }));
    const name = element("text", { x: x + 10, y: y + 17, class: "dali-Drawing-name" });
    name.textContent = node.key;
    const matte = element("rect", { x, y: y + HEADER, width: WIDTH, height: 76, class: "dali-Drawing-matte" });
    const operator = element("text", { x: x + 10, y: y + 117 });
    operator.textContent = node.operator;
    svg.append(matte, name, operator);
  }
  return svg;
}
