import { useStore, useStoreApi } from "@xyflow/react";
import { useCallback, useContext, useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { isBegun } from "../../core/data";
import { WIDTHS } from "../../core/detail";
import { isAboutFile } from "../../core/failures";
import { freeSpot, overlap } from "../../core/freeSpot";
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
import { MARGIN, surroundings } from "./surroundings";
import { RoutesContext } from "./WireEdge";

interface Props {
  readonly nodeKey: string;
  /** The card beside which it stands, if that is not the node's own. */
  readonly card?: string;
  readonly finding: Diagnostic;
}

/** Width and, as a rule, height of the card in px. */
const ROOM = { width: 352, height: 98 };
/** How much of other cards it covers by itself, in px²; more only where somebody has chosen its node. */
const COVERED = 3000;
/** How much more what it tells of weighs than other cards, its node among it; what is wired to that weighs three times as much. */
const TOLD = 9;
/** Farther from its node, in px, nobody would know of which it tells, unless it is chosen. */
const FAR = 120;

/** How long a room keeps its size before the view is moved in it, in ms: cards have found their places then. */
const REST = 600;

/** What stays free between it and all cards that made room for it, in px. */
const BESIDE = 10;

/** In what steps the view is moved to where the card covers no other, in px, and how far; along one side in smaller ones, too. */
const PAN = { step: 40, fine: 8, most: 360 };

/** A way of the view: `k` times as large, and so far on. */
interface Way extends Point {
  readonly k: number;
}

/**
 * How far the view moves, at least, for a card to cover no other and its node to be in the frame; where cards would go out
 * of sight by that, and none is yet, all of them become smaller instead, `least` times as large at least.
 */
function panOf(
  size: Size,
  own: Rect,
  cards: readonly Rect[],
  controls: Rect,
  frame: Rect,
  least: number,
): Way | undefined {
  // ports may be at its very edge
  const canvas = { x: frame.x - 15, y: frame.y, width: frame.width + 30, height: frame.height };
  const steps = (step: number) => Array.from({ length: (2 * PAN.most) / step + 1 }, (_, i) => step * i - PAN.most);
  const ways = [
    ...steps(PAN.step).flatMap((x) => steps(PAN.step).map((y) => ({ x, y }))),
    ...steps(PAN.fine).flatMap((by) => [
      { x: by, y: 0 },
      { x: 0, y: by },
    ]),
  ];
  /** How much of cards would be out of sight, in px². */
  const hidden = (by: Point) =>
    cards.reduce((sum, c) => sum + c.width * c.height - overlap({ ...c, x: c.x + by.x, y: c.y + by.y }, canvas), 0);
  const pan = ways
    .map((by) => ({ ...by, k: 1, hides: hidden(by) }))
    .sort((a, b) => a.hides + Math.hypot(a.x, a.y) - b.hides - Math.hypot(b.x, b.y))
    .find((by) => {
      const [at, ...others] = [own, ...cards].map((c) => ({ ...c, x: c.x + by.x, y: c.y + by.y })) as [Rect, ...Rect[]];
      const whole = around([at, frame]);
      const stays = whole.width <= frame.width && whole.height <= frame.height;
      return stays && freeSpot(size, at, [...others, controls], frame, { most: 0 });
    });
  if (pan && (pan.hides < 1 || hidden({ x: 0, y: 0 }) >= 1)) return pan;
  const all = around(cards);
  const { width, height } = frame;
  // below it or right of it
  const [below, right] = [
    { x: 0, y: size.height + BESIDE },
    { x: size.width + BESIDE, y: 0 },
  ].map(({ x, y }): Way => {
    const k = Math.min(1, (width - x) / all.width, (height - y - controls.height) / all.height);
    return { x: frame.x + (x + width - k * all.width) / 2 - k * all.x, y: frame.y + y - k * all.y, k };
  }) as [Way, Way];
  const fit = below.k > right.k ? below : right;
  return fit.k < least ? pan : fit;
}

interface Spot extends Point {
  /** Whether it covers no card there. */
  readonly free: boolean;
  /** Where the cards stand then that a repair would bring. */
  readonly ghosts: readonly Rect[];
}

/** Where the card covers least, in px of the canvas; null if its node is out of sight or there is no room: the strip says it then. */
function useSpot(key: string, open: boolean, size: Size, chosen: boolean): Spot | null {
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
    const inSight = own.x < s.width && own.y < s.height && own.x + own.width > 0 && own.y + own.height > 0;
    // what it tells of is to be seen
    const ends = twin
      ? [twin.node, ...twin.cards.flatMap((c) => c.feeds.map(([to]) => to))].flatMap((to) => card(to))
      : [];
    const told = [controls, own, ...pills, ...ends];
    const wired = (graph ? wiresOf(graph) : []).flatMap(({ source, slot }) =>
      source.node === key ? card(slot.node) : slot.node === key ? card(source.node) : [],
    );
    const taken = [...cards, ...wired, ...wired, ...Array<typeof told>(TOLD).fill(told).flat()];
    if (!inSight) return null;
    const near = { far: twin ? 2 * FAR : FAR, wires };
    const spotIn = (way: Parameters<typeof freeSpot>[4], others = taken) => freeSpot(size, own, others, frame, way);
    // one that is chosen is told of in any case: where nothing is covered, else beside it
    const clear = { wires, far: chosen ? undefined : near.far, most: 0 };
    const free = spotIn(clear, [...taken, ...ghostsIn(s, twin)]) ?? spotIn(clear);
    const spot = free ?? (chosen ? (spotIn(near) ?? spotIn({ wires })) : spotIn({ ...near, most: COVERED }));
    // where there is room only without the ghosts, these give way
    return spot && { ...spot, free: !!free, ghosts: ghostsIn(s, twin, [{ ...spot, ...size }]) };
  }, alike);
}

/** What went wrong at a node, beside it: in plain words first, technical words folded. */
export function ErrorCard({ nodeKey, finding, card = stepOf(finding) ?? nodeKey }: Props) {
  const session = useSession();
  const api = useCanvasApi();
  const store = useStoreApi();
  const told = toldBy(finding);
  const state = useSel((s) => ({
    folded: s.view.folded.includes(told),
    wanted: wantedCard(s) === nodeKey,
    menu: s.view.menu !== null,
    share: failShare(s, nodeKey),
    twin: finding.code === "DS210" && repairOf(s, finding) !== undefined,
    // files are counted, and listed in Problems
    more: findingsAt(s, nodeKey).filter((d) => d !== finding && !(isAboutFile(d) && isAboutFile(finding))).length,
    box: boxesOf(s).get(card)?.name,
    // of a file there is more to do than to look at the node
    chosen: isAboutFile(finding) || s.view.selection.some((key) => key === nodeKey || key === stepOf(finding)),
  }));
  const error = toneOf(finding) === "error";
  const open = state.wanted && !state.folded;
  const [size, setSize] = useState<Size>(ROOM);
  const spot = useSpot(card, open, size, state.chosen);
  // over the zoom controls
  const canvas = useStore((s) => s.domNode?.parentElement);
  const observer = useRef<ResizeObserver | null>(null);
  const measured = useCallback((card: HTMLElement | null) => {
    observer.current?.disconnect();
    if (!card) return;
    observer.current = new ResizeObserver(() => {
      // technical words move nothing: the card grows where it stands
      if (!card.querySelector("[open]"))
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
  const panned = useRef("");
  // nothing moves under a menu
  const covers = spot?.free === false && size !== ROOM && !state.menu;
  const room = useStore((s) => `${s.width} ${s.height}`);
  useEffect(() => {
    if (!drawn) {
      back.current?.();
      back.current = undefined;
      panned.current = "";
    }
    // once for each size: what it tells comes in parts, and cards find their places in another room first
    const now = `${size.width} ${size.height} ${room}`;
    if (!covers || panned.current === now) return undefined;
    const pan = (again: boolean) => {
      const { card: at, cards, controls, pills, frame } = surroundings(store.getState());
      const [own = frame] = at(card);
      const least = WIDTHS.compact / CARD / store.getState().transform[2];
      const by = panOf(size, own, [...cards, ...pills], controls, frame, least);
      if (by) back.current = api.current?.pan(by.x, by.y, by.k);
      panned.current = now;
      // the view may have been on its way elsewhere
      if (again) wait = setTimeout(pan, REST, false);
    };
    let wait = setTimeout(pan, !panned.current || panned.current.endsWith(room) ? 0 : REST, true);
    return () => clearTimeout(wait);
  }, [covers, drawn, size, room, card, api, store]);
  useEffect(() => () => back.current?.(), []);
  const fold = () => session.view((v) => ({ folded: [...v.folded, told] }));
  if (!drawn) return null;
  const words = wordsOf(finding);
  const file = isAboutFile(finding);
  const guard = finding.code === "DS210";
  // a box has several nodes
  const title = `${state.box ? `${nodeKey}: ` : ""}${titleOf(finding)}`;
  const detail = [file ? words : "", finding.detail].filter(Boolean).join("\n\n");
  const drawnCard = createPortal(
    <section
      ref={measured}
      className={`ds-error-card ds-tone-${error ? "error" : "warning"} nodrag nopan nowheel`}
      // never over the lower edge
      style={{ transform: `translate(${spot.x}px, min(${spot.y}px, ${canvas.clientHeight - MARGIN}px - 100%))` }}
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
          {detail && (
            <>
              <details>
                <summary>Technical words</summary>
              </details>
              <div
                className="ds-detail"
                style={{
                  maxHeight: `clamp(34px, ${canvas.clientHeight - MARGIN - spot.y - size.height - 8}px, 110px)`,
                }}
              >
                {detail}
              </div>
            </>
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
      <div className="ds-error-head">
        <CloseButton label="Close" onClick={fold} />
      </div>
    </section>,
    canvas,
  );
  return (
    <>
      {drawnCard}
      <Ghosts rects={spot.ghosts} />
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
            {i ? (twin.left ? `still without ${twin.left}` : "with the twin") : `now, sample ${twin.sample + 1}`}
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
