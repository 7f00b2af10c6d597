import type { ReactNode } from "react";
import * as format from "../core/format";
import { boxFacts, Halves, type HalvesProps } from "./Halves";

interface Props extends HalvesProps {
  readonly title: ReactNode;
  readonly gpu: boolean;
  readonly moves: boolean;
  /** In ms, 0 before it was measured. */
  readonly time: number;
}

/** What a tile has on it, in the designer and in the gallery. */
export function TileFace({ title, gpu, moves, time, ...picture }: Props) {
  return (
    <>
      <Halves {...picture} />
      <span className="ds-tile-title">
        {title}
        {!gpu && <em className="ds-device ds-device-cpu">cpu</em>}
      </span>
      <span className="ds-tile-facts">
        {boxFacts(moves)}
        <span>{time > 0 ? format.time(time) : "…"}</span>
      </span>
    </>
  );
}
