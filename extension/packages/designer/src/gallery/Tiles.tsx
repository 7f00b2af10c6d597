import { useEffect, useMemo } from "react";
import { Icon } from "../react/icons";
import { useGallery, usePart } from "./context";
import { type Filter, shownTiles } from "./state";
import { TileCard } from "./TileCard";

const FILTERS: readonly (readonly [Filter, string])[] = [
  ["all", "All"],
  ["shape", "Shape"],
  ["colour", "Colour"],
  ["quality", "Noise and blur"],
  ["examples", "Pipelines"],
];

function Chip(props: {
  readonly words: string;
  readonly on: boolean;
  readonly title?: string;
  readonly testId: string;
  readonly onClick: () => void;
}) {
  const { words, on, title, testId, onClick } = props;
  return (
    <button type="button" className="ds-chip" aria-pressed={on} title={title} data-testid={testId} onClick={onClick}>
      {words}
    </button>
  );
}

/** Search and filters. */
export function TileSearch() {
  const { client } = useGallery();
  const query = usePart((s) => s.query);
  const filter = usePart((s) => s.filter);
  const keepsBoxes = usePart((s) => s.keepsBoxes);
  const gpu = usePart((s) => s.gpu);
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
      <fieldset className="ds-chips" aria-label="Kinds">
        {FILTERS.map(([name, words]) => (
          <Chip
            key={name}
            words={words}
            on={filter === name}
            testId={`filter-${name}`}
            onClick={() => client.view({ filter: name })}
          />
        ))}
        <Chip
          words="Keeps boxes"
          on={keepsBoxes}
          title="Nothing in the picture moves: boxes and masks stay as they are"
          testId="filter-boxes"
          onClick={() => client.view({ keepsBoxes: !keepsBoxes })}
        />
        <Chip
          words="GPU"
          on={gpu}
          title="Runs on the CPU and on a GPU"
          testId="filter-gpu"
          onClick={() => client.view({ gpu: !gpu })}
        />
      </fieldset>
    </div>
  );
}

/** The tiles that search and filters leave. */
export function Tiles() {
  const { client } = useGallery();
  const opened = usePart((s) => s.opened);
  const query = usePart((s) => s.query);
  const filter = usePart((s) => s.filter);
  const keepsBoxes = usePart((s) => s.keepsBoxes);
  const gpu = usePart((s) => s.gpu);
  const tiles = useMemo(
    () => shownTiles({ opened, query, filter, keepsBoxes, gpu }),
    [opened, query, filter, keepsBoxes, gpu],
  );
  useEffect(() => client.want(tiles.map((t) => t.name)), [client, tiles]);
  if (!opened) return <p className="ds-gallery-none ds-muted">Starting the kernel…</p>;
  if (tiles.length === 0)
    return (
      <p className="ds-gallery-none ds-muted" data-testid="no-tiles">
        Nothing in the gallery is called that.{" "}
        <button
          type="button"
          className="ds-button ds-button-small"
          onClick={() => client.view({ query: "", filter: "all", keepsBoxes: false, gpu: false })}
        >
          Show all
        </button>
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
