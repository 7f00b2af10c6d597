import { type PointerEvent, useRef } from "react";
import { argumentOf, type Operator } from "../../core/catalog";
import { contained } from "../../core/pixels";
import { previewOf } from "../../core/select";
import { DETAIL_IN } from "../../core/session";
import type { Edit, NodeView, Value } from "../../protocol/generated";
import { Thumb } from "../canvas/Thumb";
import { useSel, useSession } from "../context";
import { Section } from "../parts";
import { useGesture } from "./field";

const ROOM = { width: 251, height: 150 };

const first = (value: Value | undefined, otherwise: number): number => {
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === "number" ? one : otherwise;
};

/** Height and width of the window in px of the input, 0: the whole. */
function windowOf(node: NodeView, size: readonly [number, number]): readonly [number, number] {
  const { crop } = node.arguments;
  const both = Array.isArray(crop) && crop.length >= 2 ? [Number(crop.at(-2)), Number(crop.at(-1))] : null;
  const height = first(node.arguments.crop_h, both?.[0] ?? first(crop, 0));
  const width = first(node.arguments.crop_w, both?.[1] ?? first(crop, 0));
  return [height || size[0], width || size[1]];
}

/** The window that a crop cuts, on its input: drag it to move it, drag its corner to change its size. */
export function CropWindow({ node, operator }: { readonly node: NodeView; readonly operator: Operator }) {
  const session = useSession();
  const gesture = useGesture();
  const box = useRef<HTMLDivElement>(null);
  const held = useRef<{ x: number; y: number; left: number; top: number; corner: boolean } | null>(null);
  const source = node.inputs[0];
  const facts = useSel((s) => (source ? (previewOf(s, source.node, source.output)?.facts ?? "") : ""));
  const shown = useSel((s) => s.detail?.key === node.key && s.detail.has_input);
  const place = ["crop_pos_x", "crop_pos_y"].map((name) => argumentOf(operator, name));
  const wired = Object.keys(node.argument_inputs).some((name) => name.startsWith("crop"));
  const [height = 0, width = 0] = (/^(\d+)×(\d+)×\d+ /.exec(facts) ?? []).slice(1).map(Number);
  if (place.includes(undefined) || wired || !shown || height === 0) return null;
  const [tall, wide] = windowOf(node, [height, width]);
  const x = first(node.arguments.crop_pos_x, 0.5);
  const y = first(node.arguments.crop_pos_y, 0.5);
  const room = contained(width, height, ROOM);
  const scale = room.width / width;
  const left = room.x + x * (width - wide) * scale;
  const top = room.y + y * (height - tall) * scale;
  const set = (values: Readonly<Record<string, Value>>) => {
    const edits = Object.entries(values).map(
      ([argument, value]): Edit => ({ type: "set_argument", key: node.key, argument, value }),
    );
    const other: Edit[] =
      "crop_h" in values && node.arguments.crop !== undefined
        ? [{ type: "set_argument", key: node.key, argument: "crop", unset: true }]
        : [];
    session.edit([...other, ...edits], { gesture: `${node.key}.window.${gesture.name()}` });
  };
  const share = (px: number, rest: number) =>
    rest > 0 ? Math.min(1, Math.max(0, Number((px / rest).toFixed(3)))) : 0.5;
  const down = (event: PointerEvent<HTMLElement>, corner: boolean) => {
    event.stopPropagation();
    gesture.begin();
    box.current?.setPointerCapture(event.pointerId);
    held.current = { x: event.clientX, y: event.clientY, left, top, corner };
  };
  const onMove = (event: PointerEvent<HTMLElement>) => {
    const from = held.current;
    if (!from) return;
    const dx = (event.clientX - from.x) / scale;
    const dy = (event.clientY - from.y) / scale;
    if (from.corner) {
      const right = (from.left - room.x) / scale;
      const under = (from.top - room.y) / scale;
      const rect = event.currentTarget.getBoundingClientRect();
      const w = Math.round(Math.min(width - right, Math.max(8, (event.clientX - rect.left - from.left) / scale)));
      const h = Math.round(Math.min(height - under, Math.max(8, (event.clientY - rect.top - from.top) / scale)));
      set({ crop_h: h, crop_w: w, crop_pos_x: share(right, width - w), crop_pos_y: share(under, height - h) });
    } else {
      const px = (from.left - room.x) / scale + dx;
      const py = (from.top - room.y) / scale + dy;
      set({ crop_pos_x: share(px, width - wide), crop_pos_y: share(py, height - tall) });
    }
  };
  const nudge = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] } as const;
  return (
    <Section title="Window" note={`${tall}×${wide} of ${height}×${width}`}>
      <div
        ref={box}
        className="ds-window"
        onPointerMove={onMove}
        onPointerUp={() => {
          held.current = null;
        }}
      >
        <Thumb id={DETAIL_IN} {...ROOM} label={`input of ${node.key}`} />
        <div
          className="ds-window-frame"
          role="slider"
          tabIndex={0}
          aria-label="Window; arrow keys move it by one pixel"
          aria-valuenow={x}
          aria-valuetext={`${Math.round(x * 100)} % from the left, ${Math.round(y * 100)} % from the top`}
          style={{ left, top, width: Math.max(4, wide * scale), height: Math.max(4, tall * scale) }}
          data-testid="window"
          onPointerDown={(e) => down(e, false)}
          onKeyDown={(e) => {
            const by = nudge[e.key as keyof typeof nudge];
            if (!by) return;
            e.preventDefault();
            e.stopPropagation();
            set({
              crop_pos_x: share(x * (width - wide) + by[0], width - wide),
              crop_pos_y: share(y * (height - tall) + by[1], height - tall),
            });
          }}
        >
          <i data-testid="window-corner" onPointerDown={(e) => down(e, true)} />
        </div>
      </div>
    </Section>
  );
}
