import { type PointerEvent, useEffect, useRef, useState } from "react";
import { DETAIL_IN, DETAIL_OUT } from "../../core/session";
import { Thumb } from "../canvas/Thumb";
import { useSel, useSession } from "../context";

const WIDTH = 275;
const HEIGHT = 126;

/** Ask for the large picture whenever it can have changed; one request is on its way at most. */
function useDetail(key: string, output: number): void {
  const session = useSession();
  const stamp = useSel((s) => {
    const p = s.previews[`${key}#${output}`];
    return p ? `${p.revision}|${p.sample}|${p.iteration}` : "";
  });
  const answered = useSel((s) => s.detail);
  const wants = useRef("");
  const asked = useRef("");
  useEffect(() => {
    const now = `${key}#${output}|${stamp}`;
    if (stamp === "" || now === asked.current) return;
    wants.current = now;
    const wait = setTimeout(() => {
      asked.current = now;
      session.requestDetail({ node: key, output });
    }, 60);
    return () => clearTimeout(wait);
  }, [session, key, output, stamp]);
  useEffect(() => {
    if (answered) wants.current = "";
  }, [answered]);
}

/** Input and output of a node, one over the other, with a line to drag. */
export function Compare({ nodeKey, output }: { readonly nodeKey: string; readonly output: number }) {
  useDetail(nodeKey, output);
  const detail = useSel((s) => (s.detail?.key === nodeKey && s.detail.output === output ? s.detail : null));
  const sample = useSel((s) => s.sample);
  const [at, setAt] = useState(0.42);
  const box = useRef<HTMLDivElement>(null);
  if (!detail?.has_output) return null;
  const both = detail.has_input;
  const move = (e: PointerEvent) => {
    const rect = box.current?.getBoundingClientRect();
    if (rect && (e.buttons & 1) === 1) setAt(Math.min(1, Math.max(0, (e.clientX - rect.left) / rect.width)));
  };
  return (
    <div
      ref={box}
      className="ds-compare"
      data-testid="compare"
      onPointerDown={(e) => {
        e.currentTarget.setPointerCapture(e.pointerId);
        move(e);
      }}
      onPointerMove={move}
    >
      {both && (
        <Thumb
          id={DETAIL_IN}
          width={WIDTH}
          height={HEIGHT}
          label={`input of ${nodeKey}, sample ${sample + 1}`}
          testId="detail-in"
        />
      )}
      <div className="ds-compare-out" style={both ? { clipPath: `inset(0 0 0 ${at * 100}%)` } : undefined}>
        <Thumb
          id={DETAIL_OUT}
          width={WIDTH}
          height={HEIGHT}
          label={`output of ${nodeKey}, sample ${sample + 1}`}
          testId="detail-out"
        />
      </div>
      {both && (
        <>
          <u style={{ left: `${at * 100}%` }} />
          <input
            className="ds-compare-range"
            type="range"
            min={0}
            max={100}
            value={Math.round(at * 100)}
            aria-label="Line between input and output"
            onChange={(e) => setAt(Number(e.target.value) / 100)}
          />
          <span className="ds-compare-label ds-compare-in">In</span>
        </>
      )}
      <span className="ds-compare-label ds-compare-right">Out</span>
    </div>
  );
}

const CHANNELS = ["#D6453D", "#2E9E4F", "#3B82E0", "#8A8F98"] as const;

export function Histogram({ bins }: { readonly bins: readonly (readonly number[])[] }) {
  const most = Math.max(1, ...bins.flat());
  const colours = bins.length === 1 ? [CHANNELS[3]] : CHANNELS;
  return (
    <svg
      className="ds-histogram"
      viewBox="0 0 92 46"
      preserveAspectRatio="none"
      role="img"
      aria-label="histogram of values"
    >
      {bins.map((channel, c) => {
        const step = 92 / Math.max(1, channel.length - 1);
        // Square roots: a photo's black or white spike would flatten the rest.
        const points = channel.map((v, i) => `L${(i * step).toFixed(1)} ${(46 - Math.sqrt(v / most) * 42).toFixed(1)}`);
        return (
          <path
            // biome-ignore lint/suspicious/noArrayIndexKey: a channel is its place
            key={c}
            d={`M0 46${points.join("")}L92 46z`}
            fill={colours[c]}
            fillOpacity="0.28"
            stroke={colours[c]}
            strokeWidth="1"
            vectorEffect="non-scaling-stroke"
          />
        );
      })}
    </svg>
  );
}
