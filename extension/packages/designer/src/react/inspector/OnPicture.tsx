import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from "react";
import { ARROWS } from "../../core/arrows";
import type { Rect } from "../../core/route";
import type { Value } from "../../protocol/generated";
import { Thumb } from "../canvas/Thumb";
import { useSession } from "../context";
import { Section } from "../parts";
import { useGesture } from "./field";

/** By how much something is to be moved, in px of the screen or steps of the keyboard. */
type Move = (dx: number, dy: number, event: PointerEvent | KeyboardEvent) => void;

/** Setting arguments of a node by what is dragged on a picture: a drag, or a burst of keys, is one undo step. */
export function useDrag(key: string) {
  const session = useSession();
  const gesture = useGesture();
  const [held, setHeld] = useState<{ readonly x: number; readonly y: number; readonly move: Move } | null>(null);
  const release = () => setHeld(null);
  return {
    dragging: held !== null,
    /** An argument without a value returns to its default. */
    set: (values: Readonly<Record<string, Value | undefined>>) =>
      session.edit(
        Object.entries(values).map(([argument, value]) => ({
          type: "set_argument" as const,
          key,
          argument,
          ...(value === undefined ? { unset: true } : { value }),
        })),
        { gesture: `${key}.picture.${gesture.name()}` },
      ),
    grab: (event: PointerEvent, move: Move) => {
      event.stopPropagation();
      gesture.begin();
      event.currentTarget.setPointerCapture(event.pointerId);
      setHeld({ x: event.clientX, y: event.clientY, move });
    },
    /** Arrow keys are steps of 1, with Shift of 0.1, with Ctrl of 10. */
    nudge: (event: KeyboardEvent, move: Move) => {
      const [dx, dy] = ARROWS[event.key] ?? [];
      if (dx === undefined || dy === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      const by = event.shiftKey ? 0.1 : event.ctrlKey ? 10 : 1;
      move(dx * by, dy * by, event);
    },
    box: {
      onPointerMove: (event: PointerEvent) => held?.move(event.clientX - held.x, event.clientY - held.y, event),
      onPointerUp: release,
      onLostPointerCapture: release,
    },
  };
}

/** Width of the box, in px. */
export const WIDTH = 251;

/** A large picture with something on it that can be dragged. */
export function OnPicture(props: {
  readonly title: string;
  readonly note: string;
  readonly id: string;
  readonly label: string;
  readonly height: number;
  /** Where the picture is. */
  readonly at: Rect;
  readonly box: ReturnType<typeof useDrag>["box"];
  readonly children: ReactNode;
}) {
  return (
    <Section title={props.title} note={props.note}>
      <div className="ds-window" style={{ height: props.height }} {...props.box}>
        <Thumb id={props.id} width={WIDTH} height={props.height} at={props.at} label={props.label} />
        {props.children}
      </div>
    </Section>
  );
}
