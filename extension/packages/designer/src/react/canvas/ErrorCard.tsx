import { useStore, useStoreApi } from "@xyflow/react";
import { useCallback, useContext, useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { isBegun } from "../../core/data";
import { WIDTHS } from "../../core/detail";
import { errorSpot, grown, LEAST, panFor, type Stand } from "../../core/errorSpot";
import { isAboutFile } from "../../core/failures";
import { wiresOf } from "../../core/graph";
import { pathOf } from "../../core/inside";
import { kept } from "../../core/kept";
import { CARD, type Size } from "../../core/layout";
import { titleOf, toneOf, wordsOf } from "../../core/problems";
import { around, type Point, type Rect } from "../../core/route";
import {
  failShare,
  findings,
  findingsAt,
  previewFailures,
  repairOf,
  runFailures,
  severity,
  stepOf,
  twinOf,
} from "../../core/select";
import { NAMED } from "../../core/sight";
import type { State } from "../../core/state";
import { toldBy } from "../../core/statusMessage";
import { boxesOf } from "../../core/subgraph";
import type { Diagnostic } from "../../protocol/generated";
import { useCanvasApi } from "../canvasApi";
import { copyText } from "../clipboard";
import { useSel, useSession } from "../context";
import { Icon } from "../icons";
import { CloseButton, LinkButton, SmallButton, worded } from "../parts";
import { FailingFile } from "../problems/FailingFile";
import { Actions, Reproduction, reportText } from "../problems/Problem";
import { alike, Ghosts, ghostsIn } from "./LooseWire";
import { PreviewView } from "./PreviewView";
import { surroundings } from "./surroundings";
import { RoutesContext } from "./WireEdge";

interface Props {
  readonly nodeKey: string;
  /** The card beside which it stands, if that is not the node's own. */
  readonly card?: string;
  readonly finding: Diagnostic;
}

/** Width and, as a rule, height of the card in px. */
const ROOM = { width: 352, height: 98 };
/** How long the view rests before it is moved again, in ms: cards have found their places then. */
const REST = 600;
/** How often it is moved for one size of the card in one room, at most. */
const TRIES = 3;
const UNMOVED = { now: "", times: 0 };

interface Spot extends Point {
  readonly stand: Stand;
  /** Where the cards stand then that a repair would bring. */
  readonly ghosts: readonly Rect[];
  /** Where their wires may not run: the card itself, the zoom controls, and what is out of sight. */
  readonly walls: readonly Rect[];
}

/** Where the card covers least, in px of the canvas; null if its node is out of sight or there is no room: the strip says it then. */
function useSpot(key: string, open: boolean, size: Size, chosen: boolean, far: number): Spot | null {
  // Wires run anew a moment after the cards are at rest.
  const { cards: obstacles } = useContext(RoutesContext);
  const [, setRest] = useState(obstacles);
  useEffect(() => setRest(obstacles), [obstacles]);
  const twin = useSel(twinOf);
  const graph = useSel((s) => s.graph);
  return useStore((s): Spot | null => {
    if (!open || !s.nodeLookup.has(key)) return null;
    const { card, cards, controls, pills, wires, frame } = surroundings(s);
    const [own = frame] = card(key);
    if (own.x > s.width || own.y > s.height || own.x + own.width < 0 || own.y + own.height < 0) return null;
    // what it tells of is to be seen
    const told = twin
      ? [twin.node, ...twin.cards.flatMap((c) => c.feeds.map(([to]) => to))].flatMap((to) => card(to))
      : [];
    const wired = (graph ? wiresOf(graph) : []).flatMap(({ source, slot }) =>
      source.node === key ? card(slot.node) : slot.node === key ? card(source.node) : [],
    );
    const find = (ghosts: readonly Rect[]) => {
      const near = { own, cards, kept: [controls, ...pills, ...ghosts], wires, frame, far };
      return errorSpot(size, near, { chosen, told, wired });
    };
    const free = ghostsIn(s, twin);
    const first = find(free);
    const spot = first?.stand === 2 || !free[0] ? first : find([]);
    // where there is room only without the ghosts, these give way
    if (!spot) return null;
    const self = grown({ ...spot, ...size }, LEAST);
    const ghosts = ghostsIn(s, twin, [self]);
    const all = around([...cards, ...ghosts]);
    const [right, below] = [frame.x + frame.width, frame.y + frame.height];
    const beyond = [
      { ...all, x: right },
      { ...all, y: below },
    ];
    return { ...spot, ghosts, walls: [self, controls, ...beyond] };
  }, alike);
}

/** What went wrong at a node, beside it, in plain words; technical ones are in the list of problems. */
export function ErrorCard({ nodeKey, finding, card = stepOf(finding) ?? nodeKey }: Props) {
  const session = useSession();
  const api = useCanvasApi();
  const store = useStoreApi();
  const told = toldBy(finding);
  const guard = finding.code === "DS210";
  const state = useSel((s) => ({
    folded: s.view.folded.includes(told),
    wanted: wantedCard(s) === nodeKey,
    menu: s.view.menu !== null,
    share: failShare(s, nodeKey),
    twin: guard && !!repairOf(s, finding),
    // files are counted, and listed in Problems
    more: findingsAt(s, nodeKey).filter((d) => d !== finding && !(isAboutFile(d) && isAboutFile(finding))).length,
    box: boxesOf(s).get(card)?.name,
    // of a file there is more to do than to look at the node
    chosen: isAboutFile(finding) || s.view.selection.some((key) => key === nodeKey || key === stepOf(finding)),
  }));
  const error = toneOf(finding) === "error";
  // the wire of labels tells where they come from, and all of the graph what moves with its image
  const [far, least] = guard ? [240, WIDTHS.compact / CARD] : [120, NAMED];
  const open = state.wanted && !state.folded;
  const [size, setSize] = useState<Size>(ROOM);
  const spot = useSpot(card, open, size, state.chosen, far);
  // over the zoom controls
  const canvas = useStore((s) => s.domNode?.parentElement);
  const observer = useRef<ResizeObserver | null>(null);
  const measured = useCallback((card: HTMLElement | null) => {
    observer.current?.disconnect();
    if (!card) return;
    observer.current = new ResizeObserver(() => {
      setSize((was) => kept(was, { width: card.offsetWidth, height: card.offsetHeight }));
    });
    observer.current.observe(card);
  }, []);
  const drawn = !!spot && !!canvas;
  useLayoutEffect(() => {
    if (!drawn) return undefined;
    session.view({ told });
    return () => session.view((v) => (v.told === told ? { told: "" } : {}));
  }, [drawn, told, session]);
  const back = useRef<(() => void) | undefined>();
  const panned = useRef(UNMOVED);
  // nothing moves under a menu, nor before the card has its size
  const stand = size === ROOM || state.menu ? 2 : (spot?.stand ?? 2);
  const room = useStore((s) => `${s.width} ${s.height}`);
  const place = `${spot?.x} ${spot?.y}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is at rest while it keeps its place
  useEffect(() => {
    if (!drawn) {
      back.current?.();
      back.current = undefined;
      panned.current = UNMOVED;
    }
    const { now, times } = panned.current;
    const next = `${size.width} ${size.height} ${room}`;
    if (stand > 1 || (now === next && times === TRIES)) return undefined;
    const pan = () => {
      panned.current = { now: next, times: now === next ? times + 1 : 1 };
      const { card: at, cards, controls, pills, frame } = surroundings(store.getState());
      const [own = frame] = at(card);
      const near = { own, cards: [...cards, ...pills], kept: [], wires: [], frame, far };
      const by = panFor(size, near, controls, stand, least / store.getState().transform[2]);
      if (by) back.current = api.current?.pan(by.x, by.y, by.k, now === next) ?? back.current;
    };
    const wait = setTimeout(pan, now ? REST : 0);
    return () => clearTimeout(wait);
  }, [stand, drawn, size, room, place, card, far, least, api, store]);
  useEffect(() => () => back.current?.(), []);
  const fold = () => session.view((v) => ({ folded: [...v.folded, told] }));
  if (!drawn) return null;
  const words = wordsOf(finding);
  const file = isAboutFile(finding);
  // a box has several nodes
  const title = `${state.box ? `${nodeKey}: ` : ""}${titleOf(finding)}`;
  const drawnCard = createPortal(
    <section
      ref={measured}
      className={`ds-error-card ds-tone-${error ? "error" : "warning"} nodrag nopan nowheel`}
      style={{ transform: `translate(${spot.x}px, ${spot.y}px)` }}
      aria-label={`Problem of ${nodeKey}`}
      data-of={card}
      data-testid={`error-card-${nodeKey}`}
    >
      {file ? (
        <FailingFile finding={finding} title={title} />
      ) : (
        <>
          <h4>{title}</h4>
          {words && <p>{worded(guard ? words.replace(/^.*?: /, "") : words)}</p>}
          {state.twin && <TwinPictures node={nodeKey} />}
          {finding.hint && !state.twin && <p className="ds-error-hint">{worded(finding.hint)}</p>}
          {typeof finding.sample === "number" && <p className="ds-error-where">sample {finding.sample + 1}</p>}
        </>
      )}
      {state.share && error && <p data-testid={`share-${nodeKey}`}>{state.share}</p>}
      <div className="ds-error-buttons">
        <Actions finding={finding} testId={`repair-${nodeKey}`} bare />
        {state.box && (
          <SmallButton
            title={`Open the box at ${nodeKey}`}
            data-testid="show-inside"
            onClick={() => {
              const inside = [...pathOf(session.store.get()), state.box ?? ""];
              session.view({ inside, selection: [nodeKey], wires: [] });
            }}
          >
            Show
          </SmallButton>
        )}
        {guard && (
          <SmallButton
            title="Say no more of it, for this wire"
            data-testid="leave-label"
            onClick={() => {
              const { message } = finding;
              session.edit([], { marks: { [`left ${nodeKey}`]: { type: "left", node: nodeKey, message } } });
            }}
          >
            Leave as it is
          </SmallButton>
        )}
      </div>
      {!state.twin && (
        <div className="ds-error-foot">
          {(file || finding.detail) && (
            // where they have room
            <LinkButton onClick={() => session.view({ drawer: "problems" })}>Technical words</LinkButton>
          )}
          {state.more > 0 && (
            <LinkButton onClick={() => session.select([nodeKey])}>{state.more} more in the inspector</LinkButton>
          )}
          <span className="ds-spring" />
          <Reproduction finding={finding} />
          <LinkButton onClick={() => copyText(reportText(finding))}>
            <Icon name="copy" size={12} /> Copy report
          </LinkButton>
        </div>
      )}
      <CloseButton label="Close" onClick={fold} />
    </section>,
    canvas,
  );
  return (
    <>
      {drawnCard}
      <Ghosts rects={spot.ghosts} walls={spot.walls} />
    </>
  );
}

/** A label over its image, as it is and with what the repair adds. */
function TwinPictures({ node }: { readonly node: string }) {
  const session = useSession();
  const twin = useSel(twinOf);
  const stamp = useSel((s) => `${s.confirmed?.revision}|${s.sample}|${s.iteration}|${s.code?.dialect}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision or sample is asked for again
  useEffect(() => session.send({ type: "request_twin", node }), [session, node, stamp]);
  return (
    <div className="ds-ends">
      {twin?.items.map((item, i) => (
        <figure key={item.output}>
          <PreviewView
            preview={{ ...item, revision: twin.revision, sample: 0, iteration: 0 }}
            label={i ? "with the twin" : "now"}
            width={154}
            height={98}
          />
          <figcaption className={i && !twin.left ? "ds-good" : "ds-warn"}>
            {i && !twin.left ? "✓" : <Icon name="warning" size={12} />}{" "}
            {!i ? `now, sample ${twin.sample + 1}` : twin.left ? `still without ${twin.left}` : "with the twin"}
          </figcaption>
        </figure>
      ))}
    </div>
  );
}

/** One card at a time, so that cards do not cover the graph; the inspector tells all, and so does the list of problems, but for labels that stay behind. */
function wantedCard(state: State): string {
  const { selection, drawer } = state.view;
  const chosen = selection[0];
  // a value that is missing is marked at its row, and told at its field
  const told = (d: Diagnostic) =>
    (severity(d) === "error" && drawer !== "problems" && (d.code !== "DS103" || isBegun(d))) || d.code === "DS210";
  const own = chosen ? findings(state).find((d) => (d.node === chosen || stepOf(d) === chosen) && told(d)) : undefined;
  if (own?.node) return own.node;
  const failing = [...previewFailures(state), ...runFailures(state)];
  return failing.find((d) => d.node && severity(d) === "error" && told(d))?.node ?? "";
}
