import { useEffect, useRef } from "react";
import { cut } from "../../core/format";

const pen = document.createElement("canvas").getContext("2d");
const texts = new WeakMap<Element, string>();
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) fit(target);
});

/** Leave out as much of the middle as it takes: the style sheet's ellipsis would leave a gap before the end. */
function fit(target: Element): void {
  const text = texts.get(target);
  const node = target.firstChild as Text | null;
  if (text === undefined || !node || !pen) return;
  if (node.data !== text) node.data = text; // what is only as wide as its words has all the room again
  // its `font` is empty where figures are tabular
  const { fontWeight, fontSize, fontFamily, paddingRight } = getComputedStyle(target);
  pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  const room = target.clientWidth + 0.5 - Number.parseFloat(paddingRight);
  const fits = (words: string) => pen.measureText(words).width <= room;
  let words = text;
  for (let kept = text.length - 1; kept > 0 && !fits(words); kept--) words = cut(text, kept);
  if (node.data !== words) node.data = words;
}

/** A name; a long one loses its middle, since names that differ mostly do so at their ends. */
export function Name({ text, title }: { readonly text: string; readonly title?: string }) {
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    texts.set(target, text);
    fit(target);
    observer.observe(target);
    return () => observer.unobserve(target);
  }, [text]);
  return (
    <b ref={element} title={title}>
      {text}
    </b>
  );
}
