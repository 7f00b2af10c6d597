import * as format from "../../core/format";
import { nodeOf, OUTPUTS } from "../../core/graph";
import { chanceOf } from "../../core/probability";
import { operatorOf } from "../../core/select";
import { expandedBox } from "../../core/subgraph";
import { ALIGN, arrange } from "../ContextMenu";
import { useCanvasApi } from "../canvasApi";
import { COMMANDS } from "../commands";
import { useFrame, useSel } from "../context";
import { CloseButton, Section, SmallButton } from "../parts";
import { FieldRow } from "./FieldRow";
import { ProbabilityRow } from "./ProbabilityRow";

/** What is done to several nodes at once. */
const BUTTONS: Readonly<Record<string, string>> = {
  compare: "Compare",
  group: "Group",
  collapse: "One box",
  bypass: "Bypass",
};

/** Several nodes: where they stand, and the arguments that all of them have. */
export function SeveralPanel() {
  const frame = useFrame();
  const { session } = frame;
  const api = useCanvasApi();
  const scope = { ...frame, api: api.current };
  const nodes = useSel((s) => s.view.selection.flatMap((key) => nodeOf(s.graph, key) ?? []));
  const chosen = useSel((s) => s.view.selection);
  const results = chosen.includes(OUTPUTS);
  const box = useSel(expandedBox);
  const chance = useSel((s) => box && chanceOf(s, box));
  const operators = new Set(nodes.map((n) => n.operator));
  const [first, ...others] = nodes;
  const operator = useSel((s) => operatorOf(s, first));
  const wired = new Set(nodes.flatMap((n) => Object.keys(n.argument_inputs)));
  const shared =
    operators.size === 1 && operator
      ? operator.arguments.filter((a) => a.support === "used" && a.widget !== "none" && !wired.has(a.name))
      : [];
  return (
    <>
      <div className="ds-inspector-head">
        <div>
          <b>
            {format.plural(chosen.length - Number(results), "node")}
            {results && " and outputs"}
          </b>
          <small>{operators.size === 1 ? `all of them fn.${first?.operator}` : "Ctrl+D duplicates, Del removes"}</small>
        </div>
        <CloseButton onClick={() => session.select([])} />
      </div>
      <div className="ds-buttons">
        {COMMANDS.filter(({ id, can }) => BUTTONS[id] && (!can || can(session.store.get()))).map((command) => (
          <SmallButton
            key={command.id}
            title={[command.about, command.keys[0]].filter(Boolean).join(", ")}
            data-testid={`several-${command.id}`}
            onClick={() => command.run(scope)}
          >
            {BUTTONS[command.id]}
          </SmallButton>
        ))}
      </div>
      {box && chance && <ProbabilityRow node={chance} box={box} />}
      <Section title="Align">
        <div className="ds-aligns">
          {ALIGN.map(([how, title, path]) => (
            <button
              key={how}
              type="button"
              className="ds-icon-button"
              title={title}
              aria-label={title}
              disabled={chosen.length < (/across|down/.test(how) ? 3 : 2)}
              data-testid={`align-${how}`}
              onClick={() => arrange(scope, how)}
            >
              <svg className="ds-icon" viewBox="0 0 16 16" width="14" height="14" fill="none" aria-hidden="true">
                <path d={path} />
              </svg>
            </button>
          ))}
        </div>
      </Section>
      {first && shared.length > 0 && (
        <Section title="Set for all of them">
          {shared.slice(0, 16).map((a) => (
            <FieldRow key={a.name} node={first} argument={a} others={others.map((n) => n.key)} />
          ))}
        </Section>
      )}
    </>
  );
}
