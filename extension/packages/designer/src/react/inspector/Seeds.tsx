import { drawings, firstWith, seedEdits } from "../../core/seeds";
import type { Edit } from "../../protocol/generated";
import { useSel, useSession } from "../context";
import { IconButton, Section, SmallButton } from "../parts";

/** Any number that a seed may be. */
export const anySeed = () => Math.floor(Math.random() * 2 ** 31);

/** By which seeds the nodes draw: the pipeline's, their own, or that of another node, with which they draw the same. */
export function Seeds() {
  const session = useSession();
  const all = drawings(useSel((s) => s.graph));
  if (all.length === 0) return null;
  const set = (key: string, to: number | null) => session.edit(seedEdits(all, key, to));
  const locked = all.every((one) => one.own);
  const free = () =>
    session.edit(all.map(({ key }): Edit => ({ type: "set_argument", key, argument: "seed", unset: true })));
  return (
    <Section title="Seeds">
      {all.map((one) => {
        const { card } = one;
        const name = card === one.key ? card : `${one.key} of ${card}`;
        return (
          <div className="ds-field ds-field-seed" key={one.key}>
            <button
              type="button"
              className="ds-field-name ds-link"
              title={`Show ${name}`}
              onClick={() => session.select([card])}
            >
              <span>{name}</span>
            </button>
            <span className="ds-field-control">
              <select
                className="ds-select"
                aria-label={`Seed of ${one.key}`}
                data-testid={`seed-${one.key}`}
                value={one.own ? firstWith(all, one).key : ""}
                onChange={({ target: { value } }) => {
                  const other = all.find(({ key }) => key === value);
                  set(one.key, other === one && one.own ? anySeed() : (other?.seed ?? null));
                }}
              >
                <option value="">of the pipeline</option>
                {all.map((other) => (
                  <option key={other.key} value={other.key}>
                    {other !== one ? `as ${other.key}` : one.own ? `its own: ${one.seed}` : "its own"}
                  </option>
                ))}
              </select>
              <IconButton
                icon="dice"
                label={`Another seed for ${one.key} alone`}
                small
                onClick={() => set(one.key, anySeed())}
              />
            </span>
          </div>
        );
      })}
      <SmallButton
        aria-pressed={locked}
        data-testid="lock-seeds"
        title="A node with a seed of its own draws the same numbers whatever is added or removed."
        onClick={locked ? free : () => set("", null)}
      >
        {locked ? "Free all" : "Lock all"}
      </SmallButton>
    </Section>
  );
}
