const CHANNELS = ["#D6453D", "#2E9E4F", "#3B82E0", "#8A8F98"] as const;

type Bins = readonly (readonly number[])[];

interface HistogramProps {
  readonly bins: Bins;
  readonly before?: Bins;
  /** Heights are logarithms, which show what is rare; else square roots: a photo's black or white spike would flatten the rest. */
  readonly log?: boolean;
}

/** Counts of values, one line for each channel; those before an operator are thin lines. */
export function Histogram({ bins, before = [], log = false }: HistogramProps) {
  const of = log ? Math.log1p : Math.sqrt;
  const most = of(Math.max(1, ...bins.flat(), ...before.flat()));
  const pointsOf = (channel: readonly number[]) => {
    const step = 92 / Math.max(1, channel.length - 1);
    return channel.map((v, i) => `L${(i * step).toFixed(1)} ${(46 - (of(v) / most) * 42).toFixed(1)}`).join("");
  };
  const colours = bins.length === 1 ? [CHANNELS[3]] : CHANNELS;
  return (
    <svg
      className="ds-histogram"
      viewBox="0 0 92 46"
      preserveAspectRatio="none"
      role="img"
      aria-label={`histogram of values, ${log ? "log" : "square root"} scale`}
    >
      {bins.map((channel, c) => {
        return (
          <path
            // biome-ignore lint/suspicious/noArrayIndexKey: a channel is its place
            key={c}
            d={`M0 46${pointsOf(channel)}L92 46z`}
            fill={colours[c]}
            fillOpacity="0.28"
            stroke={colours[c]}
            strokeWidth="1"
            vectorEffect="non-scaling-stroke"
          />
        );
      })}
      {before.map((channel, c) => (
        <path
          // biome-ignore lint/suspicious/noArrayIndexKey: a channel is its place
          key={`before-${c}`}
          className="ds-histogram-before"
          d={pointsOf(channel).replace("L", "M")}
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  );
}
