import type { Group, Mark, Note, Position } from "../protocol/generated";
import { nodeOf } from "./graph";
import type { Hue } from "./ports";
import type { Rect } from "./route";
import type { Marks, State } from "./state";

export const HUES: readonly Hue[] = ["slate", "blue", "teal", "green", "olive", "orange", "magenta", "purple"];

export function hueOf(mark: Mark): Hue {
  return HUES.find((hue) => hue === mark.hue) ?? "slate";
}

/** The next colour, in turn. */
export function nextHue(mark: Mark): Hue {
  return HUES[(HUES.indexOf(hueOf(mark)) + 1) % HUES.length] ?? "slate";
}

function freeName(marks: Readonly<Record<string, Mark>>, base: string): string {
  let n = 1;
  while (`${base}${n}` in marks) n += 1;
  return `${base}${n}`;
}

/** What a group is as long as it is a frame alone. */
const PLAIN = { subgraph: false, collapsed: false, exposed: [] } as const;

/** A group of the selected nodes; they leave the groups that they were in. */
export function groupMarks(state: State): Marks {
  const keys = state.view.selection.filter((key) => nodeOf(state.graph, key));
  if (keys.length === 0) return {};
  const name = freeName(state.marks, "group");
  const group: Group = { type: "group", keys, title: `Group ${name.slice(5)}`, hue: "slate", ...PLAIN };
  return { ...ungroupMarks(state), [name]: group };
}

/** Take the selected nodes out of their groups; a group without nodes goes. */
export function ungroupMarks(state: State): Marks {
  const gone = new Set(state.view.selection);
  const changed: Record<string, Mark | null> = {};
  for (const [name, mark] of Object.entries(state.marks)) {
    if (mark.type !== "group" || !mark.keys.some((key) => gone.has(key))) continue;
    const keys = mark.keys.filter((key) => !gone.has(key) && nodeOf(state.graph, key));
    changed[name] = keys.length > 0 ? { ...mark, keys } : null;
  }
  return changed;
}

export function noteMarks(state: State, at: Position): Marks {
  const note: Note = { type: "note", ...at, width: 180, height: 90, text: "", hue: "olive" };
  return { [freeName(state.marks, "note")]: note };
}

function renamedGroup(group: Group, key: string, newKey: string): Group {
  const renamed = (k: string) => (k === key ? newKey : k);
  const exposed = group.exposed.map(([k, argument]) => [renamed(k), argument] as const);
  return { ...group, keys: group.keys.map(renamed), exposed };
}

/** Groups follow the names of their nodes. */
export function renamedIn(marks: Readonly<Record<string, Mark>>, key: string, newKey: string): Marks {
  return Object.fromEntries(
    Object.entries(marks).flatMap(([name, mark]) =>
      mark.type === "group" && mark.keys.includes(key) ? [[name, renamedGroup(mark, key, newKey)]] : [],
    ),
  );
}

/** Around the cards; the title stands below them, since the first row lies at the upper edge of the view. */
const ROOM = { side: 12, top: 12, below: 32 };

/** The frame of a group around the cards of its nodes; null if none of them is there. */
export function frameOf(group: Group, cards: ReadonlyMap<string, Rect>): Rect | null {
  const rects = group.keys.flatMap((key) => cards.get(key) ?? []);
  if (rects.length === 0) return null;
  const x = Math.min(...rects.map((r) => r.x)) - ROOM.side;
  const y = Math.min(...rects.map((r) => r.y)) - ROOM.top;
  const right = Math.max(...rects.map((r) => r.x + r.width)) + ROOM.side;
  const bottom = Math.max(...rects.map((r) => r.y + r.height)) + ROOM.below;
  return { x, y, width: right - x, height: bottom - y };
}

export interface Piece {
  readonly text: string;
  readonly style: "plain" | "bold" | "code";
}

/** A line of a note: **bold** and `code`; anything else is text. */
export function piecesOf(line: string): readonly Piece[] {
  return line
    .split(/(\*\*[^*]+\*\*|`[^`]+`)/)
    .filter(Boolean)
    .map((part) => {
      if (/^\*\*.+\*\*$/.test(part)) return { text: part.slice(2, -2), style: "bold" };
      if (/^`.+`$/.test(part)) return { text: part.slice(1, -1), style: "code" };
      return { text: part, style: "plain" };
    });
}
