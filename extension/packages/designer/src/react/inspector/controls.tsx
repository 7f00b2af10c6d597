import * as format from "../../core/format";
import { sliderSpan } from "../../core/validate";
import type { Value, Widget } from "../../protocol/generated";
import { Switch } from "../parts";
import { useDraft } from "../useDraft";
import { type FieldProps, useGesture } from "./field";
import { NumberField } from "./NumberField";
import { NumbersControl, RangeControl } from "./numbers";
import { Dial, Slider } from "./Slider";

function asNumber(value: Value): number | null {
  if (typeof value === "number") return value;
  if (Array.isArray(value) && value.length === 1 && typeof value[0] === "number") return value[0];
  return null;
}

function SliderControl({ argument, value, set, setError, bad, reset, dial }: FieldProps & { readonly dial?: boolean }) {
  const gesture = useGesture();
  const now = asNumber(value);
  const change = (v: number) => {
    setError("");
    set(v, gesture.name());
  };
  const middle = now ?? sliderSpan(argument, 0)[0];
  // a knob would stand at a value that the argument does not have
  if (now === null)
    return (
      <button
        type="button"
        className="ds-input ds-unset"
        title="No value is set. Click to give one."
        data-testid={`unset-${argument.name}`}
        onClick={() => change(middle)}
      >
        {/unset: ([^.;]+)/.exec(argument.doc)?.[1] ?? "not set"}
      </button>
    );
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
        onBegin={gesture.begin}
        setError={setError}
        bad={bad}
        label={`${argument.name} as a number`}
        testId={`number-${argument.name}`}
      />
    </>
  );
}

function NumberControl({ argument, value, set, reset, setError, bad }: FieldProps) {
  const gesture = useGesture();
  return (
    <NumberField
      argument={argument}
      value={asNumber(value)}
      onValue={(v) => set(v, gesture.name())}
      onBegin={gesture.begin}
      setError={setError}
      bad={bad}
      label={argument.name}
      testId={`number-${argument.name}`}
      onClear={reset}
      wide
    />
  );
}

function ChoiceControl({ argument, value, set, bad, reset }: FieldProps) {
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
function TextControl({ argument, value, set, bad, reset, lines }: FieldProps & { readonly lines?: boolean }) {
  const shown = Array.isArray(value) ? value.join("\n") : value === null ? "" : String(value);
  const { draft, setDraft, latest } = useDraft();
  const apply = () => {
    const text = latest.current;
    setDraft(null);
    if (text === null || text === shown) return;
    if (text.trim() === "" && !argument.required) reset();
    else
      set(
        lines
          ? text
              .split("\n")
              .map((l) => l.trim())
              .filter(Boolean)
          : text,
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
      // the end of a path tells more than its beginning
      ref={(e) => draft === null && e?.scrollTo(e.scrollWidth, 0)}
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

function isListed(props: FieldProps): boolean {
  return Array.isArray(props.value) && props.value.length > 1 && props.value.every((v) => typeof v === "number");
}

/** The control of an argument. A new kind of widget does not compile until it has one here. */
export function Control(props: FieldProps) {
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
