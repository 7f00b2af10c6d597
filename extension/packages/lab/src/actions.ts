import type { JupyterFrontEnd } from "@jupyterlab/application";
import type { TranslationBundle } from "@jupyterlab/translation";
import { designers, type Shown } from "../../designer/src/core/designers";

/** What the designer's keys and menus do, as commands: the names are those of the designer's `commands.ts`. */
export function actions(words: TranslationBundle): Readonly<Record<string, string>> {
  return {
    undo: words.__("Undo"),
    redo: words.__("Redo"),
    run: words.__("Run and Measure"),
    add: words.__("Add an Operator"),
    connect: words.__("Draw a Wire, or Compare Two Nodes"),
    rename: words.__("Rename the Node"),
    bypass: words.__("Bypass"),
    pin: words.__("Pin Data"),
    duplicate: words.__("Duplicate"),
    group: words.__("Group"),
    ungroup: words.__("Take Out of the Group"),
    all: words.__("Select All"),
    upstream: words.__("Select Upstream"),
    downstream: words.__("Select Downstream"),
    find: words.__("Find on the Canvas"),
    layout: words.__("Lay Out"),
    fit: words.__("Show Everything"),
    zoomIn: words.__("Zoom In"),
    zoomOut: words.__("Zoom Out"),
    palette: words.__("Gallery"),
    minimap: words.__("Map of the Canvas"),
    compare: words.__("Compare with Its Input"),
    help: words.__("Keys"),
    previous: words.__("Sample Before"),
    next: words.__("Sample After"),
  };
}

const PREFIX = "dali-studio:";

export function commandName(action: string): string {
  return `${PREFIX}${action}`;
}

/** The designer of the tab in front, or the cell's that was used last. */
export function activeDesigner(app: JupyterFrontEnd): Shown | null {
  const { shown, active } = designers().get();
  const front = app.shell.currentWidget?.node;
  if (!front) return active;
  return (active && front.contains(active.root) ? active : shown.find((s) => front.contains(s.root))) ?? null;
}

export function addActions(app: JupyterFrontEnd, words: TranslationBundle): void {
  const labels = Object.entries(actions(words));
  const can = (action: string) => activeDesigner(app)?.can(action) ?? false;
  for (const [action, label] of labels) {
    app.commands.addCommand(commandName(action), {
      label,
      isEnabled: () => can(action),
      execute: () => activeDesigner(app)?.run(action),
    });
  }
  // toolbars show whether a command can be used
  const known = new Map<string, boolean>();
  const renew = () => {
    for (const [action] of labels) {
      const now = can(action);
      if (known.get(action) !== now) app.commands.notifyCommandChanged(commandName(action));
      known.set(action, now);
    }
  };
  let stop: (() => void) | undefined;
  const follow = () => {
    stop?.();
    stop = activeDesigner(app)?.session.store.subscribe(renew);
    renew();
  };
  designers().subscribe(follow);
  app.shell.currentChanged?.connect(follow);
}

const KEY_NAMES: Readonly<Record<string, string>> = { Delete: "Del" };

/** A keystroke of JupyterLab's settings as the designer writes keys; empty where the designer has no such key. */
export function keyName(keystroke: string): string {
  const parts = keystroke.split(" ");
  const key = parts.pop() ?? "";
  if (parts.includes("Alt")) return "";
  const command = parts.includes("Ctrl") || parts.includes("Cmd") || parts.includes("Accel");
  const shift = parts.includes("Shift") && (command || key.length > 1);
  return `${command ? "Ctrl+" : ""}${shift ? "Shift+" : ""}${KEY_NAMES[key] ?? key}`;
}

/** The keys that the settings give to the designer's commands. */
export class Keys {
  private readonly byKey = new Map<string, string>();
  private readonly bound: ReadonlySet<string>;

  constructor(
    bindings: readonly { readonly command: string; readonly keys: readonly string[] }[],
    words: TranslationBundle,
  ) {
    // the settings decide about all of these, also where they give one no key
    this.bound = new Set(Object.keys(actions(words)).filter((action) => !UNBOUND.has(action)));
    for (const { command, keys } of bindings) {
      const action = command.slice(PREFIX.length);
      const [keystroke] = keys;
      if (command.startsWith(PREFIX) && this.bound.has(action) && keys.length === 1 && keystroke)
        this.byKey.set(keyName(keystroke), action);
    }
  }

  commandFor(key: string): string | undefined {
    return this.byKey.get(key);
  }

  binds(action: string): boolean {
    return this.bound.has(action);
  }
}

/** Keys that depend on the keyboard's layout, which the settings cannot name, stay as they are. */
const UNBOUND: ReadonlySet<string> = new Set(["help", "zoomIn", "zoomOut", "fit", "previous", "next"]);
