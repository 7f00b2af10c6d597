import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Argument } from "../../core/catalog";
import * as format from "../../core/format";
import { parseOne, sliderSpan, sliderStep, snap } from "../../core/validate";

interface Props {
  readonly argument: Argument;
  readonly value: number | null;
  readonly onValue: (value: number) => void;
  readonly setError: (reason: string) => void;
  readonly bad: boolean;
  readonly label: string;
  readonly testId?: string;
  readonly wide?: boolean;
  /** An emptied field unsets what need not have a value. */
  readonly onClear?: () => void;
  /** A drag begins, which is one step; without it a number is typed alone. */
  readonly onBegin?: () => void;
}

/** Pixels of the pointer for a step of a number that is dragged. */
const DRAGGED = 4;

/** A number that is applied while it is typed or dragged. What cannot be applied stays in the field, in red. */
export function NumberField({ argument, value, onValue, setError, bad, label, testId, wide, onClear, onBegin }: Props) {
  const shown = value === null ? "" : format.number(value);
  const [draft, setDraft] = useState<string | null>(null);
  const wait = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const box = useRef<HTMLInputElement>(null);
  const drag = useRef<{ x: number; value: number; by: number; moved: boolean } | null>(null);
  useEffect(() => () => clearTimeout(wait.current), []);
  const apply = (text: string, now: boolean) => {
    clearTimeout(wait.current);
    wait.current = undefined;
    const parsed = parseOne(argument, text);
    setError(parsed.ok || text.trim() === "" ? "" : parsed.reason);
    if (!parsed.ok || typeof parsed.value !== "number" || parsed.value === value) return;
    const next = parsed.value;
    if (now) onValue(next);
    else
      wait.current = setTimeout(() => {
        wait.current = undefined;
        onValue(next);
      }, 100);
  };
  const stepOf = ({ shiftKey, ctrlKey }: { shiftKey: boolean; ctrlKey: boolean }) => {
    const base = sliderStep(argument, ...sliderSpan(argument, value ?? 0));
    return shiftKey ? (argument.type.startsWith("int") ? 1 : base / 10) : ctrlKey ? base * 10 : base;
  };
  const put = (next: number, by: number) => {
    const least = argument.minimum ?? Number.NEGATIVE_INFINITY;
    const most = argument.maximum ?? Number.POSITIVE_INFINITY;
    setDraft(null);
    setError("");
    onValue(Math.min(most, Math.max(least, snap(next, by))));
  };
  const step = (event: KeyboardEvent, sign: number) => {
    event.preventDefault();
    const by = stepOf(event);
    put((value ?? 0) + sign * by, by);
  };
  return (
    <input
      ref={box}
      className={`ds-number ${onBegin ? "ds-draggable" : ""} ${wide ? "ds-wide" : ""} ${bad ? "ds-bad" : ""}`}
      inputMode="decimal"
      value={draft ?? shown}
      data-typed={draft === null ? undefined : ""}
      placeholder="–"
      aria-label={label}
      aria-invalid={bad}
      data-testid={testId}
      onFocus={(e) => e.currentTarget.select()}
      // dragged until it has the keyboard: then the pointer selects digits
      onMouseDown={(e) => drag.current && e.preventDefault()}
      onPointerDown={(e) => {
        const focused = e.currentTarget.ownerDocument.activeElement === e.currentTarget;
        if (!onBegin || focused || value === null || e.button !== 0 || e.pointerType !== "mouse") return;
        drag.current = { x: e.clientX, value, by: stepOf(e), moved: false };
        e.currentTarget.setPointerCapture(e.pointerId);
      }}
      onPointerMove={(e) => {
        const from = drag.current;
        const steps = from ? Math.trunc((e.clientX - from.x) / DRAGGED) : 0;
        if (!from || (steps === 0 && !from.moved)) return;
        if (!from.moved) onBegin?.();
        from.moved = true;
        put(from.value + steps * from.by, from.by);
      }}
      onPointerUp={(e) => {
        if (drag.current && !drag.current.moved) e.currentTarget.focus();
        drag.current = null;
      }}
      onChange={(e) => {
        setDraft(e.target.value);
        apply(e.target.value, false);
      }}
      onBlur={(e) => {
        if (draft === null && wait.current === undefined) return; // what was typed just now may not be drawn yet
        if (e.target.value.trim() === "" && value !== null && !argument.required) onClear?.();
        else if (wait.current !== undefined) apply(e.target.value, true); // else it was, and others may have set it since
        if (parseOne(argument, e.target.value).ok || e.target.value.trim() === "") setDraft(null);
      }}
      onKeyDown={(e) => {
        if (e.key === "ArrowUp") step(e, 1);
        else if (e.key === "ArrowDown") step(e, -1);
        else if (e.key === "Enter" && e.currentTarget.value.trim() === "") e.currentTarget.blur();
        else if (e.key === "Enter") {
          apply(e.currentTarget.value, true);
          if (parseOne(argument, e.currentTarget.value).ok) setDraft(null);
        } else if (e.key === "Escape" && draft !== null) {
          e.stopPropagation();
          setDraft(null);
          setError("");
        }
      }}
    />
  );
}
