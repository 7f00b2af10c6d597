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
const observer = new ResizeObserver((entries) => fit(entries.map((entry) => entry.target)));

/** How much of the middle goes, in px that are measured: the style sheet's ellipsis would leave a gap before the end. */
function fit(targets: readonly Element[]): void {
  let open = targets.flatMap((target) => {
    const [named, words] = [texts.get(target), target.firstChild as Text | null];
    return named && words ? [{ target, named, words, fits: (_: string): boolean => true }] : [];
  });
  // As it is, then as the style sheet makes room for it. All are written before one is measured, which lays out the page.
  for (const again of [false, true]) {
    for (const { target, named, words } of open) {
      if (words.data !== named[0]) words.data = named[0];
      target.toggleAttribute("data-cut", again);
    }
    for (const one of open) {
      // its `font` is empty where figures are tabular
      const { fontWeight, fontSize, fontFamily, paddingRight } = getComputedStyle(one.target);
      const room = one.target.clientWidth + 0.5 - Number.parseFloat(paddingRight);
      one.fits = (words) => {
        if (pen) pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
        return !pen || pen.measureText(words).width <= room;
      };
    }
    open = open.filter(({ named, fits }) => !fits(named[0]));
  }
  for (const { named, words, fits } of open) {
    const [text, start, end] = named;
    let short = text;
    for (let kept = text.length - 1; kept > 0 && !fits(short); kept--) short = cut(text, kept, start, end);
    words.data = short;
  }
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
    observer.observe(target); // which tells of it before it is painted
    return () => observer.unobserve(target);
  }, [text, start, end]);
  return (
    <b ref={element} title={title}>
      {text}
    </b>
  );
}
