import { useEffect, useMemo } from "react";
import { Chips } from "../react/Chips";
import { Icon } from "../react/icons";
import { SmallButton } from "../react/parts";
import { useGallery, usePart } from "./context";
import { shownTiles } from "./state";
import { TileCard } from "./TileCard";

const FILTERS = ["Shape", "Colour", "Noise", "Boxes ok", "Pipelines"];

/** Search and filters. */
export function TileSearch() {
  const { client } = useGallery();
  const query = usePart((s) => s.query);
  const filter = usePart((s) => s.filter);
  return (
    <div className="ds-gallery-search">
      <label className="ds-search">
        <Icon name="search" />
        <input
          value={query}
          placeholder="Search augmentations"
          aria-label="Search the gallery"
          data-testid="gallery-search"
          onChange={(e) => client.view({ query: e.target.value })}
          onKeyDown={(e) => {
            if (e.key === "Escape") client.view({ query: "" });
          }}
        />
      </label>
      <Chips names={FILTERS} chosen={filter} testId="filter" onChoose={(name) => client.view({ filter: name })} />
    </div>
  );
}

/** The tiles that search and filters leave. */
export function Tiles() {
  const { client } = useGallery();
  const opened = usePart((s) => s.opened);
  const query = usePart((s) => s.query);
  const filter = usePart((s) => s.filter);
  const tiles = useMemo(() => shownTiles({ opened, query, filter }), [opened, query, filter]);
  useEffect(() => client.want(tiles.map((t) => t.name)), [client, tiles]);
  if (!opened) return <p className="ds-gallery-none ds-muted">Starting the kernel…</p>;
  if (tiles.length === 0)
    return (
      <p className="ds-gallery-none ds-muted" data-testid="no-tiles">
        Nothing in the gallery is called that.{" "}
        <SmallButton onClick={() => client.view({ query: "", filter: "" })}>Show all</SmallButton>
      </p>
    );
  return (
    <ul className="ds-gallery-tiles" aria-label="Augmentations and pipelines" data-testid="tiles">
      {tiles.map((tile) => (
        <TileCard key={tile.name} tile={tile} />
      ))}
    </ul>
  );
}
