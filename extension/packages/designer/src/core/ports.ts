import icons from "../../../../../dali_studio/studio/drawing/icons.json";
import type { Kind } from "../protocol/generated";

export type Hue = "slate" | "blue" | "teal" | "orange" | "green" | "purple" | "olive" | "magenta";
export type PortShape = "hexagon" | "circle" | "pill" | "notch" | "octagon" | "diamond" | "triangle" | "tag" | "square";

export interface PortLook {
  readonly letter: string;
  readonly shape: PortShape;
  readonly hue: Hue;
  readonly dashed: boolean;
  readonly words: string;
}

function look(letter: string, shape: PortShape, hue: Hue, words: string, dashed = false): PortLook {
  return { letter, shape, hue, dashed, words };
}

/** One look for each kind of data: never colour alone, always a letter and a shape too. */
export const PORT_LOOKS: Readonly<Record<Kind, PortLook>> = {
  encoded: look("E", "hexagon", "slate", "encoded bytes"),
  image: look("I", "circle", "blue", "images"),
  video: look("V", "pill", "blue", "video"),
  audio: look("A", "notch", "teal", "audio"),
  boxes: look("B", "octagon", "orange", "boxes"),
  mask: look("M", "diamond", "purple", "masks"),
  points: look("P", "triangle", "orange", "points"),
  label: look("L", "tag", "green", "labels"),
  scalar: look("S", "square", "olive", "numbers"),
  any: look("*", "circle", "slate", "any data", true),
};

/** Kinds of labels that should move with their images. */
export const LABELS: readonly Kind[] = ["boxes", "mask", "points"];

const CATEGORY_HUES = icons.hues.map(([words = "", hue]) => [new RegExp(words), hue as Hue] as const);

/** The hue of a category's tile. */
export function categoryHue(category = ""): Hue {
  const text = category.toLowerCase();
  return CATEGORY_HUES.find(([words]) => words.test(text))?.[1] ?? "slate";
}

/** Whether a wire runs below all cards: labels pass by whatever is done to the images. */
export function goesUnder(kind: Kind, from: { readonly x: number }, to: { readonly x: number }): boolean {
  return kind === "label" && to.x - from.x > 400;
}
