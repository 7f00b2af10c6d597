import { argumentOf, type Operator } from "../../core/catalog";
import { DETAIL_IN } from "../../core/pictures";
import { contained, extentsIn, firstNumber } from "../../core/pixels";
import { previewOf } from "../../core/select";
import type { NodeView } from "../../protocol/generated";
import { useSel } from "../context";
import { OnPicture, useDrag, WIDTH } from "./OnPicture";

/** Room around the picture for the handle at the corner, in px. */
const MARGIN = 7;
const ROOM = { width: WIDTH - 2 * MARGIN, height: 143 };

/** Height and width of the window in px of the input, 0: the whole. */
function windowOf(node: NodeView, size: readonly [number, number]): readonly [number, number] {
  const { crop } = node.arguments;
  const both = Array.isArray(crop) && crop.length >= 2 ? [Number(crop.at(-2)), Number(crop.at(-1))] : null;
  const height = firstNumber(node.arguments.crop_h, both?.[0] ?? firstNumber(crop, 0));
  const width = firstNumber(node.arguments.crop_w, both?.[1] ?? firstNumber(crop, 0));
  return [height || size[0], width || size[1]];
}

/** The window that a crop cuts, on its input: drag it to move it, drag its corner to change its size. */
export function CropWindow({ node, operator }: { readonly node: NodeView; readonly operator: Operator }) {
  const { set, grab, nudge, box } = useDrag(node.key);
  const source = node.inputs[0];
  const facts = useSel((s) => (source ? (previewOf(s, source.node, source.output)?.facts ?? "") : ""));
  const shown = useSel((s) => s.detail?.key === node.key && s.detail.has_input);
  const place = ["crop_pos_x", "crop_pos_y"].map((name) => argumentOf(operator, name));
  const wired = Object.keys(node.argument_inputs).some((name) => name.startsWith("crop"));
  const [height, width] = extentsIn(facts);
  if (place.includes(undefined) || wired || !shown || height === 0) return null;
  const [tall, wide] = windowOf(node, [height, width]);
  const x = firstNumber(node.arguments.crop_pos_x, 0.5);
  const y = firstNumber(node.arguments.crop_pos_y, 0.5);
  const room = contained(width, height, ROOM);
  const picture = { ...room, x: room.x + MARGIN, y: room.y + MARGIN };
  const scale = room.width / width;
  const left = x * (width - wide);
  const top = y * (height - tall);
  const share = (px: number, rest: number) =>
    rest > 0 ? Math.min(1, Math.max(0, Number((px / rest).toFixed(4)))) : 0.5;
  /** The window `dx`, `dy` px of the input further. */
  const move = (dx: number, dy: number) =>
    set({ crop_pos_x: share(left + dx, width - wide), crop_pos_y: share(top + dy, height - tall) });
  const resize = (dx: number, dy: number) => {
    // the corner that stays lies on a pixel, so that the other one reaches the edge
    const [fromX, fromY] = [Math.round(left), Math.round(top)];
    const w = Math.round(Math.min(width - fromX, Math.max(8, wide + dx)));
    const h = Math.round(Math.min(height - fromY, Math.max(8, tall + dy)));
    const { crop } = node.arguments;
    // as it is given: before both may be a depth
    const size = crop === undefined ? { crop_h: h, crop_w: w } : { crop: [...[crop].flat().slice(0, -2), h, w] };
    set({ ...size, crop_pos_x: share(fromX, width - w), crop_pos_y: share(fromY, height - h) });
  };
  return (
    <OnPicture
      title="Window"
      note={`${tall}×${wide} of ${height}×${width}`}
      id={DETAIL_IN}
      label={`input of ${node.key}`}
      height={ROOM.height + 2 * MARGIN}
      at={picture}
      box={box}
    >
      <div
        className="ds-window-frame"
        role="slider"
        tabIndex={0}
        aria-label="Window; arrow keys move it by one pixel"
        aria-valuenow={x}
        aria-valuetext={`${Math.round(x * 100)} % from the left, ${Math.round(y * 100)} % from the top`}
        style={{
          left: picture.x + left * scale,
          top: picture.y + top * scale,
          width: Math.max(4, wide * scale),
          height: Math.max(4, tall * scale),
        }}
        data-testid="window"
        onPointerDown={(e) => grab(e, (dx, dy) => move(dx / scale, dy / scale))}
        onKeyDown={(e) => nudge(e, move)}
      >
        <i
          className="ds-handle"
          data-testid="window-corner"
          onPointerDown={(e) => grab(e, (dx, dy) => resize(dx / scale, dy / scale))}
        />
      </div>
    </OnPicture>
  );
}
