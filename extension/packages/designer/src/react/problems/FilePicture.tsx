import { useEffect } from "react";
import { fileImage } from "../../core/pictures";
import { Thumb } from "../canvas/Thumb";
import { useSel, useSession } from "../context";

/** What can be seen of a file that a node could not use; what is missing of it is hatched, and never grey. */
export function FilePicture({
  node,
  source,
  width,
  height,
}: {
  readonly node: string;
  readonly source: string;
  readonly width: number;
  readonly height: number;
}) {
  const session = useSession();
  const found = useSel((s) => s.files[source]);
  useEffect(() => session.requestFile(node, source), [session, node, source]);
  const part = found?.part ?? 0;
  return (
    <span className="ds-file-picture" style={{ width, height }} data-testid={`file-${source}`} data-part={part}>
      {part > 0 && (
        <span className="ds-file-part" style={{ height: `${100 * part}%` }}>
          <Thumb id={fileImage(source)} width={width} height={height} cover label={`what can be seen of ${source}`} />
        </span>
      )}
      {found && part < 1 && <span className="ds-file-missing" style={{ height: `calc(${100 * (1 - part)}% + 6px)` }} />}
    </span>
  );
}
