import { useEffect, useRef, useState } from "react";
import { nameProblem } from "../../core/edits";
import { useSel, useSession } from "../context";

interface Props {
  readonly nodeKey: string;
  readonly onDone?: () => void;
}

/** The name of a node as a field: Enter takes it, Esc leaves the old one. */
export function RenameField({ nodeKey, onDone }: Props) {
  const session = useSession();
  const taken = useSel((s) =>
    (s.graph?.nodes ?? [])
      .map((n) => n.key)
      .filter((k) => k !== nodeKey)
      .join(" "),
  );
  const [text, setText] = useState(nodeKey);
  const ref = useRef<HTMLInputElement>(null);
  const problem = nameProblem(text, new Set(taken.split(" ")));
  useEffect(() => {
    ref.current?.focus();
    ref.current?.select();
  }, []);
  const finish = (take: boolean) => {
    if (take && !problem && text !== nodeKey) session.rename(nodeKey, text);
    else session.view({ renaming: false });
    onDone?.();
  };
  return (
    <input
      ref={ref}
      className={`ds-rename nodrag nopan ${problem ? "ds-bad" : ""}`}
      value={text}
      aria-label="Name of the node"
      aria-invalid={problem !== ""}
      title={problem}
      data-testid="rename"
      onChange={(e) => setText(e.target.value)}
      onBlur={() => finish(true)}
      onKeyDown={(e) => {
        e.stopPropagation();
        if (e.key === "Enter" && !problem) finish(true);
        if (e.key === "Escape") finish(false);
      }}
    />
  );
}
