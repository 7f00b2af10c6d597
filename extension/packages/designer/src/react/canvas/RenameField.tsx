import { useLayoutEffect, useRef, useState } from "react";
import { nameProblem } from "../../core/edits";
import { useFrame, useSel } from "../context";

interface Props {
  readonly nodeKey: string;
  readonly onDone?: () => void;
}

/** The name of a node as a field: Enter takes it, Esc leaves the old one. */
export function RenameField({ nodeKey, onDone }: Props) {
  const { session, root } = useFrame();
  const taken = useSel((s) =>
    (s.graph?.nodes ?? [])
      .map((n) => n.key)
      .filter((k) => k !== nodeKey)
      .join(" "),
  );
  const [text, setText] = useState(nodeKey);
  const ref = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  const problem = nameProblem(text, new Set(taken.split(" ")));
  useLayoutEffect(() => {
    ref.current?.focus();
    ref.current?.select();
  }, []);
  const finish = (take: boolean, byKey: boolean) => {
    if (done.current) return;
    done.current = true;
    // The field goes, and would leave the keys with the page.
    if (byKey) root.querySelector<HTMLElement>(".ds-canvas")?.focus({ preventScroll: true });
    if (take && !problem && text !== nodeKey) session.rename(nodeKey, text);
    else session.view({ renaming: false });
    onDone?.();
  };
  return (
    <span className="ds-rename-box">
      <input
        ref={ref}
        className={`ds-rename nodrag nopan ${problem ? "ds-bad" : ""}`}
        value={text}
        aria-label="Name of the node"
        aria-invalid={problem !== ""}
        data-testid="rename"
        onChange={(e) => setText(e.target.value)}
        onBlur={() => finish(true, false)}
        onKeyDown={(e) => {
          e.stopPropagation();
          if (e.key === "Enter" && !problem) finish(true, true);
          if (e.key === "Escape") finish(false, true);
        }}
      />
      {problem && (
        <span className="ds-rename-problem" role="alert" data-testid="rename-problem">
          {problem}
        </span>
      )}
    </span>
  );
}
