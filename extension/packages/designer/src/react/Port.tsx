import { PORT_LOOKS, type PortShape } from "../core/ports";
import type { Kind } from "../protocol/generated";

function Shape({ shape }: { readonly shape: PortShape }) {
  switch (shape) {
    case "circle":
      return <circle r="7" />;
    case "hexagon":
      return <path d="M-7.3 0-3.7-6.6H3.7L7.3 0 3.7 6.6H-3.7z" />;
    case "pill":
      return <rect x="-8.5" y="-6" width="17" height="12" rx="6" />;
    case "notch":
      return <path d="M-3-6.3A7 7 0 1 0 3-6.3L0-2.8z" />;
    case "octagon":
      return <path d="M-3-7H3L7-3V3L3 7H-3L-7 3V-3z" />;
    case "diamond":
      return <path d="M0-8 8 0 0 8-8 0z" />;
    case "triangle":
      return <path d="M-6-7 8 0-6 7z" />;
    case "tag":
      return <path d="M-6.5-6H2.5L7.5 0 2.5 6H-6.5z" />;
    case "square":
      return <rect x="-6.5" y="-6.5" width="13" height="13" rx="1.5" />;
    default:
      return shape satisfies never;
  }
}

const LETTER_SHIFT: Partial<Record<PortShape, number>> = { tag: -1, triangle: -2 };

interface Props {
  readonly kind: Kind;
  readonly wired: boolean;
  /** Arguments are squares whatever they carry. */
  readonly argument?: boolean;
  readonly size?: number;
}

/** The mark of a port: letter, shape and hue by kind; filled when wired. */
export function PortMark({ kind, wired, argument = false, size = 16 }: Props) {
  const look = PORT_LOOKS[argument ? "scalar" : kind];
  const hue = `var(--ds-${look.hue})`;
  return (
    <svg
      className={`ds-port-mark ${wired ? "" : "ds-port-free"}`}
      viewBox="-8 -8 16 16"
      width={size}
      height={size}
      aria-hidden="true"
    >
      <g
        fill={wired ? hue : "var(--ds-raise)"}
        stroke={wired ? "var(--ds-raise)" : hue}
        strokeWidth="1.5"
        strokeDasharray={look.dashed && !wired ? "2.6 2" : undefined}
      >
        <Shape shape={look.shape} />
      </g>
      <text
        className="ds-port-letter"
        x={LETTER_SHIFT[look.shape] ?? 0}
        y={look.letter === "*" ? 5.5 : 3.2}
        fill={wired ? "var(--ds-ink)" : hue}
      >
        {look.letter}
      </text>
    </svg>
  );
}
