import { useEffect } from "react";
import { nodeOf } from "../core/graph";
import { hasPicture, previewOf } from "../core/select";
import { effectsOf, type State } from "../core/state";
import type { PortRef } from "../protocol/generated";
import { useSel, useSession } from "./context";
import { PICTURE, tileRatio } from "./Halves";

/** Time in ms in which edits, and what comes into view, are gathered for one request. */
const GATHER = 120;

function isImage({ graph }: State, port: PortRef | null | undefined): boolean {
  return nodeOf(graph, port?.node ?? "")?.output_kinds[port?.output ?? 0] === "image";
}

/** Whether a tile would show a picture enlarged more than twice. */
function isSmall(state: State, { node }: PortRef): boolean {
  const [height = 0, width = 0] = (previewOf(state, node)?.facts ?? "").split("×").map(Number.parseFloat);
  return 2 * Math.max(height, width) < PICTURE.width;
}

/** The picture that operators are shown on, none that is too small if there is another one: of the selected node if it has one, else what the pipeline returns first, else the last one there is; null while there is none. */
export function pictured(state: State): PortRef | null {
  const ends = [...(state.graph?.nodes ?? [])].reverse().map((n) => ({ node: n.key, output: 0 }));
  const chosen = { node: state.view.selection[0] ?? "", output: 0 };
  const all = [chosen, ...(state.graph?.outputs ?? []), ...ends];
  const shown = all.filter((port) => isImage(state, port) && hasPicture(state, port.node));
  return shown.find((port) => !isSmall(state, port)) ?? shown[0] ?? null;
}

/** Ask what operators would make of a picture; those that were asked for last are made. True once all are there. */
export function useEffectPictures(port: PortRef | null, operators: readonly string[]): boolean {
  const session = useSession();
  const { node = "", output = 0 } = port ?? {};
  const names = operators.join(" ");
  const of = useSel((s) => {
    const ref = { node, output };
    return isImage(s, ref) ? effectsOf(ref, { ...s, revision: s.confirmed?.revision ?? 0 }) : "";
  });
  const done = useSel((s) => of !== "" && names.split(" ").every((name) => s.effects[name]?.of === of));
  const shared = useSel((s) => s.view.quickAdd !== null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what another part asked for meanwhile came in place of this
  useEffect(() => {
    if (!of || !names) return undefined;
    const wait = setTimeout(() => {
      const { effects } = session.store.get();
      const missing = names.split(" ").filter((name) => effects[name]?.of !== of);
      const { width, height } = PICTURE;
      const size = { width: Math.round(width * tileRatio()), height: Math.round(height * tileRatio()) };
      if (missing.length > 0)
        session.send({ type: "request_effects", port: { node, output }, operators: missing, ...size });
    }, GATHER);
    return () => clearTimeout(wait);
  }, [session, of, names, node, output, shared]);
  return done;
}
