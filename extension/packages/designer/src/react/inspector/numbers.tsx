import { Fragment, useState } from "react";
import { parseMany, rangeSpan, sliderStep, snap } from "../../core/validate";
import type { Value } from "../../protocol/generated";
import { Icon } from "../icons";
import { type FieldProps, useGesture, useSpan } from "./field";
import { NumberField } from "./NumberField";

function asNumbers(value: Value): readonly number[] {
  if (typeof value === "number") return [value];
  return Array.isArray(value) ? value.filter((v): v is number => typeof v === "number") : [];
}

/** So many fields are shown without being asked for. */
const MANY = 12;

/** Several numbers side by side; where the length is free they can be added and taken away. */
export function NumbersControl({ argument, value, set, setError, bad }: FieldProps) {
  const gesture = useGesture();
  const now = asNumbers(value);
  const least = argument.length.length > 0 ? Math.min(...argument.length) : 1;
  const most = argument.length.length > 0 ? Math.max(...argument.length) : 16;
  const shown = now.length > 0 ? now : Array.from<null>({ length: least }).fill(null);
  const change = (index: number, v: number) => {
    const next = shown.map((old, i) => (i === index ? v : (old ?? v)));
    const parsed = parseMany(argument, next.map(String));
    setError(parsed.ok ? "" : parsed.reason);
    if (parsed.ok) set(next, gesture.name());
  };
  const resize = (count: number) => {
    const last = now.at(-1) ?? 0;
    const next = Array.from({ length: count }, (_, i) => now[i] ?? last);
    const parsed = parseMany(argument, next.map(String));
    if (parsed.ok) set(next);
    else if (argument.length.length > 0)
      set(Array.from({ length: count > now.length ? most : least }, (_, i) => now[i] ?? last));
  };
  const [many] = useState(now.length > MANY);
  const fields = (
    <span className="ds-numbers">
      {shown.map((v, i) => (
        <NumberField
          // biome-ignore lint/suspicious/noArrayIndexKey: a number is its place in the list
          key={i}
          argument={argument}
          value={v}
          onValue={(x) => change(i, x)}
          onBegin={gesture.begin}
          setError={setError}
          bad={bad}
          label={`${argument.name} ${i + 1}`}
          testId={`number-${argument.name}-${i}`}
        />
      ))}
      {most > least && (
        <span className="ds-numbers-size">
          <button
            type="button"
            aria-label="One number less"
            disabled={shown.length <= least}
            onClick={() => resize(shown.length - 1)}
          >
            <Icon name="minus" size={10} />
          </button>
          <button
            type="button"
            aria-label="One number more"
            disabled={shown.length >= most}
            onClick={() => resize(shown.length + 1)}
          >
            <Icon name="plus" size={10} />
          </button>
        </span>
      )}
    </span>
  );
  if (!many) return fields;
  return (
    <details>
      <summary className="ds-link">{shown.length} numbers, edit…</summary>
      {fields}
    </details>
  );
}

/** Two ends of an interval: two knobs and two fields. */
export function RangeControl({ argument, value, set, setError, bad }: FieldProps) {
  const gesture = useGesture();
  const [low = 0, high = 1] = asNumbers(value);
  const { ends, hold, holds } = useSpan(rangeSpan(argument, low, high), [low, high]);
  const step = sliderStep(argument, ...ends);
  const [left, right] = [snap(ends[0], step), snap(ends[1], step)];
  const change = (a: number, b: number) => {
    setError(a > b ? "The first end is above the second." : "");
    if (a <= b) set([a, b], gesture.name());
  };
  const put = (end: number, v: number) => (end ? change(low, v) : change(v, high));
  const place = (v: number) => (right > left ? ((v - left) / (right - left)) * 100 : 0);
  return (
    <span className="ds-range">
      <span className="ds-range-track">
        <i style={{ left: `${place(low)}%`, right: `${100 - place(high)}%` }} />
        {["low", "high"].map((end, i) => (
          <input
            key={end}
            type="range"
            aria-label={`${argument.name}, ${end} end`}
            min={left}
            max={right}
            step={step}
            value={i ? high : low}
            // of two in one place the one that has more room to go is on top
            style={{ zIndex: i || place(low) < 50 ? undefined : 1 }}
            data-testid={`slider-${argument.name}${i ? "-high" : ""}`}
            {...holds}
            onPointerDown={() => {
              hold();
              gesture.begin();
            }}
            onChange={(e) => {
              const v = snap(Number(e.target.value), step);
              put(i, i ? Math.max(v, low) : Math.min(v, high));
            }}
          />
        ))}
      </span>
      <span className="ds-range-fields">
        {["from", "to"].map((word, i) => (
          <Fragment key={word}>
            {i > 0 && <span className="ds-muted">to</span>}
            <NumberField
              argument={argument}
              value={i ? high : low}
              onValue={(v) => put(i, v)}
              onBegin={gesture.begin}
              setError={setError}
              bad={bad}
              label={`${argument.name} ${word}`}
              testId={`number-${argument.name}-${i}`}
            />
          </Fragment>
        ))}
      </span>
    </span>
  );
}
