import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import * as format from "../../core/format";
import { DETAIL_OUT } from "../../core/pictures";
import { extentsIn, firstNumber } from "../../core/pixels";
import * as placement from "../../core/placement";
import { previewOf } from "../../core/select";
import type { NodeView } from "../../protocol/generated";
import { useSel } from "../context";
import { OnPicture, useDrag, WIDTH } from "./OnPicture";

/** Room around what is shown for handles, in px. */
const MARGIN = 24;
const ROOM = [WIDTH - 2 * MARGIN, 132] as const;
/** From the upper edge to the handle that turns, in px. */
const STICK = 18;

const TURN: placement.Handle = { does: "turn", at: [0.5, 0] };
const MOVE: placement.Handle = { does: "move", at: [0.5, 0.5] };
/** The first of a kind is reached by the keyboard as well. */
const HANDLES: readonly placement.Handle[] = [
  MOVE,
  { does: "size", at: [1, 1] },
  { does: "size", at: [0, 0] },
  { does: "size", at: [1, 0] },
  { does: "size", at: [0, 1] },
  { does: "shear", at: [0.5, 1] },
  { does: "shear", at: [1, 0.5] },
];
const WORDS: Readonly<Record<placement.Handle["does"], string>> = {
  move: "Moves the picture",
  size: "Makes it larger or smaller; Shift keeps its proportions",
  shear: "Shears it",
  turn: "Turns it; Shift: tenths of a degree, Alt: steps of 15",
};

function matrixOf(node: NodeView): placement.Affine | null {
  const given = node.arguments.matrix;
  if (!Array.isArray(given) || given.length !== 6) return null;
  const matrix = given.map(Number) as unknown as placement.Affine;
  return node.arguments.inverse_map === false ? matrix : placement.inverse(matrix);
}

/** What `rotate` and `warp_affine` do to a picture, as a frame with handles on their output. */
export function Placement({ node }: { readonly node: NodeView }) {
  const { set, grab, nudge, box, dragging } = useDrag(node.key);
  const stage = useRef<placement.Affine>([1, 0, 0, 0, 1, 0]);
  const source = node.inputs[0];
  const before = useSel((s) => (source ? (previewOf(s, source.node, source.output)?.facts ?? "") : ""));
  const after = useSel((s) => previewOf(s, node.key, 0)?.facts ?? "");
  const shown = useSel((s) => s.detail?.key === node.key && s.detail.has_output);
  const turns = node.operator === "rotate";
  const fed = node.inputs[1] || node.argument_inputs[turns ? "angle" : "matrix"];
  const [height, width] = extentsIn(before);
  const [tall, wide] = extentsIn(after);
  if (!(turns || node.operator === "warp_affine") || fed || !shown || height === 0 || tall === 0) return null;
  const angle = firstNumber(node.arguments.angle, 0);
  const fixed = !turns || node.arguments.keep_size || "size" in { ...node.arguments, ...node.argument_inputs };
  const [w, h] = fixed ? [wide, tall] : placement.roomFor([width, height], angle);
  const placed = turns
    ? placement.joined([1, 0, (w - width) / 2, 0, 1, (h - height) / 2], placement.turn(angle, [w / 2, h / 2]))
    : matrixOf(node);
  if (!placed) return null;

  // it stays under the pointer; what turns in its middle stays there by itself
  if (turns || !dragging) stage.current = placement.stageOf([w, h], placed, [width, height], ROOM);
  const [scale, , left, , , upper] = stage.current;
  const seen = placement.joined(stage.current, [1, 0, MARGIN, 0, 1, MARGIN]);
  const at = ([u, v]: readonly [number, number]) =>
    placement.pointIn(placement.joined(placed, seen), u * width, v * height);
  const [middle, top] = [at(MOVE.at), at(TURN.at)];
  const long = Math.hypot(top[0] - middle[0], top[1] - middle[1]) || 1;
  const end = [0, 1].map((i) => (top[i] ?? 0) + (STICK * ((top[i] ?? 0) - (middle[i] ?? 0))) / long);

  const put = (now: placement.Affine) => {
    const matrix = node.arguments.inverse_map === false ? now : placement.inverse(now);
    if (matrix) set({ matrix: matrix.map((n, i) => Number(n.toFixed(i % 3 === 2 ? 2 : 4))) });
  };
  const turnBy = (degrees: number, step: number) => {
    const to = Number((Math.round((angle + degrees) / step) * step).toFixed(1));
    if (turns) set({ angle: placement.wrapped(to) });
    else put(placement.joined(placed, placement.turn(to - angle, placement.pointIn(placed, width / 2, height / 2))));
  };
  const pulled = (handle: placement.Handle) => (dx: number, dy: number, event: PointerEvent | KeyboardEvent) => {
    const { shiftKey, altKey, type } = event;
    const keys = type === "keydown";
    if (handle.does !== "turn") {
      const by = [dx, dy].map((d) => (keys ? d : d / scale)) as [number, number];
      put(placement.dragged(placed, [width, height], handle, by, shiftKey && !keys));
    } else if (keys) turnBy(dx - dy, 0.1);
    else {
      const [x = 0, y = 0] = end;
      turnBy(placement.turnedBy(middle, [x, y], [x + dx, y + dy]), shiftKey ? 0.1 : altKey ? 15 : 1);
    }
  };
  const { across, down, turned, shear, along } = placement.partsOf(placed);
  const now = Math.round(turned * 10) / 10;
  const slant = Math.round(shear * 100) / 100;
  const size = `${Math.round(down * height)}×${Math.round(across * width)}`;
  const turn = (now || !slant) && format.value(now, "deg");
  const said = [size, turn, slant && `shear ${along} ${format.number(slant)}`].filter(Boolean).join(", ");
  const handling = (handle: placement.Handle, first = true) => ({
    ...(first && {
      role: "slider",
      tabIndex: 0,
      "aria-label": WORDS[handle.does],
      "aria-valuenow": now,
      "aria-valuemin": -180,
      "aria-valuemax": 180,
      "aria-valuetext": said,
    }),
    "data-testid": `placed-${handle.does}`,
    onPointerDown: (e: PointerEvent) => grab(e, pulled(handle)),
    onKeyDown: (e: KeyboardEvent) => nudge(e, pulled(handle)),
  });
  const style = ([left = 0, top = 0]: readonly number[]) => ({ left, top });
  return (
    <OnPicture
      title={turns ? "Turn" : "Placement"}
      note={said}
      id={node.pin_old ? "" : DETAIL_OUT} // what is pinned was turned otherwise
      label={`output of ${node.key}`}
      height={ROOM[1] + 2 * MARGIN}
      at={{ x: left + MARGIN, y: upper + MARGIN, width: w * scale, height: h * scale }}
      box={box}
    >
      <svg className="ds-placed" aria-hidden="true">
        <polygon
          points={[
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 1],
          ]
            .map((corner) => at(corner as [number, number]).join())
            .join(" ")}
          onPointerDown={turns ? undefined : (e) => grab(e, pulled(MOVE))}
        />
        <path d={`M${top.join()}L${end.join()}`} />
      </svg>
      {!turns &&
        HANDLES.map((handle, i) => (
          <i
            key={handle.at.join()}
            className={`ds-handle ds-handle-${handle.does}`}
            title={WORDS[handle.does]}
            style={style(at(handle.at))}
            {...handling(handle, i < 2 || handle.does === "shear")}
          />
        ))}
      <i className="ds-handle ds-handle-turn" title={WORDS.turn} style={style(end)} {...handling(TURN)} />
    </OnPicture>
  );
}
