import { isUnread, looseFiles, placeOf } from "../../core/data";
import { isAboutFile } from "../../core/failures";
import * as format from "../../core/format";
import { nodeOf } from "../../core/graph";
import { titleOf, toneOf } from "../../core/problems";
import { failShare, repairsOf } from "../../core/select";
import { returned, toldBy } from "../../core/statusMessage";
import type { Diagnostic } from "../../protocol/generated";
import { copyText } from "../clipboard";
import { useFrame, useSel, useSession } from "../context";
import { Icon } from "../icons";
import { IconButton, SmallButton, worded } from "../parts";
import { CopyReproduction, FailingFile, Remedies } from "./FailingFile";

export function reportText(d: Diagnostic): string {
  const lines = [
    `${d.code} ${titleOf(d)}`,
    d.message,
    d.hint,
    d.node && `node: ${d.node}${d.argument ? `, argument: ${d.argument}` : ""}`,
    typeof d.sample === "number" && `sample: ${d.sample + 1}`,
    d.source && `source: ${d.source}`,
    d.detail && `\n${d.detail}`,
  ];
  return lines.filter(Boolean).join("\n");
}

/** Its words, its name for tests, whether it is the first choice, and what it does. */
type Button = readonly [string, string | undefined, boolean, () => void];

interface ActionsProps {
  readonly finding: Diagnostic;
  readonly testId?: string;
  /** Whether what does not repair stands elsewhere. */
  readonly bare?: boolean;
}

/** Buttons that take a problem away, and one that copies the smallest program that has it. */
export function Actions({ finding, testId, bare = false }: ActionsProps) {
  const session = useSession();
  const repairs = useSel((s) => repairsOf(s, finding));
  const unread = useSel((s) => isUnread(s, finding));
  const { node, argument } = finding;
  const fix = useSel((s) => finding.code === "DS205" && returned(s));
  const back = useSel(
    (s) =>
      ((repairs.length === 0 && !fix) || unread || finding.code === "DS105") &&
      (argument || !isAboutFile(finding)) &&
      toneOf(finding) === "error" &&
      !s.ailing.includes(finding.node ?? "") &&
      s.confirmed?.can_undo,
  );
  const files = looseFiles(finding);
  const most = finding.code === "DS105" && /se at most ([1-9]\d*)/.exec(`${finding.message} ${finding.hint}`)?.[1];
  const path = useSel((s) => files > 0 && placeOf(nodeOf(s.graph, node ?? "")));
  const buttons: readonly (Button | false | "" | null | undefined)[] = [
    node &&
      path && [
        `Read ${files === 1 ? "its file" : `its ${files} files`}`,
        "read-files",
        true,
        () => session.send({ type: "point_reader", key: node, path }),
      ],
    ...repairs.map((repair, i): Button => [repair.title, testId, bare && i === 0, () => session.repair(repair)]),
    fix && [fix.title, "return-last", true, () => session.edit(fix.edits)],
    unread && [
      "Choose folder",
      "choose-data",
      !path && repairs.length === 0,
      () => session.view({ folders: node ?? null }),
    ],
    most &&
      node &&
      argument && [
        `Use ${most}`,
        "use-most",
        !bare,
        () => session.edit([{ type: "set_argument", key: node, argument, value: Number(most) }]),
      ],
    back && ["Undo the edit", "go-back", false, () => session.undo()],
  ];
  return (
    <>
      {buttons.map(
        (button) =>
          button && (
            <SmallButton key={button[0]} primary={button[2]} data-testid={button[1]} onClick={button[3]}>
              {button[0]}
            </SmallButton>
          ),
      )}
      {node && isAboutFile(finding) && <Remedies node={node} primary={!unread} />}
      {!bare && <Reproduction finding={finding} />}
    </>
  );
}

/** Where something fails that can be tried apart. */
export function Reproduction({ finding }: { readonly finding: Diagnostic }) {
  const unread = useSel((s) => isUnread(s, finding));
  const fails = finding.node && !unread && toneOf(finding) === "error";
  return fails ? <CopyReproduction finding={finding} /> : null;
}

/** A finding where a node is told of, a few words while a card tells it beside the node; in the list, which has no card beside it, with its file. */
export function Problem({ found }: { readonly found: Diagnostic }) {
  const tone = toneOf(found);
  const share = useSel((s) => tone === "error" && failShare(s, found.node ?? ""));
  const told = useSel((s) => s.view.told === toldBy(found));
  const list = useFrame().breadth === "list";
  return (
    <div className={`ds-finding ds-tone-${tone}`}>
      <Icon name={tone} />
      <div>
        {list && isAboutFile(found) ? (
          <FailingFile finding={found} title={titleOf(found)} />
        ) : (
          <p>
            {worded(told ? titleOf(found) : format.sentence(format.message(found.message)))}{" "}
            {found.hint && !told && <span className="ds-muted">{worded(found.hint)}</span>}
          </p>
        )}
        {share && !told && <p>{share}</p>}
        {(!told || list) && (
          <p className="ds-problem-foot">
            <Actions finding={found} testId="repair-finding" />
          </p>
        )}
      </div>
      <IconButton icon="copy" label="Copy" small onClick={() => copyText(reportText(found))} />
    </div>
  );
}
