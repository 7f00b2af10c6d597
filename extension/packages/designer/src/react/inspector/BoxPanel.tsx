import * as format from "../../core/format";
import { pathOf } from "../../core/inside";
import { chanceOf } from "../../core/probability";
import { operatorOf, timingOf } from "../../core/select";
import { type Box, exposeMarks, labelOf, offeredOf, operatorsOf, rankOf } from "../../core/subgraph";
import type { NodeView } from "../../protocol/generated";
import { enterBox, leaveTo, toggleBox } from "../boxes";
import { useSel, useSession } from "../context";
import { Tile } from "../icons";
import { CloseButton, Section, SmallButton } from "../parts";
import { FieldRow } from "./FieldRow";
import { ProbabilityRow } from "./ProbabilityRow";

function ExposedField({ box, nodeKey, argument }: { box: Box; nodeKey: string; argument: string }) {
  const node = box.nodes.find((n) => n.key === nodeKey);
  const schema = useSel((s) => operatorOf(s, node)?.arguments.find((a) => a.name === argument));
  return node && schema ? <FieldRow node={node} argument={schema} label={labelOf(node, argument)} /> : null;
}

/** Arguments of an inner node: those with a check mark are on the box. */
function InnerNode({ box, node }: { readonly box: Box; readonly node: NodeView }) {
  const session = useSession();
  const operator = useSel((s) => operatorOf(s, node));
  const time = useSel((s) => format.time(timingOf(s, node.key)?.milliseconds));
  const all = operator?.arguments.filter((a) => a.support === "used" && a.widget !== "none") ?? [];
  const shown = new Set(box.group.exposed.flatMap(([key, name]) => (key === node.key ? [name] : [])));
  return (
    <details className="ds-inner" data-testid={`inner-${node.key}`}>
      <summary>
        <b>{node.key}</b> <span className="ds-muted">{time === "–" ? format.called(node.operator) : time}</span>
      </summary>
      {all.map((a) => (
        <label key={a.name}>
          <input
            type="checkbox"
            checked={shown.has(a.name)}
            data-testid={`expose-${node.key}-${a.name}`}
            onChange={() => session.edit([], { marks: exposeMarks(box, node.key, a.name) })}
          />
          {a.name}
        </label>
      ))}
    </details>
  );
}

/** A subgraph that is collapsed or entered: its name, the arguments that it shows, and what is in it. */
export function BoxPanel({ box }: { readonly box: Box }) {
  const session = useSession();
  const coin = useSel((s) => s.confirmed?.coins[box.name]);
  const offered = offeredOf(box, coin);
  const depth = useSel((s) => pathOf(s).length);
  const chance = useSel((s) => chanceOf(s, box));
  const entered = useSel((s) => pathOf(s).includes(box.name));
  // numbers on the way, such as constants and sizes, are seldom what is set from outside
  const listed = (isMain: boolean) =>
    operatorsOf(box)
      .filter((n) => rankOf(n, coin) < 2 === isMain)
      .map((n) => <InnerNode key={n.key} box={box} node={n} />);
  const others = listed(false);
  return (
    <>
      <div className="ds-inspector-head">
        <Tile name="group" size={14} />
        <div>
          <input
            key={box.group.title}
            className="ds-input"
            aria-label="Name of the subgraph"
            data-testid="box-title"
            defaultValue={box.group.title}
            onBlur={(e) => {
              const title = e.currentTarget.value.trim();
              if (title && title !== box.group.title)
                session.edit([], { marks: { [box.name]: { ...box.group, title } } });
            }}
            onKeyDown={(e) => e.key === "Enter" && e.currentTarget.blur()}
          />
          <small>{box.group.about || "a function of the program"}</small>
        </div>
        {!entered && <CloseButton onClick={() => session.select([])} />}
      </div>
      {offered.length > 0 && (
        <Section title="Arguments">
          {offered.map(([key, argument]) => (
            <ExposedField key={`${key}.${argument}`} box={box} nodeKey={key} argument={argument} />
          ))}
        </Section>
      )}
      {chance && <ProbabilityRow node={chance} box={box} />}
      <Section title="Operators, and what its box shows">
        {listed(true)}
        {others[0] && (
          <details className="ds-inner">
            <summary>{format.plural(others.length, "other operator")}</summary>
            {others}
          </details>
        )}
      </Section>
      <div className="ds-buttons">
        {entered ? (
          <SmallButton onClick={() => leaveTo(session, depth - 1)}>Close</SmallButton>
        ) : (
          <>
            <SmallButton data-testid="enter-box" onClick={() => enterBox(session)}>
              Open
            </SmallButton>
            <SmallButton data-testid="expand-box" onClick={() => toggleBox(session)}>
              Expand
            </SmallButton>
          </>
        )}
      </div>
    </>
  );
}
