import { useState } from "react";
import { type FileToShow, SHOW_FILE } from "../../core/designers";
import { batchOf, isShown, remediesOf, soundSample } from "../../core/failures";
import * as format from "../../core/format";
import type { Diagnostic } from "../../protocol/generated";
import { copyText } from "../clipboard";
import { useFrame, useSel, useSession } from "../context";
import { Icon } from "../icons";
import { LinkButton, SmallButton } from "../parts";
import { FilePicture } from "./FilePicture";

/** The middle of a long path is cut: both ends are told apart by. */
export function shortPath(path: string): string {
  const parts = path.split("/");
  return path.length > 46 && parts.length > 3 ? [...parts.slice(0, 2), "…", ...parts.slice(-1)].join("/") : path;
}

/** Picture, name and number of the sample at which a node failed; beside a node also what is wrong with it. */
export function FailingFile({ finding, title }: { readonly finding: Diagnostic; readonly title?: string }) {
  const session = useSession();
  const words = useSel((s) => {
    const { words = "", part = 0 } = s.files[finding.source ?? ""] ?? {};
    return part > 0 && part < 1 ? `${words}, ${format.percent(1 - part)} missing` : words;
  });
  const shown = useSel((s) => isShown(s, finding));
  const batch = useSel((s) => batchOf(s, finding));
  const other = useSel((s) => batch !== s.iteration);
  const { node = "", source = "", sample } = finding;
  return (
    <div className="ds-failing">
      <FilePicture node={node} source={source} width={72} height={48} />
      <span>
        {title && <h4>{title}</h4>}
        <span>
          <b title={source}>{shortPath(source)}</b> <ShowFile source={source} />
        </span>
        <small className="ds-muted">{words}</small>
        {typeof sample === "number" && !shown && (
          <LinkButton onClick={() => session.chooseSample(sample, batch)}>
            Show sample {sample + 1}
            {other && ` of batch ${batch + 1}`}
          </LinkButton>
        )}
      </span>
    </div>
  );
}

/** Whether something was copied a moment ago, and what copies. */
function useCopied(): readonly [done: boolean, copy: (text: string) => void] {
  const [done, setDone] = useState(false);
  const copy = (text: string) => {
    copyText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return [done, copy];
}

/** Shows a file in the browser of the host, or copies its path. */
function ShowFile({ source }: { readonly source: string }) {
  const { root } = useFrame();
  const path = useSel((s) => s.files[source]?.path);
  const [done, copied] = useCopied();
  if (!path) return null;
  const copy = () => copied(path);
  const show = () => {
    const detail: FileToShow = { path, copy };
    if (root.dispatchEvent(new CustomEvent(SHOW_FILE, { bubbles: true, cancelable: true, detail }))) copy();
  };
  return (
    <LinkButton title={path} data-testid="show-file" onClick={show}>
      <Icon name="file" size={12} />
      {done ? "Path copied" : "Show file"}
    </LinkButton>
  );
}

/** What can be done about a file: leave it out, a placeholder. */
export function Remedies({ node, primary }: { readonly node: string; readonly primary: boolean }) {
  const session = useSession();
  const all = useSel((s) => remediesOf(s, node));
  const dali = useSel((s) => s.code?.dialect === "nvidia.dali");
  const apply = ({ edits, leaves }: (typeof all)[number]) => {
    const { iteration } = session.store.get();
    const sample = soundSample(session.store.get());
    session.edit(edits);
    const text = format.sentence(
      `${node} ${leaves ? "leaves out" : "has a placeholder for"} files that it cannot use.`,
    );
    session.view({ notice: { text, node } });
    if (leaves) session.chooseSample(sample, iteration);
  };
  return (
    <>
      {all.map((remedy, i) => (
        <SmallButton
          key={remedy.title}
          primary={primary && i === 0}
          data-testid={`remedy-${node}`}
          onClick={() => apply(remedy)}
        >
          {remedy.title}
        </SmallButton>
      ))}
      {dali && all[0] && <small className="ds-muted">Here only: nvidia.dali stops at such files.</small>}
    </>
  );
}

/** Copy the smallest program in which this fails. */
export function CopyReproduction({ finding }: { readonly finding: Diagnostic }) {
  const session = useSession();
  const [done, copied] = useCopied();
  const node = finding.node ?? "";
  return (
    <LinkButton
      title="Copy the smallest program that fails so, with this file alone"
      aria-label="Copy the smallest program that fails so"
      data-testid={`repro-${node}`}
      onClick={() => void session.reproduction(node, finding.source ?? "").then(copied)}
    >
      <Icon name="code" size={12} />
      {done ? "Copied" : "Copy repro"}
    </LinkButton>
  );
}
