import { type RefObject, useEffect, useRef, useState } from "react";

interface Room<E> {
  readonly box: RefObject<E>;
  readonly width: number;
  readonly height: number;
}

/** Width and height in px, as they change, of an element, or of what is `around` it. */
export function useRoom<E extends Element = HTMLDivElement>(first: number, around = "*"): Room<E> {
  const box = useRef<E>(null);
  const [size, setSize] = useState({ width: first, height: 0 });
  useEffect(() => {
    const element = box.current?.closest(around);
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, [around]);
  return { box, ...size };
}
