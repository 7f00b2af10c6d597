import { useEffect, useRef } from "react";
import { cut, shared } from "../../core/format";
import { derived, resultName } from "../../core/select";
import { useSel } from "../context";

const pen = document.createElement("canvas").getContext("2d");
type Cut = readonly [text: string, start: string, end: string];
const texts = new WeakMap<Element, Cut>();

export const sharedParts = derived(
  (s) => [s.graph],
  (s): readonly [start: string, end: string] => [
    shared(s.graph?.nodes.map((n) => n.key) ?? [], /^[a-z]+(?=[\d_])/i),
    shared(s.graph?.outputs.map((ref) => resultName(s, ref)) ?? [], /_[a-z]+\d*$/i),
  ],
);
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) fit(target);
});

/** Leave out as much of the middle as it takes: the style sheet's ellipsis would leave a gap before the end. */
function fit(target: Element): void {
  const [text, start, end] = texts.get(target) ?? [];
  const node = target.firstChild as Text | null;
  if (text === undefined || !node || !pen) return;
  if (node.data !== text) node.data = text; // what is only as wide as its words has all the room again
  // its `font` is empty where figures are tabular
  const { fontWeight, fontSize, fontFamily, paddingRight } = getComputedStyle(target);
  pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  const room = target.clientWidth + 0.5 - Number.parseFloat(paddingRight);
  const fits = (words: string) => pen.measureText(words).width <= room;
  let words = text;
  for (let kept = text.length - 1; kept > 0 && !fits(words); kept--) words = cut(text, kept, start, end);
  if (node.data !== words) node.data = words;
  target.toggleAttribute("data-cut", words !== text); // where it then takes what room comes, it is fitted again
}

interface Props {
  readonly text: string;
  readonly title?: string;
  /** Whether it is that of a result, which stands beside those of the others. */
  readonly result?: boolean;
}

/** A name; a long one loses what most others have, too, else its middle, since names that differ mostly do so at their ends. */
export function Name({ text, title, result = false }: Props) {
  const element = useRef<HTMLElement>(null);
  const [start, last] = useSel(sharedParts);
  const end = result ? last : "";
  useEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    texts.set(target, [text, start, end]);
    fit(target);
    observer.observe(target);
    return () => observer.unobserve(target);
  }, [text, start, end]);
  return (
    <b ref={element} title={title}>
      {text}
    </b>
  );
}
