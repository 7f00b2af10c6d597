import icons from "../../../../../dali_studio/studio/drawing/icons.json";
import type { Operator } from "../core/catalog";

/** Icons on a grid of 16, drawn with the text's colour. */
const STROKES = icons.strokes;

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
      {name === "colour" && <path d="M8 2.5v11a5.5 5.5 0 0 0 0-11z" fill="currentColor" stroke="none" />}
    </svg>
  );
}

/** An icon in the colour of its category, or of what it stands in. */
export function Tile({
  name,
  hue,
  size = 12,
}: {
  readonly name: IconName;
  readonly hue?: string;
  readonly size?: number;
}) {
  return (
    <span className="ds-tile" style={hue ? { "--ds-c": `var(--ds-${hue})` } : {}}>
      <Icon name={name} size={size} />
    </span>
  );
}

const BY_WORD = icons.words.map(([words = "", name]) => [new RegExp(words), name as IconName] as const);

/** Other words that schemas use. */
const ALIASES = icons.aliases as Readonly<Record<string, IconName>>;

/** An operator's icon: the one its schema names, else the one that its name and category suggest. */
export function operatorIcon(operator: Pick<Operator, "icon" | "category"> | undefined, name: string): IconName {
  const { icon, category } = operator ?? { icon: "", category: "" };
  if (icon in STROKES) return icon as IconName;
  const alias = ALIASES[icon];
  if (alias) return alias;
  const words = `${icon} ${name} ${category}`.toLowerCase();
  return BY_WORD.find(([pattern]) => pattern.test(words))?.[1] ?? "tensor";
}
