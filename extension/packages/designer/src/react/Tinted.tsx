import { memo } from "react";
import { tint } from "./tint";

function TintedView({ line }: { readonly line: string }) {
  return tint(line).map(({ text, tint }, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line have no other identity
    <span key={i} className={tint ? `ds-t-${tint}` : undefined}>
      {text}
    </span>
  ));
}

/** A line of Python, tinted. */
export const Tinted = memo(TintedView);
