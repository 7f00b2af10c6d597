/** Icons on a grid of 16, drawn with the text's colour. */
const STROKES = {
  run: "M5 3.5v9l7.5-4.5z",
  stop: "M4.5 4.5h7v7h-7z",
  undo: "M5.5 3 2.8 5.8l2.7 2.7M3.2 5.8h5.6a3.9 3.9 0 0 1 0 7.8H6.5",
  redo: "m10.5 3 2.7 2.8-2.7 2.7M12.8 5.8H7.2a3.9 3.9 0 0 0 0 7.8h2.3",
  layout: "M2 6h3.8v4H2zM10.2 2H14v4h-3.8zM10.2 10H14v4h-3.8zM5.8 8h2.4M10.2 4h-2v8h2",
  grid: "M2.5 2.5H7V7H2.5zM9 2.5h4.5V7H9zM2.5 9H7v4.5H2.5zM9 9h4.5v4.5H9z",
  fit: "M2.5 5.8V2.5h3.3M10.2 2.5h3.3v3.3M13.5 10.2v3.3h-3.3M5.8 13.5H2.5v-3.3",
  expand: "M9.5 2.5h4v4M13.3 2.7 9.6 6.4M6.5 13.5h-4v-4M2.7 13.3l3.7-3.7",
  left: "m9.8 3.8-4.2 4.2 4.2 4.2",
  right: "m6.2 3.8 4.2 4.2-4.2 4.2",
  down: "m4 6 4 4 4-4",
  up: "m4 10 4-4 4 4",
  plus: "M8 3.2v9.6M3.2 8h9.6",
  minus: "M3.2 8h9.6",
  cross: "m4.2 4.2 7.6 7.6M11.8 4.2l-7.6 7.6",
  more: "M3.5 8h.1M8 8h.1M12.5 8h.1",
  search: "M11.2 6.8a4.4 4.4 0 1 1-8.8 0 4.4 4.4 0 0 1 8.8 0zM10.2 10.2l3.3 3.3",
  warning: "M8 2.4 14.2 13.3H1.8zM8 6.6v3.1M8 11.5v.1",
  error: "M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0zM8 4.8v3.9M8 11v.1",
  info: "M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0zM8 7.4V11M8 5v.1",
  clock: "M13.8 8A5.8 5.8 0 1 1 2.2 8a5.8 5.8 0 0 1 11.6 0zM8 4.8V8l2.2 1.5",
  copy: "M6 5.5h7.5V13.5H6zM10.3 5.3V2.5H2.5v8h3.3",
  code: "m5.4 4.6-3.4 3.4 3.4 3.4M10.6 4.6 14 8l-3.4 3.4",
  file: "M4 1.8h5.2l3.3 3.3v9.1H4zM9.2 1.8v3.3h3.3",
  folder: "M2 12.6V3.5h4.1l1.5 2H14v7.1z",
  save: "M2.5 2.5h8.7l2.3 2.3v8.7h-11zM5 2.7v3.6h5V2.7M4.8 13.3V9.5h6.4v3.8",
  cut: "M4.5 4.5 11.5 11.5M11.5 4.5l-7 7",
  reset: "M3.2 8a4.8 4.8 0 1 1 1.5 3.5M3.2 3.3v3h3",
  picture: "M2 3.2h12v9.6H2zM2.4 11.2l3.5-3.7 3 3 2-1.8 2.7 2.5M10.6 6.1h.1",
  resize: "M2.5 6.6v6.9h6.9V6.6zM7.2 2.5h6.3v6.3M13.3 2.7 9.7 6.3",
  rotate: "M13 8a5 5 0 1 1-1.6-3.7M13.1 2.1v2.7h-2.7",
  affine: "M5.2 3h9l-3.4 10h-9z",
  crop: "M4.5 1.6v9.9h9.9M1.6 4.5h9.9v9.9",
  flip: "M8 2v12M5.9 4.6v6.8L2 12.8zM10.1 4.6v6.8l3.9 1.4z",
  drop: "M8 2c2.6 3.1 4 5.2 4 7.2a4 4 0 0 1-8 0C4 7.2 5.4 5.1 8 2z",
  dice: "M2.6 2.6h10.8v10.8H2.6z",
  chip: "M4.5 4.5h7v7h-7zM6.5 1.9v2.4M9.5 1.9v2.4M6.5 11.7v2.4M9.5 11.7v2.4M1.9 6.5h2.4M1.9 9.5h2.4M11.7 6.5h2.4M11.7 9.5h2.4",
  wave: "M2 8c1.4-5 2.9-5 4 0s2.6 5 4 0 2.1-3.5 4-2",
  outputs: "M7 3H3.5v10H7M6.5 8h7M11 5.5 13.5 8 11 10.5",
  colour: "M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0zM8 2.7v10.6",
  tensor: "M2.5 5 8 2.3 13.5 5v6L8 13.7 2.5 11zM2.7 5.1 8 7.7l5.3-2.6M8 7.7v5.8",
  label: "M2.5 3.5h6.8L13.5 8l-4.2 4.5H2.5z",
  boxes: "M2.5 4.5h7v7h-7zM6 2.5h7.5v7",
  group: "M2.5 5V2.5H5M11 2.5h2.5V5M13.5 11v2.5H11M5 13.5H2.5V11M5.5 5.5h5v5h-5z",
  pin: "M5 2.5h6M6 2.5v4L4 9h8l-2-2.5v-4M8 9v5",
  unknown: "M5.8 6a2.3 2.3 0 1 1 3.4 2c-.8.5-1.2 1-1.2 1.9M8 12.3v.1",
} as const;

export type IconName = keyof typeof STROKES;

const FILLED: ReadonlySet<IconName> = new Set(["run", "stop"]);

export function Icon({ name, size = 14 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      className="ds-icon"
      viewBox="0 0 16 16"
      width={size}
      height={size}
      aria-hidden="true"
      fill={FILLED.has(name) ? "currentColor" : "none"}
    >
      <path d={STROKES[name]} />
      {name === "dice" && <path d="M5.7 5.7h.01M10.3 10.3h.01M8 8h.01M10.3 5.7h.01M5.7 10.3h.01" strokeWidth="2.4" />}
      {name === "colour" && <path d="M8 2.5v11a5.5 5.5 0 0 0 0-11z" fill="currentColor" stroke="none" />}
    </svg>
  );
}

const BY_WORD: readonly (readonly [RegExp, IconName])[] = [
  [/random\.|uniform|coin|dice|permut/, "dice"],
  [/crop_mirror|random_resized/, "crop"],
  [/rotat|warp|affine|angle/, "rotate"],
  [/resiz|scale|resample/, "resize"],
  [/flip|mirror/, "flip"],
  [/crop|slice|normaliz|pad/, "crop"],
  [/bright|contrast|colou?r|hsv|satur|hue|gray|lut/, "colour"],
  [/blur|water|sphere|jitter|filter|noise|distort|snow|erase|laplac/, "drop"],
  [/audio|spectro|mel|mfcc|wave/, "wave"],
  [/decod|image|peek|picture/, "picture"],
  [/read|file|webdataset|tfrecord|input/, "file"],
  [/copy|gpu/, "chip"],
  [/box|bb_|detect|segment|mask|coord/, "boxes"],
  [/label|one_hot|constant/, "label"],
];

/** Other words that schemas use. */
const ALIASES: Readonly<Record<string, IconName>> = {
  contrast: "colour",
  color: "colour",
  normalize: "crop",
  cast: "tensor",
  number: "label",
  blur: "drop",
  audio: "wave",
  decode: "picture",
};

/** An operator's icon: the one its schema names, else the one that its name and category suggest. */
export function operatorIcon(icon: string, name: string, category: string): IconName {
  if (icon in STROKES) return icon as IconName;
  const alias = ALIASES[icon];
  if (alias) return alias;
  const words = `${icon} ${name} ${category}`.toLowerCase();
  return BY_WORD.find(([pattern]) => pattern.test(words))?.[1] ?? "tensor";
}
