interface Props {
  readonly speed: number;
  /** What the whole track stands for. */
  readonly most: number;
  readonly target: number;
  readonly tone: string;
}

/** A speed as a bar, with a tick at what the model takes. */
export function Track({ speed, most, target, tone }: Props) {
  return (
    <span className="ds-meter-track">
      <i className={`ds-meter-${tone}`} style={{ width: `${(100 * speed) / most}%` }} />
      {target > 0 && <b style={{ left: `${(100 * target) / most}%` }} />}
    </span>
  );
}
