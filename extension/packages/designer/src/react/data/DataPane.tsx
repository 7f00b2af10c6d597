import { type FormEvent, useEffect, useRef, useState } from "react";
import { isUnread, labelCounts, labelWords, placeOf, readersOf } from "../../core/data";
import * as format from "../../core/format";
import { DATA_IMAGE } from "../../core/pictures";
import { findings } from "../../core/select";
import type { DataSample, DataSet, NodeView, Spread } from "../../protocol/generated";
import { useSel, useSession } from "../context";
import { Icon } from "../icons";
import { SmallButton, worded } from "../parts";
import { Problem } from "../problems/Problem";

/** Where a reader reads; a folder that is missing on this machine is replaced here. */
function Place({ node }: { readonly node: NodeView }) {
  const session = useSession();
  const now = placeOf(node);
  const [path, setPath] = useState(now);
  useEffect(() => setPath(now), [now]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (path.trim() && path.trim() !== now) session.send({ type: "point_reader", key: node.key, path: path.trim() });
  };
  return (
    <form className="ds-data-place" onSubmit={submit}>
      <Icon name="folder" />
      <input
        className="ds-input"
        value={path}
        placeholder="folder, list.txt, annotations.json, shard.tar or .tfrecord"
        aria-label={`Where ${node.key} reads`}
        data-testid="data-path"
        onChange={(e) => setPath(e.target.value)}
        onKeyDown={(e) => e.key === "Escape" && setPath(now)}
      />
      <SmallButton data-testid="data-choose" onClick={() => session.view({ folders: node.key })}>
        Choose…
      </SmallButton>
      <SmallButton type="submit" disabled={!path.trim() || path.trim() === now} data-testid="data-open">
        Read this
      </SmallButton>
    </form>
  );
}

function Histogram({ spread }: { readonly spread: Spread }) {
  const { name, unit } = spread;
  const words = (v: number) => (unit === "B" ? format.bytes(v) : unit === "ms" ? format.time(v) : `${v} ${unit}`);
  const most = Math.max(1, ...spread.counts);
  return (
    <figure className="ds-spread">
      <figcaption>
        median {name} <b>{words(spread.median)}</b>
      </figcaption>
      <svg viewBox={`0 0 ${spread.counts.length * 8} 36`} preserveAspectRatio="none" aria-hidden="true">
        {spread.counts.map((count, i) => {
          const height = (34 * count) / most;
          // biome-ignore lint/suspicious/noArrayIndexKey: a span is its number
          return <rect key={i} x={i * 8} y={36 - height} width="7" height={height} />;
        })}
      </svg>
      <div className="ds-muted">
        {words(spread.minimum)} <span className="ds-spring" /> {words(spread.maximum)}
      </div>
    </figure>
  );
}

function Cell({ sample, label }: { readonly sample: DataSample; readonly label: string }) {
  const { images } = useSession();
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const draw = () => {
      const pen = ref.current?.getContext("2d");
      const atlas = images.get(DATA_IMAGE);
      const { x, y, cell_width: w, cell_height: h } = sample;
      if (pen && atlas && x + w <= atlas.width && y + h <= atlas.height)
        pen.drawImage(atlas.bitmap, x, y, w, h, 0, 0, w, h);
    };
    draw();
    return images.subscribe(DATA_IMAGE, draw);
  }, [images, sample]);
  const size = `${sample.facts || "cannot be decoded"}, `;
  const words = `${sample.name}: ${size}${[format.bytes(sample.size), label].filter(Boolean).join(", ")}`;
  return (
    <li title={words}>
      <canvas ref={ref} width={sample.cell_width} height={sample.cell_height} role="img" aria-label={words} />
      {label && <small>{label}</small>}
    </li>
  );
}

function Contents({ found }: { readonly found: DataSet }) {
  const labels = labelCounts(found.samples);
  return (
    <div className="ds-data" data-testid="data-set">
      <div className="ds-data-words">
        <p>
          <b>{format.plural(found.total, "sample")}</b>
          {found.samples.length < found.total && (
            <span className="ds-muted">, {found.samples.length} of them drawn here</span>
          )}
        </p>
        {found.spreads.map((spread) => (
          <Histogram key={spread.name} spread={spread} />
        ))}
        {labels.length > 0 && (
          <p className="ds-muted">
            {format.plural(labels.length, "label")}:{" "}
            {labels
              .slice(0, 8)
              .map(([label, count]) => `${label} (${count})`)
              .join(", ")}
          </p>
        )}
      </div>
      <ul className="ds-data-cells">
        {found.samples.map((sample, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a sample has no other identity
          <Cell key={i} sample={sample} label={labels.length > 0 ? labelWords(sample) : ""} />
        ))}
      </ul>
    </div>
  );
}

/** What a reader reads: how much, samples of it, how large they are; and another place to read. */
export function DataPane() {
  const session = useSession();
  const readers = useSel(readersOf);
  const selected = useSel((s) => s.view.selection[0] ?? "");
  const node = readers.find((r) => r.key === selected) ?? readers[0];
  const key = node?.key ?? "";
  const stamp = node?.arguments;
  const found = useSel((s) => (s.dataSet?.key === key ? s.dataSet : null));
  const unread = useSel((s) => findings(s).find((d) => d.node === key && isUnread(s, d)));
  const failed = useSel((s) => s.refused[0]?.message ?? "");
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the reader reads is looked into anew when it changes
  useEffect(() => {
    if (key) session.send({ type: "request_data", key });
  }, [session, key, stamp]);
  if (!node)
    return (
      <div className="ds-times ds-times-empty" data-testid="data">
        <p className="ds-muted">No reader of files is in this pipeline: its data comes from a program.</p>
      </div>
    );
  return (
    <div className="ds-times nowheel" data-testid="data">
      <div className="ds-data-head">
        {readers.length > 1 ? (
          <select
            className="ds-select"
            value={key}
            aria-label="Reader"
            onChange={(e) => session.select([e.target.value])}
          >
            {readers.map((r) => (
              <option key={r.key}>{r.key}</option>
            ))}
          </select>
        ) : (
          <b>{key}</b>
        )}
        <span className="ds-muted">fn.{node.operator}</span>
        <Place node={node} />
      </div>
      {found ? (
        <Contents found={found} />
      ) : unread ? (
        <Problem found={unread} />
      ) : (
        <p className="ds-muted">{worded(failed || "Looking into it…")}</p>
      )}
    </div>
  );
}
