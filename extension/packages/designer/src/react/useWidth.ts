import { type RefObject, useEffect, useRef, useState } from "react";

/** Width of an element in px, as it changes. */
export function useWidth(first: number): { readonly box: RefObject<HTMLDivElement>; readonly width: number } {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(first);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { box, width };
}
