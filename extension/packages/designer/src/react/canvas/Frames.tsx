import { type ReactNode, useEffect, useState } from "react";
import { portKey } from "../../core/state";
import type { PlanesBody } from "../../protocol/generated";
import { Icon } from "../icons";
import type { PartProps } from "./PreviewView";
import { Thumb } from "./Thumb";

/** Of sequences of which nothing says when their frames are shown. */
const FRAMES_PER_SECOND = 25;
/** The part of the room that the frame takes, where there are words beside it; the height of the frames below it. */
const FRAME = 132;
const STRIP = 44;

/** Milliseconds from one frame that is shown to the next, at the speed of the file; one that stands for several stays as long as these. */
function millisecondsEach({ times, shown, count }: PlanesBody): number {
  const steps = times.slice(1).map((time, i) => Math.abs(time - (times[i] ?? 0)));
  const seconds = steps.reduce((sum, step) => sum + step, 0) / Math.max(1, steps.length);
  return 1000 * (seconds || count / shown.length / FRAMES_PER_SECOND);
}

/** A sequence: one frame, what it is, and all of them below it, on which the pointer and the arrow keys choose. */
export function Frames({ body, preview, label, testId, width, height }: PartProps<PlanesBody>) {
  const [chosen, setChosen] = useState(0);
  const [playing, setPlaying] = useState(false);
  const [differs, setDiffers] = useState(false);
  const frames = body.shown.length;
  const each = millisecondsEach(body);
  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(() => setChosen((now) => (now + 1) % frames), each);
    return () => clearInterval(timer);
  }, [playing, frames, each]);
  const at = Math.min(chosen, frames - 1);
  // the first one differs from none before it
  const minus = differs ? Math.max(0, at - 1) : undefined;
  const id = portKey(preview.key, preview.output);
  const wide = width > 2 * FRAME;
  const strip = wide ? STRIP : STRIP / 2;
  const room = Math.min(width / frames, 1.5 * strip);
  const cell = (index: number) => ({ index, size: body.width });
  const number = `frame ${(body.shown[at] ?? 0) + 1}`;
  const seconds = (i: number) => `${body.times.at(i)?.toFixed(2)} s`;
  const button = (name: string, words: string, on: boolean, act: (on: boolean) => void, content: ReactNode) => (
    <button
      type="button"
      className="nodrag"
      aria-label={words}
      title={words}
      aria-pressed={on}
      data-testid={`${name}-${preview.key}`}
      onClick={(event) => {
        event.stopPropagation();
        act(!on);
      }}
    >
      {content}
    </button>
  );
  return (
    <div className={`ds-clip ${wide ? "ds-clip-wide" : ""}`}>
      <Thumb
        id={id}
        width={wide ? FRAME : width}
        height={height - strip}
        label={`${label}, ${number} of ${body.count}`}
        cell={cell(at)}
        minus={minus}
        {...(testId ? { testId } : {})}
      />
      <div className="ds-clip-words">
        <output data-testid={`frame-${preview.key}`}>
          <b>{number}</b> of {body.count}
        </output>
        {body.times.length > 0 && (
          <output title="Seconds from the begin of the file" data-testid={`time-${preview.key}`}>
            {seconds(at)} of {seconds(-1)}
          </output>
        )}
        {frames > 1 && (
          <span>
            {button(
              "play",
              playing ? "Stop" : "Play the frames",
              playing,
              setPlaying,
              <Icon name={playing ? "stop" : "run"} size={12} />,
            )}
            {button("differ", "Difference from the frame before, of those shown", differs, setDiffers, "Δ")}
          </span>
        )}
      </div>
      <div className="ds-clip-strip" style={{ width: room * frames, height: strip }}>
        {body.shown.map((frame, i) => (
          <span key={frame} className={i === at ? "ds-clip-now" : ""}>
            <Thumb id={id} width={room} height={strip} label="" cell={cell(i)} cover />
          </span>
        ))}
        <input
          type="range"
          className="nodrag"
          min={0}
          max={frames - 1}
          value={at}
          aria-label={`Frame of ${preview.key}`}
          aria-valuetext={`${number} of ${body.count}`}
          data-testid={`frames-${preview.key}`}
          onPointerMove={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            if (!playing) setChosen(Math.floor(((event.clientX - box.left) / box.width) * frames));
          }}
          onChange={(event) => setChosen(Number(event.target.value))}
        />
      </div>
    </div>
  );
}
