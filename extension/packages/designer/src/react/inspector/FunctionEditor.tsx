import { useEffect, useRef, useState } from "react";
import type { NodeCode } from "../../protocol/generated";
import { useSel, useSession } from "../context";
import { CloseButton, IconButton, Section, SmallButton, worded } from "../parts";
import { CodeArea } from "./CodeArea";
import { useFinding } from "./FieldRow";

/** The function of a code node. It runs when its user says so, and not before. */
export function FunctionEditor({ nodeKey, code }: { readonly nodeKey: string; readonly code: NodeCode }) {
  const session = useSession();
  const { source, trusted, module } = code;
  const text = useSel((s) => s.written[nodeKey]) ?? source;
  const [running, setRunning] = useState(false);
  /** What was run last, which is not the node's where it was refused. */
  const [tried, setTried] = useState("");
  const answer = useSel((s) => [s.confirmed, s.refused] as const);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever comes back is the answer
  useEffect(() => setRunning(false), [answer]);
  const found = useFinding(nodeKey, "function");
  const same = text === source;
  // the node has nothing of a text that was refused
  const said = same ? found : (text === tried && answer[1].find((d) => !d.node)?.message) || "";
  const apply = () => {
    setRunning(true);
    setTried(text);
    session.runFunction(nodeKey, text);
  };
  const dialog = useRef<HTMLDialogElement>(null);
  const enlarge = () => {
    dialog.current?.removeAttribute("open");
    dialog.current?.showModal();
    dialog.current?.querySelector("textarea")?.focus();
  };
  return (
    <dialog
      ref={dialog}
      open
      className="ds-dialog ds-code-node"
      aria-label={`Code of ${nodeKey}`}
      onClose={(e) => e.currentTarget.setAttribute("open", "")}
    >
      <Section
        title="Code"
        note={
          <>
            {module && `${module}.py`}
            <IconButton icon="expand" label="Large editor" small testId="enlarge-function" onClick={enlarge} />
            <CloseButton onClick={() => dialog.current?.close()} />
          </>
        }
      >
        {!trusted && <p className="ds-muted">This code came with the document. Read it before you trust it.</p>}
        <CodeArea
          value={text}
          label={`Code of ${nodeKey}`}
          testId="function-code"
          onValue={(value) => session.keepWritten(nodeKey, value)}
          onApply={apply}
          wrong={Number(/line (\d+)/.exec(said)?.[1] ?? -1)}
        />
        <SmallButton
          primary
          data-testid="apply-function"
          disabled={running || (module !== "" && same && !said)}
          onClick={apply}
        >
          {running ? "Running…" : trusted ? "Run this code" : "Trust this code, and run it"}
        </SmallButton>
        {said && <p className="ds-reason">{worded(said)}</p>}
        {trusted && !(same || running) && <p className="ds-muted">The node still has the code that ran before.</p>}
      </Section>
    </dialog>
  );
}
