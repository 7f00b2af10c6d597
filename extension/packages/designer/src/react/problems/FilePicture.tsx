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
  const { part = 0, aspect = 1 } = found ?? {};
  // as high as the picture is in its frame
  const whole = Math.min(height, width / aspect);
  const there = (height - whole) / 2 + part * whole;
  return (
    <span className="ds-file-picture" style={{ width, height }} data-testid={`file-${source}`} data-part={part}>
      {part > 0 && (
        <span className="ds-file-part" style={{ height: there }}>
          <Thumb id={fileImage(source)} width={width} height={height} label={`what can be seen of ${source}`} />
        </span>
      )}
      {found && part < 1 && <span className="ds-file-missing" style={{ height: height - there + 6 }} />}
    </span>
  );
}
