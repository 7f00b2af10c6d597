import { useState } from "react";
import * as format from "../../core/format";
import { parseMany, sliderSpan } from "../../core/validate";
import type { Value, Widget } from "../../protocol/generated";
import { Icon } from "../icons";
import { Switch } from "../parts";
import { type ControlProps, useGesture } from "./field";
import { NumberField } from "./NumberField";
import { Dial, Slider } from "./Slider";

function asNumber(value: Value): number | null {
  if (typeof value === "number") return value;
  if (Array.isArray(value) && value.length === 1 && typeof value[0] === "number") return value[0];
  return null;
}

function asNumbers(value: Value): readonly number[] {
  if (typeof value === "number") return [value];
  return Array.isArray(value) ? value.filter((v): v is number => typeof v === "number") : [];
}

type Props = ControlProps & { readonly reset: () => void };

function SliderControl({ argument, value, set, complain, bad, reset, dial }: Props & { readonly dial?: boolean }) {
  const gesture = useGesture();
  const now = asNumber(value);
  const change = (v: number) => {
    complain("");
    set(v, gesture.name());
  };
  const middle = now ?? sliderSpan(argument, 0)[0];
  return (
    <>
      {dial && <Dial value={middle} onValue={change} onBegin={gesture.begin} />}
      <Slider
        argument={argument}
        value={middle}
        onValue={change}
        onBegin={gesture.begin}
        onReset={reset}
        label={argument.name}
        testId={`slider-${argument.name}`}
      />
      <NumberField
        argument={argument}
        value={now}
        onValue={change}
        complain={complain}
        bad={bad}
        label={`${argument.name} as a number`}
        testId={`number-${argument.name}`}
      />
    </>
  );
}

function NumberControl({ argument, value, set, complain, bad }: Props) {
  const gesture = useGesture();
  return (
    <NumberField
      argument={argument}
      value={asNumber(value)}
      onValue={(v) => set(v, gesture.name())}
      complain={complain}
      bad={bad}
      label={argument.name}
      testId={`number-${argument.name}`}
      wide
    />
  );
}

/** Several numbers side by side; where the length is free they can be added and taken away. */
function NumbersControl({ argument, value, set, complain, bad }: Props) {
  const gesture = useGesture();
  const now = asNumbers(value);
  const least = argument.length.length > 0 ? Math.min(...argument.length) : 1;
  const most = argument.length.length > 0 ? Math.max(...argument.length) : 16;
  const shown = now.length > 0 ? now : Array.from<null>({ length: least }).fill(null);
  const change = (index: number, v: number) => {
    const next = shown.map((old, i) => (i === index ? v : (old ?? v)));
    const parsed = parseMany(argument, next.map(String));
    complain(parsed.ok ? "" : parsed.reason);
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
  return (
    <span className="ds-numbers">
      {shown.map((v, i) => (
        <NumberField
          // biome-ignore lint/suspicious/noArrayIndexKey: a number is its place in the list
          key={i}
          argument={argument}
          value={v}
          onValue={(x) => change(i, x)}
          complain={complain}
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
}

/** Two ends of an interval: two knobs and two fields. */
function RangeControl({ argument, value, set, complain, bad }: Props) {
  const gesture = useGesture();
  const [low = 0, high = 1] = asNumbers(value);
  const reach = Math.max(1, Math.abs(low), Math.abs(high));
  const from = argument.span[0] ?? argument.minimum ?? -reach * 1.5;
  const to = argument.span[1] ?? argument.maximum ?? reach * 1.5;
  const left = Math.min(from, low);
  const right = Math.max(to, high);
  const change = (a: number, b: number) => {
    complain(a > b ? "The first end is above the second." : "");
    if (a <= b) set([a, b], gesture.name());
  };
  const place = (v: number) => (right > left ? ((v - left) / (right - left)) * 100 : 0);
  const step = (right - left) / 200;
  const snapTo = (v: number) => Number(v.toPrecision(3));
  return (
    <span className="ds-range">
      <span className="ds-range-track">
        <i style={{ left: `${place(low)}%`, right: `${100 - place(high)}%` }} />
        <input
          type="range"
          aria-label={`${argument.name}, low end`}
          min={left}
          max={right}
          step={step}
          value={low}
          data-testid={`slider-${argument.name}`}
          onPointerDown={gesture.begin}
          onChange={(e) => change(Math.min(snapTo(Number(e.target.value)), high), high)}
        />
        <input
          type="range"
          aria-label={`${argument.name}, high end`}
          min={left}
          max={right}
          step={step}
          value={high}
          data-testid={`slider-${argument.name}-high`}
          onPointerDown={gesture.begin}
          onChange={(e) => change(low, Math.max(snapTo(Number(e.target.value)), low))}
        />
      </span>
      <span className="ds-range-fields">
        <NumberField
          argument={argument}
          value={low}
          onValue={(v) => change(v, high)}
          complain={complain}
          bad={bad}
          label={`${argument.name} from`}
          testId={`number-${argument.name}-0`}
        />
        <span className="ds-muted">to</span>
        <NumberField
          argument={argument}
          value={high}
          onValue={(v) => change(low, v)}
          complain={complain}
          bad={bad}
          label={`${argument.name} to`}
          testId={`number-${argument.name}-1`}
        />
      </span>
    </span>
  );
}

function ChoiceControl({ argument, value, set, bad, reset }: Props) {
  const now = typeof value === "string" ? value : Array.isArray(value) ? String(value[0] ?? "") : "";
  const known = argument.choices.includes(now);
  return (
    <select
      className={`ds-select ${bad ? "ds-bad" : ""}`}
      value={now}
      aria-label={argument.name}
      data-testid={`choice-${argument.name}`}
      onChange={(e) => (e.target.value === "" ? reset() : set(e.target.value))}
    >
      {(argument.default === null || now === "") && <option value="">automatic</option>}
      {!known && now !== "" && <option value={now}>{now}</option>}
      {argument.choices.map((c) => (
        <option key={c} value={c}>
          {c}
        </option>
      ))}
    </select>
  );
}

/** Text that is applied on Enter or when the field is left: half a path is no path. */
function TextControl({ argument, value, set, bad, reset, lines }: Props & { readonly lines?: boolean }) {
  const shown = Array.isArray(value) ? value.join("\n") : value === null ? "" : String(value);
  const [draft, setDraft] = useState<string | null>(null);
  const apply = () => {
    if (draft === null) return;
    setDraft(null);
    if (draft === shown) return;
    if (draft.trim() === "" && !argument.required) reset();
    else
      set(
        lines
          ? draft
              .split("\n")
              .map((l) => l.trim())
              .filter(Boolean)
          : draft,
      );
  };
  const shared = {
    className: `ds-input ${bad ? "ds-bad" : ""}`,
    value: draft ?? shown,
    placeholder: argument.required ? "needed" : "–",
    "aria-label": argument.name,
    "data-testid": `text-${argument.name}`,
    spellCheck: false,
    onBlur: apply,
  };
  if (lines)
    return <textarea {...shared} rows={3} title="One path on each line" onChange={(e) => setDraft(e.target.value)} />;
  return (
    <input
      {...shared}
      onChange={(e) => setDraft(e.target.value)}
      onKeyDown={(e) => {
        if (e.key === "Enter") apply();
        if (e.key === "Escape" && draft !== null) {
          e.stopPropagation();
          setDraft(null);
        }
      }}
    />
  );
}

function isListed(props: Props): boolean {
  return Array.isArray(props.value) && props.value.length > 1 && props.value.every((v) => typeof v === "number");
}

/** The control of an argument. A new kind of widget does not compile until it has one here. */
export function Control(props: Props) {
  const { argument, value, set } = props;
  const widget: Widget = argument.widget;
  switch (widget) {
    case "slider":
      return isListed(props) ? <NumbersControl {...props} /> : <SliderControl {...props} />;
    case "dial":
      return isListed(props) ? <NumbersControl {...props} /> : <SliderControl {...props} dial />;
    case "number":
      return isListed(props) ? <NumbersControl {...props} /> : <NumberControl {...props} />;
    case "numbers":
      return <NumbersControl {...props} />;
    case "range":
      return <RangeControl {...props} />;
    case "switch":
      return (
        <Switch
          label={argument.name}
          on={value === true || value === 1}
          onChange={(on) => set(on)}
          testId={`switch-${argument.name}`}
        />
      );
    case "choice":
      return <ChoiceControl {...props} />;
    case "text":
    case "path":
      return <TextControl {...props} />;
    case "files":
      return <TextControl {...props} lines />;
    case "none":
      return (
        <span className="ds-muted" title="This argument has no control; set it in code.">
          {value === null ? "set in code" : format.value(value, argument.unit)}
        </span>
      );
    default:
      return widget satisfies never;
  }
}
