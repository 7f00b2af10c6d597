import { useState } from "react";
import type { NodeCode } from "../../protocol/generated";
import { useSession } from "../context";
import { Section, SmallButton } from "../parts";
import { CodeArea } from "./CodeArea";
import { useFinding } from "./FieldRow";

/** The function of a code node. It runs when its user says so, and not before. */
export function FunctionEditor({ nodeKey, code }: { readonly nodeKey: string; readonly code: NodeCode }) {
  const session = useSession();
  const [draft, setDraft] = useState<string | null>(null);
  const { source, trusted, module } = code;
  const text = draft ?? source;
  const found = useFinding(nodeKey, "function");
  const said = text === source ? found : "";
  const apply = () => session.send({ type: "apply_function", key: nodeKey, source: text });
  return (
    <Section title="Code" note={module && `${module}.py`}>
      {!trusted && <p className="ds-muted">This code came with the document. Read it before you trust it.</p>}
      <CodeArea
        value={text}
        label={`Code of ${nodeKey}`}
        testId="function-code"
        onValue={setDraft}
        onApply={apply}
        wrong={Number(/line (\d+)/.exec(said)?.[1] ?? -1)}
      />
      {said && <p className="ds-reason">{said}</p>}
      <SmallButton data-testid="apply-function" disabled={module !== "" && text === source} onClick={apply}>
        {trusted ? "Run this code" : "Trust this code, and run it"}
      </SmallButton>
    </Section>
  );
}
