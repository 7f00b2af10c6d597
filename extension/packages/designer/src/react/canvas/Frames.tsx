import { type ReactNode, useEffect, useRef, useState } from "react";
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

/** Goes to the next of the frames that are shown while it plays, or to the next of `all`. */
export function usePlaying(
  body: PlanesBody | null,
  next: () => void,
  all = false,
): readonly [boolean, (on: boolean) => void] {
  const [playing, setPlaying] = useState(false);
  const latest = useRef(next);
  latest.current = next;
  const each = body ? millisecondsEach(body) * (all ? body.shown.length / body.count : 1) : 0;
  useEffect(() => {
    if (!playing || !each) return;
    const timer = setInterval(() => latest.current(), each);
    return () => clearInterval(timer);
  }, [playing, each]);
  return [playing, setPlaying];
}

interface PlayProps {
  readonly testId: string;
  readonly playing: boolean;
  readonly onPlay: (on: boolean) => void;
}

/** What plays a sequence. */
export function PlayButton({ testId, playing, onPlay }: PlayProps) {
  return (
    <Toggle testId={testId} words={playing ? "Stop" : "Play the frames"} on={playing} act={onPlay}>
      <Icon name={playing ? "stop" : "run"} size={12} />
    </Toggle>
  );
}

interface ToggleProps {
  readonly testId: string;
  readonly words: string;
  readonly on: boolean;
  readonly act: (on: boolean) => void;
  readonly children: ReactNode;
}

function Toggle({ testId, words, on, act, children }: ToggleProps) {
  return (
    <button
      type="button"
      className="ds-clip-button nodrag"
      aria-label={words}
      title={words}
      aria-pressed={on}
      data-testid={testId}
      onClick={(event) => {
        event.stopPropagation();
        act(!on);
      }}
    >
      {children}
    </button>
  );
}

/** A sequence: one frame, what it is, and all of them below it, on which the pointer and the arrow keys choose. */
export function Frames({ body, preview, label, testId, width, height }: PartProps<PlanesBody>) {
  const [chosen, setChosen] = useState(0);
  const [differs, setDiffers] = useState(false);
  const frames = body.shown.length;
  const [playing, setPlaying] = usePlaying(body, () => setChosen((now) => (now + 1) % frames));
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
          <output
            title={`Seconds from the begin of the file; the last frame is at ${seconds(-1)}`}
            data-testid={`time-${preview.key}`}
          >
            at {seconds(at)}
          </output>
        )}
        {frames > 1 && (
          <span>
            <PlayButton testId={`play-${preview.key}`} playing={playing} onPlay={setPlaying} />
            <Toggle
              testId={`differ-${preview.key}`}
              words="Difference from the frame before, of those shown"
              on={differs}
              act={setDiffers}
            >
              Δ
            </Toggle>
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
