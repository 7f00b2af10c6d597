import { useState } from "react";
import type { NodeCode } from "../../protocol/generated";
import { useSession } from "../context";
import { Section } from "../parts";

/** What an empty editor begins with. */
const TEMPLATE = `import numpy as np


def change(image):
    """An array of each input, of NumPy or on a GPU of CuPy."""
    return np.clip(image * 1.2, 0, 255).astype(image.dtype)
`;

/** The function of a code node. It runs when its user says so, and not before. */
export function FunctionEditor({ nodeKey, code }: { readonly nodeKey: string; readonly code: NodeCode }) {
  const session = useSession();
  const [draft, setDraft] = useState<string | null>(null);
  const { source, trusted, module } = code;
  const text = draft ?? (source || TEMPLATE);
  const apply = () => session.send({ type: "apply_function", key: nodeKey, source: text });
  return (
    <Section title="Code" note={module && `${module}.py`}>
      {!trusted && <p className="ds-muted">This code came with the document. Read it before you trust it.</p>}
      <textarea
        className="ds-input ds-function"
        aria-label={`Code of ${nodeKey}`}
        data-testid="function-code"
        rows={Math.min(18, Math.max(6, text.split("\n").length + 1))}
        spellCheck={false}
        value={text}
        onChange={(e) => setDraft(e.target.value)}
        onKeyDown={(e) => {
          if (e.key !== "Enter" || !(e.ctrlKey || e.metaKey)) return;
          e.preventDefault();
          e.stopPropagation();
          apply();
        }}
      />
      <button
        type="button"
        className="ds-button ds-button-small"
        data-testid="apply-function"
        disabled={trusted && text === source}
        onClick={apply}
      >
        {trusted ? "Run this code" : "Trust this code, and run it"}
      </button>
    </Section>
  );
}
