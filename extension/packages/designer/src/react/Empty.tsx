import { type FormEvent, useEffect, useMemo, useRef, useState } from "react";
import * as format from "../core/format";
import { isOffered } from "../core/fuzzy";
import type { Host } from "../core/host";
import { recipeImage } from "../core/state";
import { Thumb } from "./canvas/Thumb";
import { useCanvasApi } from "./canvasApi";
import { searchFor } from "./commands";
import { useFrame, useSel } from "./context";
import { FolderChoice } from "./FolderChoice";
import { Icon } from "./icons";
import { LinkButton } from "./parts";

function Drawing() {
  return (
    <svg className="ds-empty-drawing" width="264" height="72" viewBox="0 0 264 72" aria-hidden="true">
      <rect x="1" y="14" width="68" height="44" rx="8" strokeDasharray="4 4" />
      <rect x="98" y="4" width="68" height="64" rx="8" fill="var(--ds-raise)" />
      <rect x="195" y="14" width="68" height="44" rx="8" strokeDasharray="4 4" />
      <g stroke="var(--ds-blue)" fill="var(--ds-blue)">
        <path d="M69 36h29M166 36h29" />
        <circle cx="69" cy="36" r="3.5" />
        <circle cx="98" cy="36" r="3.5" />
        <circle cx="166" cy="36" r="3.5" />
      </g>
      <path d="m105 56 14-15 12 12 9-8 18 15" />
      <circle cx="147" cy="22" r="5" />
    </svg>
  );
}

function FolderCard() {
  const { session } = useFrame();
  const [path, setPath] = useState("");
  const choosing = useSel((s) => s.view.folders === "");
  const browse = useRef<HTMLButtonElement>(null);
  const chosen = useRef(false);
  useEffect(() => {
    if (chosen.current && !choosing) browse.current?.focus();
    chosen.current = choosing;
  }, [choosing]);
  const why = useSel((s) => (s.view.tried?.path === path.trim() ? s.view.tried.why : ""));
  const open = (folder: string) => {
    setPath(folder);
    session.view({ tried: { path: folder, why: "" } });
    session.send({ type: "open_folder", path: folder });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (path.trim()) open(path.trim());
  };
  return (
    <form className="ds-offer ds-offer-first" onSubmit={submit}>
      <h4>Your data</h4>
      {choosing ? (
        <FolderChoice begin={path.trim()} onChoose={open} onClose={() => session.view({ folders: null })} />
      ) : (
        <>
          <p>A folder of images, sounds, videos or arrays on the kernel's machine, with what reads and decodes it.</p>
          <div className="ds-offer-foot">
            <div className="ds-offer-row">
              <button
                ref={browse}
                type="button"
                className="ds-button ds-primary"
                data-testid="browse-folders"
                onClick={() => session.view({ folders: "" })}
              >
                <Icon name="folder" />
                Choose folder
              </button>
              <button type="button" className="ds-button" data-testid="open-samples" onClick={() => open("")}>
                Sample photos
              </button>
            </div>
            <div className="ds-offer-row">
              <input
                className={`ds-input ${why ? "ds-bad" : ""}`}
                aria-invalid={why !== ""}
                value={path}
                placeholder="or a path: folder, .txt, .json, .tar"
                title="A folder, a list of files (.txt), annotations of COCO (.json), an archive of WebDataset (.tar), records of TensorFlow (.tfrecord)"
                aria-label="Path of your data"
                data-testid="folder-path"
                onChange={(e) => setPath(e.target.value)}
              />
              {path.trim() !== "" && (
                <button type="submit" className="ds-button" data-testid="open-folder">
                  Open
                </button>
              )}
            </div>
          </div>
        </>
      )}
      {why && (
        <span className="ds-reason" role="alert" data-testid="folder-reason">
          {why}
        </span>
      )}
    </form>
  );
}

/** Recipes from which on a field to search them is worth its place. */
const MANY = 8;
const THUMB = { width: 30, height: 20 };

function RecipeCard() {
  const { session } = useFrame();
  const recipes = useSel((s) => s.opening?.recipes ?? []);
  const [query, setQuery] = useState("");
  useEffect(
    () => session.send({ type: "request_recipes", width: 2 * THUMB.width, height: 2 * THUMB.height }),
    [session],
  );
  const words = query.toLowerCase().split(/\s+/);
  const shown = recipes.filter((r) => words.every((w) => `${r.name} ${r.title}`.toLowerCase().includes(w)));
  return (
    <div className="ds-offer ds-offer-tall">
      <h4>Recipes</h4>
      <p>{format.plural(recipes.length, "tested graph")} with sample data.</p>
      {recipes.length > MANY && (
        <input
          className="ds-input"
          value={query}
          placeholder="Search recipes"
          aria-label="Search recipes"
          data-testid="recipe-search"
          onChange={(e) => setQuery(e.target.value)}
        />
      )}
      <div className="ds-offer-foot ds-recipes">
        {shown.length === 0 && (
          <p>{recipes.length === 0 ? "There are no recipes in this installation." : "No recipe is called so."}</p>
        )}
        {shown.map((r) => (
          <button
            key={r.name}
            type="button"
            className="ds-recipe"
            data-testid={`recipe-${r.name}`}
            onClick={() => session.send({ type: "open_recipe", name: r.name })}
          >
            <Thumb id={recipeImage(r.name)} {...THUMB} cover label="" />
            {r.title}
            <span>{format.plural(r.operators, "operator")}</span>
          </button>
        ))}
      </div>
    </div>
  );
}

/** Opens the search of operators below itself. */
export function AddButton() {
  const frame = useFrame();
  const api = useCanvasApi();
  const add = () => searchFor({ ...frame, api: api.current }, "");
  return (
    <button type="button" className="ds-button" onClick={add} data-testid="add-operator">
      <Icon name="plus" />
      Add an operator
      <span className="ds-kbd">Space</span>
    </button>
  );
}

function OperatorCard() {
  const { session, root } = useFrame();
  const writeCode = () => {
    session.view({ drawer: "code", writing: true });
    requestAnimationFrame(() => {
      const text = root.querySelector<HTMLTextAreaElement>(".ds-code-input");
      text?.focus();
      // what is there says nothing yet: a program that is pasted takes its place, and its first lines are in sight
      text?.setSelectionRange(0, 1e5, "backward");
    });
  };
  const count = useSel((s) => s.opening?.catalog.operators.filter(isOffered).length ?? 0);
  return (
    <div className="ds-offer">
      <h4>Your own steps</h4>
      <p>Search {format.plural(count, "operator")} and wire them as you like.</p>
      <div className="ds-offer-foot">
        <AddButton />
        <LinkButton onClick={writeCode} data-testid="paste-code">
          Paste code instead
        </LinkButton>
      </div>
    </div>
  );
}

export function Empty() {
  return (
    <div className="ds-empty" data-testid="empty">
      <Drawing />
      <h3>A new pipeline</h3>
      <p>Open your data, or start from a pipeline that works.</p>
      <div className="ds-offers">
        <FolderCard />
        <OperatorCard />
        <RecipeCard />
      </div>
    </div>
  );
}

/** The list that is to come. */
function BareList({ host }: { readonly host: Host }) {
  return (
    <ol className="ds-outline" aria-label="Operators in order">
      {host.operators().map(([key, operator]) => (
        <li key={key} className="ds-outline-row">
          <span className="ds-outline-picture" />
          <span className="ds-outline-words">
            <b>{key}</b>
            <small className="ds-muted">{format.called(operator)}</small>
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Before the kernel's first answer: quiet for a second, then words, then a way out. */
export function Starting() {
  const { session, host, breadth } = useFrame();
  const silent = useSel((s) => s.link === "silent" || s.link === "gone");
  const list = breadth === "list";
  const drawing = useMemo(() => !list && host?.drawing(), [host, list]);
  const [late, setLate] = useState(false);
  useEffect(() => {
    const wait = setTimeout(() => setLate(true), 1000);
    return () => clearTimeout(wait);
  }, []);
  return (
    <div className="ds-empty ds-starting" role="status">
      <p>{silent ? "The kernel does not answer." : late && "Starting the kernel…"}</p>
      {silent && (
        <button type="button" className="ds-button" onClick={() => session.start()}>
          Try again
        </button>
      )}
      {drawing && <div className="ds-drawing" ref={(place) => place?.replaceChildren(drawing)} />}
      {list && host && <BareList host={host} />}
    </div>
  );
}
