import { useEffect, useRef } from "react";
import * as format from "../core/format";
import { literal } from "../core/python";
import type { Tile } from "../protocol/generated";
import { boxFacts, Halves } from "../react/Halves";
import { SmallButton } from "../react/parts";
import { GIVEN } from "./client";
import { useGallery, usePart } from "./context";
import { dials } from "./state";

/** Operators are dragged onto canvases under this type. */
const OPERATOR = "application/x-dali-studio-operator";

/** A tile's operator with its values, as a program calls it. */
function callOf(tile: Tile): string {
  const set = dials(tile).filter((c) => JSON.stringify(c.value) !== JSON.stringify(c.argument.default));
  return `fn.${tile.name}(${set.map((c) => `${c.argument.name}=${literal(c.value, c.argument)}`).join(", ")})`;
}

/** One tile; its picture is asked for as soon as it comes into view. */
export function TileCard({ tile }: { readonly tile: Tile }) {
  const { client, host } = useGallery();
  const chosen = usePart((s) => s.chosen === tile.name);
  const named = usePart((s) => s.reason !== "");
  const whole = usePart((s) => s.marks[tile.name]?.whole ?? false);
  const note = usePart((s) => s.marks[tile.name]?.note ?? "");
  const time = usePart((s) => s.times[tile.name]);
  const card = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => client.see(tile.name, entry?.isIntersecting ?? false));
    if (card.current) watch.observe(card.current);
    return () => {
      watch.disconnect();
      client.see(tile.name, false);
    };
  }, [client, tile.name]);
  const pick = host.pick && (() => host.pick?.(tile));
  const device = tile.gpu ? "CPU and GPU" : "CPU";
  return (
    <li ref={card} className={`ds-gallery-tile ${chosen ? "ds-chosen" : ""}`}>
      <button
        type="button"
        aria-pressed={chosen}
        aria-label={`${tile.title}, ${boxFacts(tile.geometric)}, ${device}`}
        title={tile.summary}
        draggable={!tile.example}
        data-testid={`tile-${tile.name}`}
        onDragStart={(e) => {
          e.dataTransfer.setData(OPERATOR, tile.name);
          e.dataTransfer.setData("text/plain", callOf(tile)); // for a cell
          e.dataTransfer.effectAllowed = "copy";
        }}
        // a click only looks; Enter, which is no click of a mouse, inserts
        onClick={(e) => (pick && e.detail === 0 ? pick() : client.choose(chosen && !pick ? null : tile.name))}
        onDoubleClick={pick}
      >
        {!named && (
          <Halves
            images={client.images}
            before={GIVEN}
            after={tile.name}
            whole={whole}
            testId={`tile-picture-${tile.name}`}
          />
        )}
        {note && <span className="ds-tile-note">{note}</span>}
        <span className="ds-tile-title">
          <b>{tile.title}</b>
          {!tile.example && (
            <em className={`ds-device ds-device-${tile.gpu ? "gpu" : "cpu"}`}>{tile.gpu ? "gpu" : "cpu"}</em>
          )}
        </span>
        <span className="ds-tile-facts">
          {named ? tile.summary : boxFacts(tile.geometric)}
          {time !== undefined && <span>{format.time(time)}</span>}
        </span>
      </button>
      {pick && chosen && (
        <SmallButton primary onClick={pick} data-testid="pick">
          {tile.example ? "Open it" : "Insert into the graph"}
        </SmallButton>
      )}
    </li>
  );
}
