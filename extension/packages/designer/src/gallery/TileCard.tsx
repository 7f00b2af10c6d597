import { useEffect, useRef } from "react";
import { sameValue } from "../core/catalog";
import { callOf } from "../core/python";
import type { Tile } from "../protocol/generated";
import { boxFacts } from "../react/Halves";
import { TileFace } from "../react/TileFace";
import { GIVEN } from "./client";
import { useGallery, usePart } from "./context";
import { dials } from "./state";

/** A tile's operator with its values, as a program calls it. */
function called(tile: Tile): string {
  const set = dials(tile).filter((c) => !sameValue(c.value, c.argument.default));
  return callOf(
    tile.name,
    set.map((c) => [c.argument, c.argument.name, c.value]),
  );
}

/** One tile; its picture is asked for as soon as it comes into view. */
export function TileCard({ tile }: { readonly tile: Tile }) {
  const { client } = useGallery();
  const chosen = usePart((s) => s.chosen === tile.name);
  const whole = usePart((s) => s.marks[tile.name]?.whole ?? false);
  const note = usePart((s) => s.marks[tile.name]?.note ?? "");
  const time = usePart((s) => s.times[tile.name] ?? 0);
  const card = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => client.see(tile.name, entry?.isIntersecting ?? false));
    if (card.current) watch.observe(card.current);
    return () => {
      watch.disconnect();
      client.see(tile.name, false);
    };
  }, [client, tile.name]);
  const device = tile.gpu ? "CPU and GPU" : "CPU";
  return (
    <li ref={card}>
      <button
        type="button"
        className="ds-effect"
        aria-pressed={chosen}
        aria-label={`${tile.title}, ${boxFacts(tile.geometric)}, ${device}`}
        title={tile.summary}
        draggable={!tile.example}
        data-testid={`tile-${tile.name}`}
        onDragStart={(e) => {
          e.dataTransfer.setData("application/x-dali-studio-operator", tile.name);
          e.dataTransfer.setData("text/plain", called(tile)); // for a cell
          e.dataTransfer.effectAllowed = "copy";
        }}
        onClick={() => client.choose(chosen ? null : tile.name)}
      >
        <TileFace
          images={client.images}
          before={GIVEN}
          after={tile.name}
          whole={whole}
          testId={`tile-picture-${tile.name}`}
          title={<b>{tile.title}</b>}
          gpu={tile.gpu}
          moves={tile.geometric}
          time={time}
        />
        {note && <span className="ds-tile-note">{note}</span>}
      </button>
    </li>
  );
}
