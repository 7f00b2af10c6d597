import {
  type FocusEvent,
  type KeyboardEvent,
  type PointerEvent,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { cardLines, meant, nodeAtLine } from "../core/codeLines";
import { nodeOf } from "../core/graph";
import { toneOf } from "../core/problems";
import { waitingCode } from "../core/python";
import { codeIsCurrent, findings, lineOf, severity, twinOf } from "../core/select";
import type { Diagnostic } from "../protocol/generated";
import { showCaret } from "./caret";
import { useSel, useSession } from "./context";
import { Icon } from "./icons";
import { useLate } from "./late";
import { CloseButton, SmallButton, worded } from "./parts";
import { pythonKey } from "./pythonKeys";
import { Tinted } from "./Tinted";

function useMarks(added: readonly number[] | undefined): ReadonlyMap<number, string> {
  const marked = useSel((s) => {
    const entries: string[] = [];
    for (const d of s.draft?.found ?? []) entries.push(`${lineOf(d)}|error`);
    if (added) return added.map((line) => `${line}|new`);
    if (s.draft) return entries; // where a node is in it, nobody knows yet
    const put = (key: string, mark: string) => {
      for (const line of cardLines(s.graph, s.code?.lines ?? {}, key)) entries.push(`${line}|${mark}`);
    };
    if (s.view.hovered) put(s.view.hovered, "hover");
    for (const key of s.view.selection) {
      const node = nodeOf(s.graph, key);
      for (const ref of Object.values(node?.argument_inputs ?? {})) put(ref.node, "half");
    }
    for (const key of s.view.selection) put(key, "now");
    for (const d of findings(s)) if (d.node && severity(d) === "error") put(d.node, toneOf(d));
    return entries;
  });
  return useMemo(() => new Map(marked.map((m) => [Number(m.split("|")[0]), m.split("|")[1] ?? ""])), [marked]);
}

/** The program; what is written into it becomes the graph with Ctrl+Enter, or when the text is left. */
export function CodePane() {
  const session = useSession();
  const code = useSel((s) => s.code);
  const draft = useSel((s) => s.draft);
  const current = useSel(codeIsCurrent);
  const waiting = useSel(waitingCode);
  const waits = !current && !draft;
  const old = useLate(waits);
  const [typing, setTyping] = useState(false);
  // what a repair would write is shown until somebody writes here
  const twin = useSel((s) => (typing || s.draft ? null : twinOf(s)));
  const marks = useMarks(twin?.added);
  const text = useRef<HTMLDivElement>(null);
  const source = twin?.source ?? draft?.source ?? waiting.source ?? code?.source ?? "";
  const lines = useMemo(() => source.replace(/\n$/, "").split("\n"), [source]);
  const first = [...marks]
    .filter(([, m]) => m !== "hover" && m !== "half")
    .map(([n]) => n)
    .sort((a, b) => a - b)[0];
  const view = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: also when the line has come elsewhere, but not while somebody types
  useEffect(() => {
    const line = first === undefined ? undefined : text.current?.children[first - 1];
    if (!(line instanceof HTMLElement) || !view.current || (typing && !draft?.found.length)) return;
    const { scrollTop, clientHeight } = view.current;
    const room = clientHeight - line.offsetHeight;
    const top = line.offsetTop;
    // of what would be written, all is looked at
    if (twin || top < scrollTop || top > scrollTop + room) view.current.scrollTop = top - room / (twin ? 6 : 2);
  }, [first, source]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after the end of a long line was written, too
  useEffect(() => {
    if (!draft) view.current?.scrollTo({ left: 0 });
  }, [code, draft]);
  const point = ({ clientY }: PointerEvent) => {
    const { graph, draft: typed, view: now } = session.store.get();
    const line = [...(text.current?.children ?? [])].findIndex((one) => clientY < one.getBoundingClientRect().bottom);
    const hovered = typed || line < 0 ? null : nodeAtLine(graph, code?.lines ?? {}, line + 1);
    if (hovered !== now.hovered) session.view({ hovered });
  };
  if (!code) return <div className="ds-code ds-muted">…</div>;
  const wait = draft ? "" : waiting.said;
  return (
    <section
      className={`ds-code-pane ${old ? "ds-code-old" : ""}`}
      aria-label="Code"
      aria-busy={!current}
      data-testid="code"
      data-dialect={code.dialect}
      data-edited={draft !== null}
    >
      <div
        ref={view}
        className="ds-code nowheel"
        onPointerMove={point}
        onPointerLeave={() => session.view({ hovered: null })}
      >
        <div className="ds-code-text">
          <div ref={text} aria-hidden="true">
            {lines.map((line, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
              <div key={i} className={`ds-line ds-line-${marks.get(i + 1) ?? "plain"}`}>
                <span className="ds-line-number">{marks.get(i + 1) === "new" ? "+" : i + 1}</span>
                <Tinted line={line} />
                {"\n"}
              </div>
            ))}
          </div>
          <CodeText source={source} readOnly={waits} onTyping={setTyping} />
        </div>
      </div>
      <CodeNotes found={draft ? draft.found : code.diagnostics} wait={wait} />
    </section>
  );
}

/** What is typed into: it lies over the tinted lines and shows only its caret. */
function CodeText({
  source,
  readOnly,
  onTyping,
}: {
  readonly source: string;
  readonly readOnly: boolean;
  readonly onTyping: (typing: boolean) => void;
}) {
  const session = useSession();
  const text = useRef<HTMLTextAreaElement>(null);
  /** What undo has led back to in the text itself. */
  const undone = useRef("");
  // the browser does it before the text has its new size, and before the notes below have come
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the text has changed
  useLayoutEffect(() => {
    const view = text.current?.closest(".ds-code");
    if (!view) return undefined;
    const show = () => text.current && showCaret(text.current, view);
    show();
    const watch = new ResizeObserver(show);
    watch.observe(view);
    return () => watch.disconnect();
  }, [source]);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, shiftKey, currentTarget: area } = event;
    const command = event.ctrlKey || event.metaKey;
    const back = key.toLowerCase() === "z" && !shiftKey;
    const again = /^[zy]$/i.test(key) && !back;
    if (key === "Enter" && command) session.applyCode();
    // beyond what was written here, the steps are those of the graph
    else if (back && command && !session.store.get().draft) session.undo();
    else if (again && command && !session.store.get().draft && area.value !== undone.current) session.redo();
    else if (pythonKey(event)) {
      if (back) undone.current = area.value;
    } else return;
    event.preventDefault();
  };
  const onBlur = (event: FocusEvent) => {
    onTyping(false);
    const next = event.relatedTarget;
    if (!(next instanceof Element && next.closest(".ds-code-notes"))) session.applyCode();
  };
  return (
    <textarea
      ref={text}
      className="ds-code-input"
      aria-label="Program: Ctrl+Enter makes the graph what it says"
      data-testid="code-input"
      value={source}
      readOnly={readOnly}
      spellCheck="false"
      autoCapitalize="off"
      onInput={(event) => session.write(event.currentTarget.value)}
      onKeyDown={onKeyDown}
      onFocus={() => onTyping(true)}
      onBlur={onBlur}
    />
  );
}

/** What is wrong with the text, or what the dialect has no words for; and what to do with a text that is being written. */
function CodeNotes({ found, wait }: { readonly found: readonly Diagnostic[]; readonly wait: string }) {
  const session = useSession();
  const draft = useSel((s) => (s.draft?.taken ? null : s.draft));
  const moved = useSel((s) => s.draft !== null && s.draft.base !== s.code?.source);
  // what stands for something that is missing is told at its card; that nothing is returned, above
  const closed = useSel((s) => s.view.dismissed);
  const wrong = found.filter(
    (d) =>
      severity(d) !== "info" &&
      d.code !== "DS205" &&
      (draft || !(closed.includes(d.message) || /103|201/.test(d.code))),
  );
  const { graph, lines } = useSel((s) => ({ graph: s.graph, lines: s.draft ? null : s.code?.lines }));
  const place = (d: Diagnostic) => {
    const line = lines && d.node ? cardLines(graph, lines, d.node)[0] : lineOf(d);
    return line ? `Line ${line}:` : [d.node, d.argument].filter(Boolean).join(".");
  };
  const word = (d: Diagnostic) => {
    const [said, source] = (draft && meant(draft.source, d)) || [];
    if (!source) return null;
    const write = () => {
      session.write(source);
      session.applyCode();
    };
    return (
      <SmallButton data-testid="write-word" onClick={write}>
        Write {said}
      </SmallButton>
    );
  };
  if (wrong.length === 0 && !draft && !wait) return null;
  return (
    <div className="ds-code-notes" data-testid="code-notes">
      {wait && (
        <p>
          <Icon name="info" size={12} />
          {wait}
        </p>
      )}
      {wrong.map((d) => (
        <p key={`${d.node}|${d.argument}|${d.message}`}>
          <Icon name="warning" size={12} />
          <b>{place(d)}</b> {worded(`${d.message} ${d.hint ?? ""}`)} {word(d)}
          {!draft && <CloseButton label="Close this sentence" onClick={() => session.dismiss(d.message)} />}
        </p>
      ))}
      {draft && (
        <p className="ds-code-draft">
          <span className="ds-muted">
            {moved
              ? "The graph has changed since: Apply makes it what this text says."
              : wrong.length === 0 && "Not in the graph yet."}
          </span>
          <SmallButton
            title="Ctrl+Enter"
            disabled={draft.found.length > 0}
            data-testid="apply-code"
            onClick={() => session.applyCode()}
          >
            Apply
          </SmallButton>
          <button
            type="button"
            className="ds-button ds-button-quiet"
            data-testid="discard-code"
            onClick={() => session.discardCode()}
          >
            Discard
          </button>
        </p>
      )}
    </div>
  );
}
