import type { Fixed, Group, Mark, Note, Position, Tag } from "../protocol/generated";
import { EDGE } from "./detail";
import { freeSpot, overlap } from "./freeSpot";
import { nodeOf } from "./graph";
import type { Hue } from "./ports";
import { around, type Rect, route } from "./route";
import { derived } from "./select";
import type { Marks, State } from "./state";

export const HUES: readonly Hue[] = ["slate", "blue", "teal", "green", "olive", "orange", "magenta", "purple"];

/** What has a colour. */
export type Framed = Note | Group | Tag;

export function hueOf(mark: Framed): Hue {
  return HUES.find((hue) => hue === mark.hue) ?? "slate";
}

/** The next colour, in turn. */
export function nextHue(mark: Framed): Hue {
  return HUES[(HUES.indexOf(hueOf(mark)) + 1) % HUES.length] ?? "slate";
}

/** What is said of one node. */
type About = Tag | Fixed;

const aboutNodes = derived(
  (s) => [s.marks],
  ({ marks }): ReadonlyMap<string, readonly [string, About]> => {
    const about = Object.entries(marks).filter(
      (e): e is [string, About] => e[1].type === "tag" || e[1].type === "fixed",
    );
    return new Map(about.map((e) => [`${e[1].type} ${e[1].node}`, e]));
  },
);

/** The colour of a node, with the name of what says so. */
export function tagOf(state: State, key: string) {
  return aboutNodes(state).get(`tag ${key}`) as readonly [string, Tag] | undefined;
}

/** Whether the place of a node's card is pinned. */
export function isFixed(state: State, key: string): boolean {
  return aboutNodes(state).has(`fixed ${key}`);
}

/** Say something of nodes, or no longer. */
function aboutMarks(state: State, type: About["type"], keys: readonly string[], say?: (key: string) => About): Marks {
  const made: Record<string, Mark | null> = {};
  for (const key of keys) {
    const name = aboutNodes(state).get(`${type} ${key}`)?.[0];
    made[name ?? freeName({ ...state.marks, ...made } as State["marks"], type)] = say?.(key) ?? null;
  }
  return made;
}

/** Give the selected nodes the next colour in turn, or none. */
export function tagMarks(state: State, none = false): Marks {
  const keys = state.view.selection.filter((key) => nodeOf(state.graph, key));
  const now = tagOf(state, keys[0] ?? "")?.[1];
  const hue = now ? nextHue(now) : "blue";
  return aboutMarks(state, "tag", keys, none ? undefined : (node) => ({ type: "tag", node, hue }));
}

/** The colours of copied nodes, by the names of the copies. */
export function copiedTags(state: State, tags: readonly Tag[], names: ReadonlyMap<string, string>): Marks {
  const copies = new Map(tags.map((tag) => [names.get(tag.node) ?? tag.node, tag]));
  return aboutMarks(state, "tag", [...copies.keys()], (node) => ({ type: "tag", hue: "", ...copies.get(node), node }));
}

/** Pin the places of the selected cards; if all are pinned, no longer. */
export function fixMarks(state: State): Marks {
  const keys = state.view.selection;
  const all = keys.every((key) => isFixed(state, key));
  return aboutMarks(state, "fixed", keys, all ? undefined : (node) => ({ type: "fixed", node }));
}

export function freeName(marks: Readonly<Record<string, Mark>>, base: string): string {
  let n = 1;
  while (`${base}${n}` in marks) n += 1;
  return `${base}${n}`;
}

/** What a group is as long as it is a frame alone. */
const PLAIN = { subgraph: false, collapsed: false, exposed: [], about: "" } as const;

type Groups = readonly (readonly [string, Group])[];

/** All groups, the smallest first. */
export function groupsOf(marks: State["marks"]): Groups {
  const groups = Object.entries(marks).filter((e): e is [string, Group] => e[1].type === "group");
  return groups.sort(([, a], [, b]) => a.keys.length - b.keys.length);
}

/** Groups without some of their nodes; a group without nodes goes. */
function without(state: State, groups: Groups, isGone: (key: string, group: Group) => boolean): Marks {
  return Object.fromEntries(
    groups.map(([name, group]) => {
      const keys = group.keys.filter((key) => nodeOf(state.graph, key) && !isGone(key, group));
      return [name, keys.length > 0 ? { ...group, keys } : null];
    }),
  );
}

/** A group of the selected nodes: within a group that has them all, around groups that are whole in it. */
export function groupMarks(state: State): Marks {
  const keys = state.view.selection.filter((key) => nodeOf(state.graph, key));
  if (keys.length === 0) return {};
  const chosen = new Set(keys);
  const name = freeName(state.marks, "group");
  const made: Group = { type: "group", keys, title: `Group ${name.slice(5)}`, hue: "slate", ...PLAIN };
  const crossed = groupsOf(state.marks).filter(([, group]) => {
    const within = group.keys.filter((key) => chosen.has(key)).length;
    const nested = group.keys.length !== keys.length && (within === keys.length || within === group.keys.length);
    return within > 0 && !nested;
  });
  return { ...without(state, crossed, (key) => chosen.has(key)), [name]: made };
}

/** Take the selected nodes out of their groups: of a group that is whole among them, of the innermost otherwise. */
export function ungroupMarks(state: State): Marks {
  const chosen = new Set(state.view.selection);
  const groups = groupsOf(state.marks);
  const left = new Map<string, Group>();
  for (const key of chosen) {
    const around = groups.flatMap(([, group]) => (group.keys.includes(key) ? group : []));
    const group = around.findLast((one) => one.keys.every((k) => chosen.has(k))) ?? around[0];
    if (group) left.set(key, group);
  }
  const touched = groups.filter(([, group]) => [...left.values()].includes(group));
  return without(state, touched, (key, group) => left.get(key) === group);
}

const NOTE = { width: 180, height: 90 };

/** A new note at a place, or as near to it as it covers none of the cards, behind which it would be; whole above and left of `end`. */
export function noteMarks(state: State, at: Position, cards: readonly Rect[] = [], end?: Position): Marks {
  const [x, y] = [at.x - 600, at.y - 600];
  const far = { x: at.x + 600 + NOTE.width, y: at.y + 600 + NOTE.height };
  const frame = {
    x,
    y,
    width: Math.min(far.x, (end?.x ?? far.x) - EDGE) - x,
    height: Math.min(far.y, (end?.y ?? far.y) - EDGE) - y,
  };
  const free = freeSpot(NOTE, { ...at, width: 0, height: 0 }, cards, frame) ?? at;
  const note: Note = { type: "note", ...free, ...NOTE, text: "", hue: "olive" };
  return { [freeName(state.marks, "note")]: note };
}

export function renamedGroup(group: Group, renamed: (key: string) => string): Group {
  const exposed = group.exposed.map(([k, argument]) => [renamed(k), argument] as const);
  return { ...group, keys: group.keys.map(renamed), exposed };
}

/** Groups follow the names of their nodes. */
export function renamedIn(marks: Readonly<Record<string, Mark>>, key: string, newKey: string): Marks {
  return Object.fromEntries(
    Object.entries(marks).flatMap(([name, mark]) =>
      mark.type === "group" && mark.keys.includes(key)
        ? [[name, renamedGroup(mark, (k) => (k === key ? newKey : k))]]
        : [],
    ),
  );
}

/** Around the cards; the title stands above them. */
export const ROOM = { side: 12, top: 26, below: 12 };
/** How much less is above the cards of the parts without it. */
const UNTITLED = ROOM.top - ROOM.below;
/** How much of a card must be in a frame for it to be within. */
const WITHIN = 32;

/** Notes that wires run around: those behind no card. */
export function notesBeside(cards: readonly Rect[], marks: Marks): Rect[] {
  return Object.values(marks).flatMap((mark) => {
    if (mark?.type !== "note" || cards.some((card) => overlap(card, mark) > 0)) return [];
    const { x, y, width, height } = mark;
    return { x, y, width, height, note: true };
  });
}

/** Cards, with what the names of open groups take above those under them. */
export function raised(cards: ReadonlyMap<string, Rect>, marks: State["marks"]): Rect[] {
  const titled = groupsOf(marks).flatMap(([, group]) => {
    const [part] = group.collapsed ? [] : framesOf(group, cards);
    return group.keys.filter((key) => cards.get(key)?.y === (part?.y ?? 0) + ROOM.top);
  });
  return [...cards].map(([key, card]) =>
    titled.includes(key) ? { ...card, y: card.y - ROOM.top, height: card.height + ROOM.top } : card,
  );
}

/** The groups around which a group is. */
function nestedIn(group: Group, groups: readonly Group[]): readonly Group[] {
  return groups.filter((g) => g.keys.length < group.keys.length && g.keys.every((key) => group.keys.includes(key)));
}

/** Whether a card is in a frame by more than what is around the cards of the frame. */
function isWithin(card: Rect, frame: Rect): boolean {
  const by = (at: "x" | "y", size: "width" | "height") =>
    Math.min(card[at] + card[size], frame[at] + frame[size]) - Math.max(card[at], frame[at]) > WITHIN;
  return by("x", "width") && by("y", "height");
}

/** A part of a frame, and how much of the room for its title other cards cover, in px². */
export interface Part extends Rect {
  readonly covered: number;
}

/**
 * The frame of a group around the cards of its nodes and the frames within it: in parts where another card would be in it,
 * of which the first has most room for the title.
 */
export function framesOf(
  group: Group,
  cards: ReadonlyMap<string, Rect>,
  others: readonly Group[] = [],
): readonly Part[] {
  const frames = nestedIn(group, others).flatMap((inner) => framesOf(inner, cards, others));
  const strangers = [...cards].flatMap(([key, card]) => (group.keys.includes(key) ? [] : card));
  const parts: Rect[] = [];
  for (let part of [...group.keys.flatMap((key) => cards.get(key) ?? []), ...frames]) {
    const joins = (other: Rect) => !strangers.some((card) => isWithin(card, around([part, other])));
    for (let i = parts.findIndex(joins); i >= 0; i = parts.findIndex(joins))
      part = around([part, ...parts.splice(i, 1)]);
    parts.push(part);
  }
  return parts
    .map(({ x, y, width, height }) => ({
      x: x - ROOM.side,
      y: y - ROOM.top,
      width: width + 2 * ROOM.side,
      height: height + ROOM.top + ROOM.below,
      covered: strangers.reduce((sum, card) => sum + overlap({ x, y: y - ROOM.top, width, height: ROOM.top }, card), 0),
    }))
    .sort((a, b) => a.covered - b.covered || b.width - a.width || a.y - b.y)
    .map((part, i) => (i > 0 ? { ...part, y: part.y + UNTITLED, height: part.height - UNTITLED } : part));
}

/** How far the bands between the parts of a frame begin within them. */
const WITHIN_PART = 6;

/** Ways of bands that make the parts of a frame one, around other cards: straight down, or to the next one at the right. */
export function bandsOf(parts: readonly Rect[], strangers: readonly Rect[]): readonly string[] {
  const row = [...parts].sort((a, b) => a.x + a.width - b.x - b.width);
  return row.slice(1).flatMap((to, i) => {
    const before = row.slice(0, i + 1);
    if (before.some((part) => overlap(part, to) > 0)) return [];
    const down = before
      .flatMap((part) => between(part, to) ?? [])
      .find((r) => !strangers.some((s) => overlap(r, s) > 0));
    if (down) return [`M${down.x} ${down.y}v${down.height}`];
    const from = row[i] ?? to;
    return route(
      { x: from.x + from.width - WITHIN_PART, y: from.y + from.height / 2 },
      { x: to.x + WITHIN_PART, y: to.y + to.height / 2 },
      strangers,
    );
  });
}

/** Of two parts one above the other, a line from one to the other in their middle. */
function between(one: Rect, two: Rect): Rect | null {
  const [upper, lower] = one.y < two.y ? [one, two] : [two, one];
  const left = Math.max(one.x, two.x);
  const right = Math.min(one.x + one.width, two.x + two.width);
  const y = upper.y + upper.height - WITHIN_PART;
  return right - left > 4 * WITHIN_PART
    ? { x: (left + right) / 2, y, width: 1, height: lower.y + WITHIN_PART - y }
    : null;
}

/** A line of a note, or a sentence of the engine: **bold** and `code`; anything else, such as paths with stars, is text. */
export function piecesOf(line: string): readonly (string | readonly ["b" | "code", string])[] {
  return line
    .split(/(`[^`]+`|\*\*[^*\s/][^*]*\*\*)/)
    .map((part, k) => (k % 2 ? (part[0] === "`" ? ["code", part.slice(1, -1)] : ["b", part.slice(2, -2)]) : part));
}
