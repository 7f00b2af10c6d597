import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Name } from "../../protocol/generated";
import { useSession } from "../context";
import { pythonKey } from "../pythonKeys";
import { Tinted } from "../Tinted";

interface Props {
  readonly value: string;
  readonly label: string;
  readonly testId: string;
  readonly onValue: (value: string) => void;
  readonly onApply: () => void;
  /** The line that is marked, from 1; -1 for none. */
  readonly wrong: number;
}

interface Choice {
  readonly names: readonly Name[];
  readonly now: number;
  /** Where the list stands. */
  readonly left: number;
  readonly top: number;
}

const LIST = "ds-names";
/** In px. */
const WIDTH = 190;

function wordBefore({ value, selectionStart }: HTMLTextAreaElement): string {
  return /\w*$/.exec(value.slice(0, selectionStart))?.[0] ?? "";
}

/** Where the caret's word begins, in the area. */
function placeOf(area: HTMLTextAreaElement): { left: number; top: number } {
  const lines = area.value.slice(0, area.selectionStart).split("\n");
  const pen = document.createElement("canvas").getContext("2d");
  const { font, lineHeight, paddingLeft, paddingTop } = getComputedStyle(area);
  const [line = 0, left = 0, top = 0] = [lineHeight, paddingLeft, paddingTop].map(Number.parseFloat);
  if (pen) pen.font = font;
  const before = lines.at(-1)?.replace(/\w*$/, "") ?? "";
  const x = left + (pen?.measureText(before).width ?? 0) - area.scrollLeft;
  return {
    left: Math.max(0, Math.min(x, area.clientWidth - WIDTH)),
    top: Math.min(top + lines.length * line - area.scrollTop, area.clientHeight) + 2,
  };
}

/** An editor of Python whose names are completed: as in a cell by Tab, after a point by themselves. */
export function CodeArea({ value, label, testId, onValue, onApply, wrong }: Props) {
  const session = useSession();
  const [choice, setChoice] = useState<Choice | null>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const tinted = useRef<HTMLDivElement>(null);
  const now = choice?.now ?? 0;
  useEffect(() => {
    list.current?.children[now]?.scrollIntoView({ block: "nearest" });
  }, [now]);
  const insert = (name: string) => {
    const element = area.current;
    if (!element) return;
    element.focus();
    element.setSelectionRange(element.selectionStart - wordBefore(element).length, element.selectionStart);
    // the only way that the browser's own undo knows of
    document.execCommand("insertText", false, name);
    setChoice(null);
  };
  /** `alone`: whether a name that is the only one is taken at once. */
  const ask = async (alone: boolean) => {
    const element = area.current;
    if (!element) return;
    const { value: text, selectionStart: caret } = element;
    const names = await session.namesAt(text, caret);
    if (element.value !== text || element.selectionStart !== caret) return;
    const [first, ...others] = names;
    const whole = first?.name === wordBefore(element);
    if (alone && first && others.length === 0) insert(first.name);
    else setChoice(!first || (whole && others.length === 0) ? null : { names, now: 0, ...placeOf(element) });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, currentTarget } = event;
    const command = event.ctrlKey || event.metaKey;
    const move = { ArrowDown: 1, ArrowUp: -1, PageDown: 6, PageUp: -6 }[key];
    const chosen = choice?.names[now];
    if (key === "Enter" && command) {
      setChoice(null);
      onApply();
    } else if (chosen && move) {
      setChoice({ ...choice, now: Math.max(0, Math.min(now + move, choice.names.length - 1)) });
    } else if (chosen && (key === "Enter" || key === "Tab")) insert(chosen.name);
    else if (chosen && key === "Escape") setChoice(null);
    else if (key === " " && command) void ask(false);
    else if (key === "Tab" && !event.shiftKey && /[\w.]$/.test(value.slice(0, currentTarget.selectionStart)))
      void ask(true);
    else if (!pythonKey(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="ds-code-area">
      <div ref={tinted} className="ds-input ds-function" aria-hidden="true" style={{ "--ds-wrong": wrong }}>
        {value.split("\n").map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
          <div key={i}>
            <Tinted line={line} />
            {"\n"}
          </div>
        ))}
      </div>
      <textarea
        ref={area}
        className="ds-input ds-function"
        aria-label={label}
        aria-autocomplete="list"
        aria-controls={choice ? LIST : undefined}
        aria-activedescendant={choice ? `${LIST}-${now}` : undefined}
        data-testid={testId}
        rows={Math.min(18, Math.max(6, value.split("\n").length + 1))}
        spellCheck={false}
        autoCapitalize="off"
        value={value}
        onScroll={({ currentTarget: { scrollLeft, scrollTop } }) => tinted.current?.scrollTo(scrollLeft, scrollTop)}
        onInput={(event) => {
          const element = event.currentTarget;
          onValue(element.value);
          if (/\w\.$/.test(element.value.slice(0, element.selectionStart)) || (choice && wordBefore(element)))
            void ask(false);
          else setChoice(null);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setChoice(null)}
        onClick={() => setChoice(null)}
      />
      {choice && (
        <div
          ref={list}
          id={LIST}
          role="listbox"
          aria-label="Names"
          className="ds-names nowheel"
          style={{ left: choice.left, top: choice.top, width: WIDTH }}
          data-testid="names"
        >
          {choice.names.map(({ name, kind }, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the editor handles the keys of this list
            <div
              key={name}
              id={`${LIST}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === now}
              title={name}
              // the editor keeps the keyboard
              onPointerDown={(event) => event.preventDefault()}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => insert(name)}
            >
              <span>{name}</span>
              <small>{kind}</small>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
