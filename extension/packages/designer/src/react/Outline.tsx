import { type RefObject, useEffect, useRef } from "react";
import { brokenFile } from "../core/failures";
import * as format from "../core/format";
import { nodeOf, OUTPUTS, topological } from "../core/graph";
import { hueOf } from "../core/marks";
import { categoryHue } from "../core/ports";
import { titleOf } from "../core/problems";
import {
  derived,
  figures,
  findingsAt,
  heatOf,
  isOld,
  operatorOf,
  pictureFrom,
  previewOf,
  resultName,
  severity,
  staleKeys,
  typeOnly,
  withoutSample,
} from "../core/select";
import { isAway, type State } from "../core/state";
import { toldBy } from "../core/statusMessage";
import { boxesOf, cardOf, contracted, deviceOf, failingIn, operatorsOf, selectedBox } from "../core/subgraph";
import type { Diagnostic } from "../protocol/generated";
import { BoxTime } from "./canvas/BoxCard";
import { DeviceBadge, TimeChip } from "./canvas/CardParts";
import { Crumbs } from "./canvas/Crumbs";
import { PreviewView } from "./canvas/PreviewView";
import { reflowed } from "./canvas/sizes";
import { useFrame, useSel, useSession } from "./context";
import { AddButton } from "./Empty";
import { operatorIcon, Tile } from "./icons";
import { BoxPanel } from "./inspector/BoxPanel";
import { NodePanel } from "./inspector/NodePanel";
import { FilePicture } from "./problems/FilePicture";
import { Problem } from "./problems/Problem";

const PICTURE = { width: 72, height: 48 };
/** Three cards in a row. */
const ROOM = { width: 540, height: 9999 };

/** What a row shows at its left: the file that failed, or what the node gives. */
function Picture({ nodeKey }: { readonly nodeKey: string }) {
  const { preview, sample, failing, lost, stale } = useSel((s) => ({
    preview: previewOf(s, nodeKey),
    sample: s.sample,
    failing: brokenFile(s, nodeKey),
    lost: withoutSample(s).has(nodeKey),
    stale: staleKeys(s).has(nodeKey),
  }));
  const blank = lost || (!preview && stale);
  const label = `output of ${nodeKey} for sample ${sample + 1}`;
  // a few numbers are read, not seen
  const few = preview?.body.type === "table" && figures(preview.body);
  return (
    <span className={`ds-outline-picture ${blank ? "ds-hatched" : ""} ${stale && !failing ? "ds-stale" : ""}`}>
      {failing ? (
        <FilePicture node={nodeKey} source={failing} {...PICTURE} />
      ) : (
        preview && !lost && (few || <PreviewView preview={preview} label={label} {...PICTURE} bare />)
      )}
    </span>
  );
}

/** A row that is in sight tells of its error: the sentence over the list does not. */
function useTold(row: RefObject<HTMLElement>, error: Diagnostic | undefined): void {
  const session = useSession();
  const told = error ? toldBy(error) : "";
  useEffect(() => {
    const here = row.current;
    if (!told || !here) return undefined;
    const end = () => session.view((v) => (v.told === told ? { told: "" } : {}));
    const observer = new IntersectionObserver(([seen]) => (seen?.isIntersecting ? session.view({ told }) : end()));
    observer.observe(here);
    return () => {
      observer.disconnect();
      end();
    };
  }, [row, told, session]);
}

/** What a row says of its node's data, and of which sample it is where that is not the shown one. */
function factsOf(state: State, key: string): string | undefined {
  const [node, preview] = [nodeOf(state.graph, key), previewOf(state, key)];
  if (node && brokenFile(state, key)) return typeOnly(node);
  const old = staleKeys(state).has(key) && !node?.pin;
  return preview && `${preview.facts}${old ? `, ${pictureFrom(state, key, preview)}` : ""}`;
}

/** A node, or a box: that shows what fails in it, else what it gives. */
function OutlineRow({ id, visible }: { readonly id: string; readonly visible: boolean }) {
  const { session, root } = useFrame();
  const li = useRef<HTMLLIElement>(null);
  const box = useSel((s) => boxesOf(s).get(id));
  const keys = box?.nodes.map((n) => n.key) ?? [id];
  const nodeKey = useSel((s) => (box && failingIn(s, box)) ?? box?.exits[0]?.node ?? id);
  const node = useSel((s) => nodeOf(s.graph, nodeKey));
  const operator = useSel((s) => operatorOf(s, node));
  const row = useSel((s) => ({
    heat: isAway(s) ? undefined : heatOf(s, nodeKey),
    facts: (withoutSample(s).has(nodeKey) && "left out") || (visible && !box && factsOf(s, nodeKey)),
    error: findingsAt(s, nodeKey).find((d) => severity(d) === "error"),
    selected: cardOf(s, s.view.selection[0] ?? "") === id && s.view.selection[0],
    whole: selectedBox(s) !== undefined,
    old: isOld(s),
    running: s.run.running && nodeOf(s.graph, nodeKey)?.in_run === true,
    tinted: s.view.heat,
    drawer: s.view.drawer,
  }));
  useTold(li, visible ? row.error : undefined);
  // The selected row is in sight with what it opens, also beside an open drawer.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer takes room from the list
  useEffect(() => {
    const [list, here] = [li.current?.closest(".ds-outline"), li.current];
    if (!visible || !row.selected || !list || !here) return;
    const [room, at] = [list.getBoundingClientRect(), here.getBoundingClientRect()];
    if (at.top < room.top || at.bottom > room.bottom) list.scrollTop += at.top - room.top;
  }, [visible, row.selected, row.drawer]);
  if (!node) return null;
  const open = visible && row.selected;
  return (
    <li ref={li}>
      <button
        type="button"
        className={`ds-outline-row ${row.selected ? "ds-outline-now" : ""} ${row.running ? "ds-running" : ""}`}
        style={{ "--ds-c": `var(--ds-${box ? hueOf(box.group) : categoryHue(operator?.category)})` }}
        aria-expanded={visible ? row.selected !== false : undefined}
        tabIndex={visible ? 0 : -1}
        data-testid={`outline-${id}`}
        onClick={() => session.select(open ? [] : keys)}
        onContextMenu={(e) => {
          if (e.shiftKey) return; // the browser's own
          e.preventDefault();
          const { left, top } = root.getBoundingClientRect();
          const at = { x: e.clientX - left, y: e.clientY - top };
          session.select(keys);
          session.view({ menu: { kind: "nodes", id, at, place: { x: 0, y: 0 } } });
        }}
      >
        {visible && (
          <span style={{ display: "contents" }} aria-hidden>
            <Picture nodeKey={nodeKey} />
          </span>
        )}
        <span className="ds-outline-words">
          <Tile name={box ? "group" : operatorIcon(operator, node.operator)} />
          <b>{box?.group.title ?? format.cardName(nodeKey, node.operator)}</b>{" "}
          {/* what is wrong stands below it, or in its panel */}
          <small className="ds-muted">
            {row.error && !visible
              ? titleOf(row.error)
              : row.facts ||
                (box
                  ? format.plural(operatorsOf(box).length, "operator")
                  : (node.argument_inputs.predicate?.node ?? format.called(node.operator)))}
          </small>
        </span>
        <span className="ds-outline-cost">
          {box ? (
            <BoxTime box={box} />
          ) : (
            <TimeChip nodeKey={nodeKey} found={row.heat} running={row.running} old={row.old} heat={row.tinted} />
          )}
          <DeviceBadge device={deviceOf(box?.nodes ?? [node])} />
        </span>
      </button>
      {visible && row.error && (!row.selected || row.whole) && <Problem found={row.error} />}
      {open && (box && row.whole ? <BoxPanel box={box} /> : <NodePanel key={open} nodeKey={open} />)}
    </li>
  );
}

const cardsInOrder = derived(
  (s) => [s.graph, boxesOf(s)],
  (s) => (s.graph ? topological(contracted(s, s.graph)).map((n) => n.key) : []),
);

/** Points through which somebody has led wires, by wire: a press selects it. */
function JunctionRows({ visible }: { readonly visible: boolean }) {
  const session = useSession();
  const routes = useSel((s) => Object.values(s.marks).flatMap((m) => (m.type === "route" ? m : [])));
  const chosen = useSel((s) => s.view.wires);
  return routes.map(({ wire, source, points }) => (
    <li key={wire}>
      <button
        type="button"
        className={`ds-outline-row ${chosen.includes(wire) ? "ds-outline-now" : ""}`}
        tabIndex={visible ? 0 : -1}
        data-testid={`outline-${wire}`}
        onClick={() => session.view({ selection: [], wires: [wire] })}
      >
        <span className="ds-outline-words">
          <b>{format.plural(points.length, "junction")}</b>{" "}
          <small className="ds-muted">
            {source.node} to {wire.startsWith(OUTPUTS) ? "outputs" : wire.split("|")[0]}
          </small>
        </span>
      </button>
    </li>
  ));
}

/** The pipeline as a list: the canvas of narrow widths, and always there for screen readers. */
export function Outline({ visible }: { readonly visible: boolean }) {
  const session = useSession();
  // The picture that is kept of the graph is as wide as the list.
  useEffect(() => {
    const places = visible && reflowed(session.store.get(), ROOM);
    if (places) session.move(places);
  }, [visible, session]);
  const ids = useSel(cardsInOrder);
  // What is selected elsewhere, such as the slowest node, has a row: the entered subgraph is left.
  const away = useSel((s) => visible && s.view.selection.some((key) => !ids.includes(cardOf(s, key))));
  useEffect(() => {
    if (away) session.view({ inside: [] });
  }, [away, session]);
  const results = useSel((s) => (s.graph?.outputs ?? []).map((ref) => resultName(s, ref)).join(", "));
  return (
    <>
      {visible && <Crumbs />}
      <ol className={visible ? "ds-outline" : "ds-hidden"} aria-label="Operators in order" data-testid="outline">
        {ids.map((id) => (
          <OutlineRow key={id} id={id} visible={visible} />
        ))}
        <JunctionRows visible={visible} />
        {results && <li className="ds-outline-returns">Returns {results}</li>}
        {visible && ids.length > 0 && (
          <li className="ds-outline-returns">
            <AddButton />
          </li>
        )}
      </ol>
    </>
  );
}
