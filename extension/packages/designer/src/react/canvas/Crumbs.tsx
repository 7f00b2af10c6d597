import { pathOf } from "../../core/inside";
import { leaveTo } from "../boxes";
import { useSel, useSession } from "../context";

/** The subgraphs that are entered, and the way back. */
export function Crumbs() {
  const session = useSession();
  const titles = useSel((s) => [
    s.graph?.name ?? "",
    ...pathOf(s).flatMap((name) => (s.marks[name]?.type === "group" ? s.marks[name].title : [])),
  ]);
  const last = titles.length - 1;
  if (last === 0) return null;
  return (
    <nav className="ds-crumbs ds-zoom-group" aria-label="Entered subgraphs" data-testid="crumbs">
      {titles.map((title, depth) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: a title is its place
          key={depth}
          type="button"
          className="ds-zoom-value"
          aria-current={depth === last ? "location" : undefined}
          disabled={depth === last}
          onClick={() => leaveTo(session, depth)}
        >
          {title}
        </button>
      ))}
    </nav>
  );
}
