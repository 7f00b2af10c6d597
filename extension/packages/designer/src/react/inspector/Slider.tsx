import { type KeyboardEvent, useRef } from "react";
import { signOf } from "../../core/arrows";
import type { Argument } from "../../core/catalog";
import * as format from "../../core/format";
import { sliderSpan, sliderStep, snap } from "../../core/validate";
import { useSpan } from "./field";

interface Props {
  readonly argument: Argument;
  readonly value: number;
  readonly onValue: (value: number) => void;
  readonly onBegin: () => void;
  readonly onReset: () => void;
  readonly label: string;
  readonly testId?: string;
}

function share(value: number, low: number, high: number): number {
  return high > low ? (Math.min(high, Math.max(low, value)) - low) / (high - low) : 0;
}

/** A native slider over the handy interval; the tick is the default. Shift is fine, Ctrl is coarse. */
export function Slider({ argument, value, onValue, onBegin, onReset, label, testId }: Props) {
  const { ends, hold, holds } = useSpan(sliderSpan(argument, value), [value, value]);
  const [low, high] = ends;
  const step = sliderStep(argument, low, high);
  // Where there are values on both sides of 0, the track is filled from there.
  const zero = share(0, low, high) % 1;
  const at = share(value, low, high);
  const tick = typeof argument.default === "number" ? share(argument.default, low, high) : zero || null;
  const onKeyDown = (event: KeyboardEvent) => {
    holds.onKeyDown();
    const sign = signOf(event.key);
    if (!sign || !(event.shiftKey || event.ctrlKey)) return;
    event.preventDefault();
    event.stopPropagation();
    const whole = argument.type.startsWith("int");
    const by = event.ctrlKey ? step * 10 : whole ? 1 : step / 10;
    onValue(Math.min(high, Math.max(low, snap(value + sign * by, by))));
  };
  return (
    <span
      className="ds-slider"
      style={{ "--ds-from": `${Math.min(zero, at) * 100}%`, "--ds-at": `${Math.max(zero, at) * 100}%` }}
    >
      {argument.widget === "dial" &&
        [low, 0, high].map((angle) => (
          <small key={angle} style={{ left: `calc(6px + (100% - 12px) * ${share(angle, low, high)})` }}>
            {format.number(angle)}
          </small>
        ))}
      {tick !== null && <em style={{ left: `calc(6px + (100% - 12px) * ${tick})` }} />}
      <input
        type="range"
        min={low}
        max={high}
        step={step}
        value={value}
        aria-label={label}
        data-testid={testId}
        {...holds}
        onPointerDown={() => {
          hold();
          onBegin();
        }}
        onDoubleClick={onReset}
        onKeyDown={onKeyDown}
        onChange={(e) => onValue(snap(Number(e.target.value), step))}
      />
    </span>
  );
}

/** A knob that shows and turns an angle, from the top on to the left, as pictures turn. */
export function Dial({ value, onValue, onBegin }: Pick<Props, "value" | "onValue" | "onBegin">) {
  const start = useRef<{ angle: number; value: number } | null>(null);
  const angleAt = (e: { clientX: number; clientY: number; currentTarget: Element }) => {
    const box = e.currentTarget.getBoundingClientRect();
    return (Math.atan2(box.top + box.height / 2 - e.clientY, e.clientX - box.left - box.width / 2) * 180) / Math.PI;
  };
  const radians = (value * Math.PI) / 180;
  const [x, y] = [-7 * Math.sin(radians), -7 * Math.cos(radians)].map((at) => at.toFixed(2));
  return (
    <svg
      className="ds-dial"
      viewBox="-12 -12 24 24"
      width="36"
      height="36"
      aria-hidden="true"
      onPointerDown={(e) => {
        e.currentTarget.setPointerCapture(e.pointerId);
        onBegin();
        start.current = { angle: angleAt(e), value };
      }}
      onPointerMove={(e) => {
        if (!start.current) return;
        const turn = ((angleAt(e) - start.current.angle + 540) % 360) - 180;
        onValue(Math.round(start.current.value + turn));
      }}
      onPointerUp={() => {
        start.current = null;
      }}
    >
      <circle r="10" />
      <path d={`M0 0L${x} ${y}`} />
      <circle className="ds-dial-knob" cx={x} cy={y} r="2.5" />
    </svg>
  );
}
