import { isAboutFile, problems } from "../../core/failures";
import * as format from "../../core/format";
import { titleOf, toneOf, wordsOf } from "../../core/problems";
import type { Diagnostic, MissedFile } from "../../protocol/generated";
import { useCanvasApi } from "../canvasApi";
import { useSel, useSession } from "../context";
import { Icon } from "../icons";
import { LinkButton, worded } from "../parts";
import { FailingFile, shortPath } from "./FailingFile";
import { FilePicture } from "./FilePicture";
import { Actions } from "./Problem";

/** Files whose pictures are asked for at once. */
const SHOWN = 60;

function Problem({ finding }: { readonly finding: Diagnostic }) {
  const session = useSession();
  const api = useCanvasApi();
  const tone = toneOf(finding);
  const { node } = finding;
  return (
    <li className={`ds-problem ds-tone-${tone}`}>
      <Icon name={tone} />
      <div>
        <b>{titleOf(finding)}.</b> {worded(wordsOf(finding))}{" "}
        {finding.hint && <span className="ds-muted">{worded(finding.hint)}</span>}
        {isAboutFile(finding) && <FailingFile finding={finding} />}
        <p className="ds-problem-foot">
          <Actions finding={finding} />
          {node && (
            <LinkButton
              onClick={() => {
                session.select([node]);
                api.current?.show(node);
              }}
            >
              Show {node}
            </LinkButton>
          )}
        </p>
        {finding.detail && <div className="ds-detail">{format.message(finding.detail)}</div>}
      </div>
    </li>
  );
}

function Missed({ file }: { readonly file: MissedFile }) {
  const words = useSel((s) => s.files[file.source]?.words ?? "");
  const action = file.action === "skip" ? "left out" : "a placeholder";
  return (
    <li
      className="ds-missed"
      title={`${file.source}: ${format.message(file.message)}`}
      data-testid={`missed-${file.source}`}
    >
      <FilePicture node={file.node} source={file.source} width={108} height={72} />
      <b>{shortPath(file.source)}</b>
      <small className="ds-muted">
        {format.message(file.message)} {words}
      </small>
      <small className="ds-muted">
        {file.node}: {action}, {file.count === 1 ? "once" : `${format.grouped(file.count)} times`}
      </small>
    </li>
  );
}

/** Every finding with what can be done about it, and the files that the last run went on without. */
export function ProblemsPane() {
  const found = useSel(problems);
  const missed = useSel((s) => s.run.finished?.missed ?? []);
  if (found.length === 0 && missed.length === 0)
    return (
      <div className="ds-times ds-times-empty" data-testid="problems">
        <p className="ds-muted">Nothing is wrong.</p>
      </div>
    );
  return (
    <div className="ds-times nowheel" data-testid="problems">
      <ul className="ds-problems">
        {found.map((d) => (
          <Problem key={`${d.code}|${d.node}|${d.argument}|${d.sample}|${d.message}`} finding={d} />
        ))}
      </ul>
      {missed.length > 0 && (
        <section aria-label="Files that the run went on without">
          <h5 className="ds-section-title">{format.plural(missed.length, "file")} that the last run went on without</h5>
          <ul className="ds-missed-list">
            {missed.slice(0, SHOWN).map((file) => (
              <Missed key={`${file.node}|${file.source}`} file={file} />
            ))}
          </ul>
          {missed.length > SHOWN && <p className="ds-muted">and {missed.length - SHOWN} more</p>}
        </section>
      )}
    </div>
  );
}
