import { useStore, ViewportPortal } from "@xyflow/react";
import { Fragment, type PointerEvent, useEffect, useId, useRef } from "react";
import { nodeOf } from "../../core/graph";
import { insideKeys, pathOf } from "../../core/inside";
import { movedJunctions } from "../../core/junctions";
import { bandsOf, type Framed, framesOf, groupsOf, hueOf, nextHue, type Part } from "../../core/marks";
import { around, type Rect } from "../../core/route";
import { derived } from "../../core/select";
import { boxesOf, cardOf, keysOfCard, outsideOf, placeOf, shownCards } from "../../core/subgraph";
import type { Group, Mark, Note, Position } from "../../protocol/generated";
import { toggleBox } from "../boxes";
import { useSel, useSession } from "../context";
import { IconButton, worded } from "../parts";
import { useDraft } from "../useDraft";
import { sizesOf } from "./sizes";
import { useMarkDrag } from "./useMarkDrag";

/** How far bands run around the parts of a frame, at most. */
const FAR = 2000;

function useSet(name: string) {
  const session = useSession();
  return (mark: Mark | null, gesture = "") => session.edit([], { marks: { [name]: mark }, gesture });
}

function frameStyle(group: Group, { x, y, width, height }: Rect) {
  return { "--ds-c": `var(--ds-${hueOf(group)})`, width, height, transform: `translate(${x}px, ${y}px)` };
}

/** The parts of a frame and the bands between them, in one outline. */
function Parts({
  group,
  parts,
  bands,
}: {
  readonly group: Group;
  readonly parts: readonly Part[];
  readonly bands: string;
}) {
  const id = useId();
  const { x, y, width, height } = around(parts);
  const shape = (
    <>
      {parts.map(({ covered: _, ...rect }) => (
        <rect key={`${rect.x} ${rect.y}`} {...rect} rx="10" />
      ))}
      <path d={bands} />
    </>
  );
  return (
    <svg className="ds-group-parts" style={{ "--ds-c": `var(--ds-${hueOf(group)})` }} aria-hidden="true">
      <mask
        id={id}
        maskUnits="userSpaceOnUse"
        x={x - FAR}
        y={y - FAR}
        width={width + 2 * FAR}
        height={height + 2 * FAR}
      >
        <rect x={x - FAR} y={y - FAR} width={width + 2 * FAR} height={height + 2 * FAR} />
        <g>{shape}</g>
      </mask>
      <g>{shape}</g>
      <g mask={`url(#${id})`}>{shape}</g>
    </svg>
  );
}

interface FrameProps {
  readonly name: string;
  readonly group: Group;
  readonly rect: Rect;
  /** Whether it is one of several parts. */
  readonly joined: boolean;
}

function GroupFrame({ name, group, rect, joined }: FrameProps) {
  const session = useSession();
  const set = useSet(name);
  const before = useRef<Readonly<Record<string, Position>>>({});
  const drag = useMarkDrag((by, gesture) => {
    const positions = Object.fromEntries(
      Object.entries(before.current).map(([key, p]) => [key, { x: Math.round(p.x + by.x), y: Math.round(p.y + by.y) }]),
    );
    session.edit([], { positions, marks: movedJunctions(session.store.get(), positions), gesture });
  });
  return (
    <section
      className={`ds-group ${joined ? "ds-group-joined" : ""}`}
      aria-label={`Group ${group.title}`}
      style={frameStyle(group, rect)}
      data-testid={`mark-${name}`}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys move the nodes themselves */}
      <header
        className="nodrag nopan"
        {...drag}
        onPointerDown={(e) => {
          const { positions } = session.store.get();
          before.current = Object.fromEntries(
            group.keys.flatMap((key) => (positions[key] ? [[key, positions[key]] as const] : [])),
          );
          drag.onPointerDown(e);
        }}
        onDoubleClick={() => session.select(group.keys)}
      >
        <TitleField title={group.title} onTitle={(title) => set({ ...group, title })} />
        <IconButton
          icon="group"
          label={`Collapse ${group.title} into one box`}
          small
          testId={`collapse-${name}`}
          onClick={() => {
            session.select(group.keys);
            toggleBox(session);
          }}
        />
        <MarkButtons mark={group} set={set} what="group" />
      </header>
    </section>
  );
}

function TitleField({ title, onTitle }: { readonly title: string; readonly onTitle: (title: string) => void }) {
  const { draft, setDraft, latest } = useDraft();
  const apply = () => {
    const text = latest.current?.trim();
    if (text && text !== title) onTitle(text);
    setDraft(null);
  };
  return (
    <input
      className="ds-group-title"
      aria-label="Title of the group"
      value={draft ?? title}
      size={Math.max(4, (draft ?? title).length)}
      onChange={(e) => setDraft(e.target.value)}
      onBlur={apply}
      onKeyDown={(e) => {
        if (!/^(Enter|Escape)$/.test(e.key)) return;
        e.stopPropagation();
        e.currentTarget.closest<HTMLElement>(".ds-canvas")?.focus({ preventScroll: true });
      }}
    />
  );
}

function MarkButtons({ mark, set, what }: { mark: Framed; set: (mark: Mark | null) => void; what: string }) {
  return (
    <span className="ds-mark-buttons">
      <IconButton
        icon="colour"
        label={`Next colour of the ${what}`}
        small
        onClick={() => set({ ...mark, hue: nextHue(mark) })}
      />
      <IconButton icon="cross" label={`Take the ${what} away`} small onClick={() => set(null)} />
    </span>
  );
}

function NoteCard({ name, note }: { readonly name: string; readonly note: Note }) {
  const set = useSet(name);
  const { draft, setDraft, latest } = useDraft(note.text === "" ? "" : null);
  const field = useRef<HTMLTextAreaElement>(null);
  const from = useRef(note);
  const drag = useMarkDrag((by, gesture) => {
    const { x, y } = from.current;
    set({ ...note, x: Math.round(x + by.x), y: Math.round(y + by.y) }, gesture);
  });
  const size = useMarkDrag((by, gesture) => {
    const { width, height } = from.current;
    set(
      { ...note, width: Math.max(90, Math.round(width + by.x)), height: Math.max(48, Math.round(height + by.y)) },
      gesture,
    );
  });
  const editing = draft !== null;
  useEffect(() => {
    if (editing) field.current?.focus({ preventScroll: true });
  }, [editing]);
  const hold = (begin: (e: PointerEvent<HTMLElement>) => void) => (e: PointerEvent<HTMLElement>) => {
    from.current = note;
    begin(e);
  };
  const apply = () => {
    const text = latest.current;
    if (text !== null && text !== note.text) set({ ...note, text });
    setDraft(null);
  };
  return (
    <article
      className="ds-sticky nodrag nopan nowheel"
      aria-label="Note"
      style={{
        "--ds-c": `var(--ds-${hueOf(note)})`,
        width: note.width,
        height: note.height,
        transform: `translate(${note.x}px, ${note.y}px)`,
      }}
      data-testid={`mark-${name}`}
      onDoubleClick={(e) => {
        e.stopPropagation();
        setDraft(note.text);
      }}
    >
      <header {...drag} onPointerDown={hold(drag.onPointerDown)}>
        <MarkButtons mark={note} set={set} what="note" />
      </header>
      {editing ? (
        <textarea
          ref={field}
          aria-label="Text of the note"
          value={draft}
          placeholder="**bold**, `code`"
          onChange={(e) => setDraft(e.target.value)}
          onBlur={apply}
          onKeyDown={(e) => {
            if (e.key !== "Escape") return;
            e.stopPropagation();
            e.currentTarget.blur();
          }}
        />
      ) : (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
          tabIndex={0}
          aria-label={note.text || "empty note"}
          onKeyDown={(e) => e.key === "Enter" && setDraft(note.text)}
        >
          {note.text.split("\n").map((line, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
            <p key={i}>{worded(line)}</p>
          ))}
        </section>
      )}
      <i className="ds-sticky-corner" {...size} onPointerDown={hold(size.onPointerDown)} />
    </article>
  );
}

/** The groups that are frames: within what is entered, and not within a box. */
const framed = derived(
  (s) => [s.marks, boxesOf(s), insideKeys(s)],
  (state): readonly Group[] => {
    const scope = insideKeys(state);
    return groupsOf(state.marks).flatMap(([name, group]) => {
      const nodes = group.keys.filter((key) => nodeOf(state.graph, key));
      const hidden =
        new Set(nodes.map((key) => cardOf(state, key))).size === 1 && cardOf(state, nodes[0] ?? "") !== nodes[0];
      const elsewhere = scope && !nodes.every((key) => scope.has(key));
      return group.collapsed || hidden || elsewhere || pathOf(state).includes(name) ? [] : group;
    });
  },
);

/** Notes and frames of groups, below the cards. */
export function Marks() {
  const marks = useSel((s) => s.marks);
  const frames = useSel(framed);
  const names = Object.keys(marks);
  // as high as they are at this zoom
  const heights = useStore((s) =>
    JSON.stringify(names.length > 0 ? [...s.nodeLookup].map(([id, { measured }]) => [id, measured.height]) : []),
  );
  const text = useSel((s) => {
    const sizes = sizesOf(s);
    const shown = new Map(JSON.parse(heights) as [string, number | undefined][]);
    return JSON.stringify(
      shownCards(s).flatMap((id) => {
        const [at, size] = [outsideOf(s).has(id) ? null : placeOf(s, id), sizes.get(id)];
        const height = shown.get(id) ?? size?.height;
        return at && size ? keysOfCard(s, id).map((key) => [key, { x: at.x, y: at.y, width: size.width, height }]) : [];
      }),
    );
  });
  if (names.length === 0) return null;
  const cards = new Map(JSON.parse(text) as [string, Rect][]);
  return (
    <ViewportPortal>
      <div className="ds-marks">
        {names.map((name) => {
          const mark = marks[name];
          if (mark?.type === "note") return <NoteCard key={name} name={name} note={mark} />;
          if (mark?.type !== "group") return null;
          const parts = frames.includes(mark) ? framesOf(mark, cards, frames) : [];
          const strangers = [...cards].flatMap(([key, card]) => (mark.keys.includes(key) ? [] : card));
          return (
            <Fragment key={name}>
              {parts.length > 1 && <Parts group={mark} parts={parts} bands={bandsOf(parts, strangers).join("")} />}
              {parts[0] && <GroupFrame name={name} group={mark} rect={parts[0]} joined={parts.length > 1} />}
            </Fragment>
          );
        })}
      </div>
    </ViewportPortal>
  );
}
