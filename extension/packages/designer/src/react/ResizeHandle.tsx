import { useEffect, useRef } from "react";
import { useFrame } from "./context";

const MIN = 480;

/** The lower edge: drag it, or use the arrow keys, to change the widget's height. */
export function ResizeHandle({ onHeight }: { readonly onHeight: (height: number, done: boolean) => void }) {
  const { root } = useFrame();
  const handle = useRef<HTMLDivElement>(null);
  // to ask for the height while cards are drawn would lay out a part of them
  useEffect(() => {
    const observer = new ResizeObserver(() =>
      handle.current?.setAttribute("aria-valuenow", `${Math.round(root.clientHeight)}`),
    );
    observer.observe(root);
    return () => observer.disconnect();
  }, [root]);
  const start = useRef<{ y: number; height: number } | null>(null);
  const height = (y: number) => Math.max(MIN, Math.round((start.current?.height ?? 0) + y - (start.current?.y ?? 0)));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that moves has no element of its own
    <div
      ref={handle}
      className="ds-resize"
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the designer"
      aria-valuenow={MIN}
      aria-valuemin={MIN}
      tabIndex={0}
      data-testid="resize"
      onPointerDown={(e) => {
        e.currentTarget.setPointerCapture(e.pointerId);
        start.current = { y: e.clientY, height: root.clientHeight };
      }}
      onPointerMove={(e) => start.current && onHeight(height(e.clientY), false)}
      onPointerUp={(e) => {
        if (start.current) onHeight(height(e.clientY), true);
        start.current = null;
      }}
      onKeyDown={(e) => {
        const step = e.key === "ArrowDown" ? 20 : e.key === "ArrowUp" ? -20 : 0;
        if (step === 0) return;
        e.preventDefault();
        e.stopPropagation();
        onHeight(Math.max(MIN, root.clientHeight + step), true);
      }}
    />
  );
}
