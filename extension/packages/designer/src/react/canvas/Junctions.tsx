import { EdgeLabelRenderer } from "@xyflow/react";
import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { ARROWS } from "../../core/arrows";
import { type Wire, wireOf, wiresOf } from "../../core/graph";
import { junctionMarks, junctionsOf, withJunction } from "../../core/junctions";
import type { Session } from "../../core/session";
import type { Position } from "../../protocol/generated";
import { useSel, useSession } from "../context";
import { useMarkDrag } from "./useMarkDrag";

/** The path of a wire as it is drawn. */
export function drawnPath(root: HTMLElement, id: string): SVGPathElement | null {
  const edge = [...root.querySelectorAll<SVGGElement>(".react-flow__edge")].find((e) => e.dataset.id === id);
  return edge?.querySelector<SVGPathElement>(".react-flow__edge-path") ?? null;
}

/** Lead a wire through one more point; by default one halfway. */
export function addJunction(session: Session, root: HTMLElement, id: string, at?: Position): void {
  const { graph, marks } = session.store.get();
  const [wire, path] = [wireOf(graph, id), drawnPath(root, id)];
  if (!wire || !path) return;
  const length = path.getTotalLength();
  const along = (share: number) => {
    const { x, y } = path.getPointAtLength(share * length);
    return { x, y };
  };
  const points = withJunction(along(0), junctionsOf(marks, wire), along(1), at ?? along(0.5));
  session.edit([], { marks: junctionMarks(wire, points) });
}

/** Put a junction into the selected wires; while none is, lead the wire through a place that is nearest to it. */
export function addNearest(session: Session, root: HTMLElement, at?: Position): void {
  const { graph, view } = session.store.get();
  for (const id of view.wires) addJunction(session, root, id);
  if (!graph || !at || view.wires.length > 0) return;
  const far = ({ id }: Wire) => {
    const path = drawnPath(root, id);
    const points = path ? [0.1, 0.3, 0.5, 0.7, 0.9].map((s) => path.getPointAtLength(s * path.getTotalLength())) : [];
    return Math.min(...points.map(({ x, y }) => Math.hypot(x - at.x, y - at.y)));
  };
  const wires = wiresOf(graph).map((wire) => [far(wire), wire.id] as const);
  const [nearest] = wires.sort(([a], [b]) => a - b);
  if (nearest) addJunction(session, root, nearest[1], at);
}

/** How far an arrow key moves a junction, in px of the canvas; with Shift by one. */
const STEP = 8;

interface Props {
  /** Of the wire. */
  readonly id: string;
  readonly points: readonly Position[];
  readonly hue: string;
}

function Junction({ id, points, hue, index }: Props & { readonly index: number }) {
  const session = useSession();
  const from = useRef<Position>({ x: 0, y: 0 });
  const source = useSel((s) => wireOf(s.graph, id)?.source.node ?? "");
  const at = points[index] ?? { x: 0, y: 0 };
  const lead = (through: readonly Position[], gesture = "") => {
    const wire = wireOf(session.store.get().graph, id);
    if (wire) session.edit([], { marks: junctionMarks(wire, through), gesture });
  };
  const put = (point: Position, gesture: string) => lead(points.with(index, point), gesture);
  const remove = () => lead(points.toSpliced(index, 1));
  const drag = useMarkDrag((by, gesture) => put({ x: from.current.x + by.x, y: from.current.y + by.y }, gesture));
  const onKeyDown = (event: KeyboardEvent) => {
    const [x, y] = ARROWS[event.key] ?? [0, 0];
    const step = event.shiftKey ? 1 : STEP;
    if (event.key === "Delete" || event.key === "Backspace") remove();
    else if (x || y) put({ x: at.x + x * step, y: at.y + y * step }, `junction.${id}.${index}`);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <button
      type="button"
      className="ds-junction nodrag nopan"
      style={{ "--ds-c": `var(--ds-${hue})`, transform: `translate(-50%, -50%) translate(${at.x}px, ${at.y}px)` }}
      aria-label={`Junction ${index + 1} of the wire from ${source}. Arrows move it, Del takes it away.`}
      title="Junction. Drag it; a double click takes it away."
      data-testid={`junction-${id}-${index}`}
      {...drag}
      onPointerDown={(event: PointerEvent<HTMLElement>) => {
        from.current = at;
        drag.onPointerDown(event);
      }}
      onDoubleClick={(event) => {
        event.stopPropagation();
        remove();
      }}
      onKeyDown={onKeyDown}
    />
  );
}

/** The points through which a wire is led, to be dragged. */
export function Junctions(props: Props) {
  return (
    <EdgeLabelRenderer>
      {props.points.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a junction is its place along the wire
        <Junction key={index} index={index} {...props} />
      ))}
    </EdgeLabelRenderer>
  );
}
