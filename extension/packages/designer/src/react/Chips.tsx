interface Props {
  readonly names: readonly string[];
  readonly chosen: string;
  readonly testId: string;
  readonly onChoose: (name: string) => void;
}

/** Kinds, of which one is shown; the empty one is all. */
export function Chips({ names, chosen, testId, onChoose }: Props) {
  return (
    <fieldset className="ds-chips" aria-label="Kinds">
      {["", ...names].map((name) => (
        <button
          key={name}
          type="button"
          className="ds-chip"
          aria-pressed={chosen === name}
          data-testid={`${testId}-${name || "All"}`}
          onClick={() => onChoose(name)}
        >
          {name || "All"}
        </button>
      ))}
    </fieldset>
  );
}
