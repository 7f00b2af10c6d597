import { useEffect, useRef, useState } from "react";
import { playable } from "../../core/sound";
import type { PortRef } from "../../protocol/generated";
import { useSession } from "../context";
import { Icon } from "../icons";
import { SmallButton, Switch } from "../parts";

/** Play what an output gives for the shown sample, once or again and again. */
export function PlaySound({ port }: { readonly port: PortRef }) {
  const session = useSession();
  const playing = useRef<{ readonly context: AudioContext; source?: AudioBufferSourceNode } | null>(null);
  const [on, setOn] = useState(false);
  const [loop, setLoop] = useState(false);
  const looping = useRef(false); // as it is when the sound comes
  const [note, setNote] = useState("");
  const stop = () => {
    playing.current?.source?.stop();
    void playing.current?.context.close();
    playing.current = null;
    setOn(false);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what plays ends with its panel
  useEffect(() => stop, []);
  const play = () => {
    if (on) {
      stop();
      return;
    }
    // Made by the click itself: a browser lets nothing else be heard.
    const context = new AudioContext();
    const mine: NonNullable<typeof playing.current> = { context };
    playing.current = mine;
    setOn(true);
    session.heard = (message, data) => {
      if (playing.current !== mine) return; // stopped before it came
      const channels = playable(data, message.channels);
      const length = channels[0]?.length ?? 0;
      setNote(message.note);
      if (length === 0) {
        stop();
        return;
      }
      const buffer = context.createBuffer(channels.length, length, message.rate);
      channels.forEach((values, i) => {
        buffer.copyToChannel(values, i);
      });
      const source = new AudioBufferSourceNode(context, { buffer, loop: looping.current });
      source.connect(context.destination);
      source.onended = () => playing.current === mine && stop();
      mine.source = source;
      source.start();
    };
    session.send({ type: "request_sound", port });
  };
  const again = (next: boolean) => {
    setLoop(next);
    looping.current = next;
    if (playing.current?.source) playing.current.source.loop = next;
  };
  return (
    <div className="ds-play">
      <SmallButton data-testid="play" aria-pressed={on} onClick={play}>
        <Icon name={on ? "stop" : "run"} size={12} />
        {on ? "Stop" : "Play"}
      </SmallButton>
      <Switch label="Again and again" on={loop} onChange={again} />
      <span className="ds-muted">{note || "loop"}</span>
    </div>
  );
}
