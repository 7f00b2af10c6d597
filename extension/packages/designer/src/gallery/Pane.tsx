import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { sameValue } from "../core/catalog";
import { designers } from "../core/designers";
import * as format from "../core/format";
import { firstValues } from "../core/sweep";
import type { Tile, Value } from "../protocol/generated";
import { copyText } from "../react/clipboard";
import { HIDDEN, paintHalves } from "../react/Halves";
import { Histogram } from "../react/Histogram";
import { Icon } from "../react/icons";
import { Control } from "../react/inspector/controls";
import { CloseButton, IconButton, Section, Segments, SmallButton, worded } from "../react/parts";
import { Tinted } from "../react/Tinted";
import { DETAIL_IN, DETAIL_OUT, sweepImage } from "./client";
import { useGallery, usePart } from "./context";
import { type Dial, dials, valueIn } from "./state";

const PICTURE = { width: 326, height: 218 };

/** Before and after with a line that can be dragged. */
function Halves({ tile }: { readonly tile: Tile }) {
  const { client } = useGallery();
  const whole = usePart((s) => s.marks[tile.name]?.whole ?? false);
  const [at, setAt] = useState(0.5);
  const box = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const draw = () => {
      const canvas = box.current;
      const after = client.images.get(DETAIL_OUT);
      if (!canvas) return;
      if (whole) paintHalves(canvas, undefined, after, [0, 0], "contain");
      else paintHalves(canvas, client.images.get(DETAIL_IN), after, [at, at], "contain");
      canvas.dataset.drawn = String(Number(canvas.dataset.drawn ?? 0) + (after ? 1 : 0));
    };
    draw();
    const stops = [DETAIL_IN, DETAIL_OUT].map((id) => client.images.subscribe(id, draw));
    return () => {
      for (const stop of stops) stop();
    };
  }, [client, whole, at]);
  return (
    <div className="ds-halves">
      <canvas
        ref={box}
        width={PICTURE.width * 2}
        height={PICTURE.height * 2}
        role="img"
        aria-label={`What ${tile.title} does to the picture`}
        data-testid="pane-picture"
      />
      {!whole && (
        <>
          <span className="ds-halves-label">Before</span>
          <span className="ds-halves-label ds-halves-after">After</span>
          <input
            type="range"
            min={0}
            max={100}
            value={at * 100}
            aria-label="Where before ends and after begins"
            onChange={(e) => setAt(Number(e.target.value) / 100)}
          />
        </>
      )}
    </div>
  );
}

/** One argument, with its control, and a row of pictures with other values of it. */
function Row({ tile, control }: { readonly tile: Tile; readonly control: Dial }) {
  const { client } = useGallery();
  const { node, argument } = control;
  const settings = usePart((s) => s.settings[tile.name]);
  const value = valueIn(settings ?? [], control);
  const swept = usePart((s) => s.sweepOf === `${node}.${argument.name}`);
  const failed = usePart((s) => s.detail?.failed.find((d) => d.argument === argument.name));
  const [typed, setTyped] = useState("");
  const values = firstValues(argument, value);
  const said = typed || (failed ? format.sentence(failed.message) : "");
  const set = (v: Value) => {
    setTyped("");
    client.set(node, argument.name, v);
  };
  const unit = format.unitSign(argument.unit).trim();
  const changed = !sameValue(value, argument.default);
  return (
    <>
      <div
        className={`ds-field ${changed ? "ds-changed" : ""} ds-field-${argument.widget}`}
        data-testid={`field-${argument.name}`}
      >
        <span className="ds-field-name" title={argument.doc}>
          <span>{tile.example ? `${node}.${argument.name}` : argument.name}</span>
          {unit && <small>{unit}</small>}
        </span>
        <span className="ds-field-control">
          <Control
            argument={argument}
            value={value}
            set={set}
            reset={() => set(control.value)}
            setError={setTyped}
            bad={said !== ""}
          />
          {values.length > 1 && (
            <IconButton
              icon="grid"
              label={`Several values of ${argument.name}`}
              small
              pressed={swept}
              testId={`sweep-${argument.name}`}
              onClick={() =>
                swept ? client.view({ sweepOf: "", sweep: null }) : client.sweep(node, argument.name, values)
              }
            />
          )}
        </span>
        {said && <span className="ds-reason">{worded(said)}</span>}
      </div>
      {swept && <Sweep onValue={set} />}
    </>
  );
}

function SweptPicture({ place }: { readonly place: number }) {
  const { client } = useGallery();
  const box = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const draw = () => {
      if (box.current) paintHalves(box.current, client.images.get(sweepImage(place)), undefined, [1, 1], "contain");
    };
    draw();
    return client.images.subscribe(sweepImage(place), draw);
  }, [client, place]);
  return <canvas ref={box} width={120} height={80} {...HIDDEN} />;
}

function Sweep({ onValue }: { readonly onValue: (value: Value) => void }) {
  const sweep = usePart((s) => s.sweep);
  if (!sweep) return <div className="ds-swept ds-muted">…</div>;
  return (
    <div className="ds-swept" data-testid="swept">
      {sweep.values.map((value, place) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: a value is its place in the row
          key={place}
          type="button"
          title={sweep.items[place]?.note || "Use this value"}
          onClick={() => onValue(value)}
        >
          <SweptPicture place={place} />
          {format.value(value)}
        </button>
      ))}
    </div>
  );
}

function Code({ tile }: { readonly tile: Tile }) {
  const { client, host } = useGallery();
  const detail = usePart((s) => s.detail);
  const dialect = usePart((s) => s.dialect);
  const dialects = usePart((s) => s.opened?.dialects);
  const [done, setDone] = useState("");
  const source = detail?.source ?? "";
  const box = useRef<HTMLElement>(null);
  const first = detail?.lines[0] ?? 0;
  useEffect(() => {
    if (box.current && first > 0) box.current.scrollTop = Math.max(0, (first - 4) * 17);
  }, [first]);
  const say = (words: string) => {
    setDone(words);
    setTimeout(() => setDone(""), 2500);
  };
  const copy = () => {
    copyText(source);
    say("Copied");
  };
  const insert = () => {
    if (host.insertCell(source)) say("It is in the next cell");
    else {
      copyText(source);
      say("Copied: paste it into a cell");
    }
  };
  return (
    <Section title="Code">
      <Segments
        label="Language"
        options={(dialects ?? []).map((d) => d.name)}
        value={dialect}
        onChange={(name) => client.speak(name)}
        testId="gallery-dialect"
      />
      <section
        ref={box}
        className="ds-code"
        aria-label={`Code of ${tile.title}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keys
        tabIndex={0}
        data-testid="gallery-code"
      >
        {source
          .replace(/\n$/, "")
          .split("\n")
          .map((line, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
            <div key={i} className={`ds-line ds-line-${detail?.lines.includes(i + 1) ? "now" : "plain"}`}>
              <Tinted line={line} />
              {"\n"}
            </div>
          ))}
      </section>
      <div className="ds-gallery-take">
        <SmallButton disabled={!source} data-testid="gallery-copy" onClick={copy}>
          <Icon name="copy" size={12} />
          Copy
        </SmallButton>
        <SmallButton disabled={!source} data-testid="gallery-cell" onClick={insert}>
          <Icon name="code" size={12} />
          Insert as next cell
        </SmallButton>
        <span className="ds-muted" role="status" data-testid="gallery-said">
          {done}
        </span>
      </div>
    </Section>
  );
}

/** The chosen tile in full. */
export function Pane({ tile }: { readonly tile: Tile }) {
  const { client, host } = useGallery();
  const detail = usePart((s) => s.detail);
  const time = usePart((s) => s.times[tile.name]);
  const said = usePart((s) => s.said);
  const changed = usePart((s) => (s.settings[tile.name] ?? []).length > 0);
  const designer = useSyncExternalStore(designers().subscribe, () => designers().get().active);
  const controls = dials(tile);
  const facts = [
    tile.geometric ? "moves boxes" : "boxes ok",
    tile.gpu ? "CPU and GPU" : "CPU",
    time === undefined ? "" : `${format.time(time)} for this picture`,
    detail?.facts ?? "",
  ];
  return (
    <aside className="ds-gallery-pane" aria-label={tile.title} data-testid="gallery-pane">
      <div className="ds-gallery-pane-head">
        <h4>{tile.title}</h4>
        {!tile.example && <code>fn.{tile.name}</code>}
        <span className="ds-spring" />
        <CloseButton onClick={() => client.choose(null)} />
      </div>
      <div className="ds-gallery-pane-scroll">
        <Halves tile={tile} />
        <p className="ds-gallery-facts" data-testid="gallery-facts">
          {facts.filter(Boolean).join(" · ")}
        </p>
        <p className="ds-gallery-summary">{tile.summary}</p>
        <div className="ds-gallery-take">
          {host.showDesigner && (
            <button
              type="button"
              className="ds-button ds-primary"
              data-testid="gallery-designer"
              onClick={() => client.take(false)}
            >
              <Icon name="layout" />
              Open in designer
            </button>
          )}
          {!tile.example && designer && (
            <button
              type="button"
              className="ds-button"
              title="Puts it behind the last picture of the designer that was used last"
              data-testid="gallery-insert"
              onClick={() => client.take(true)}
            >
              <Icon name="plus" />
              Insert into the graph
            </button>
          )}
        </div>
        {said && (
          <p className="ds-gallery-summary" role="status" data-testid="gallery-taken">
            {said}
          </p>
        )}
        {controls.length > 0 && (
          <Section title="Arguments">
            {controls.map((c) => (
              <Row key={`${tile.name}.${c.node}.${c.argument.name}`} tile={tile} control={c} />
            ))}
            {changed && <SmallButton onClick={() => client.reset()}>Back to the tile's values</SmallButton>}
          </Section>
        )}
        {detail && detail.histogram.length > 0 && (
          <Section title="Values" note={detail.before.length > 0 ? "thin lines: before" : undefined}>
            <Histogram bins={detail.histogram} before={detail.before} />
          </Section>
        )}
        <Code tile={tile} />
      </div>
    </aside>
  );
}
