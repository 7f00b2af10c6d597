import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ITranslator, nullTranslator, type TranslationBundle } from "@jupyterlab/translation";
import { LabIcon } from "@jupyterlab/ui-components";
import { Widget } from "@lumino/widgets";
import { designers, isOurs, type Shown } from "../../designer/src/core/designers";
import type { PanelName } from "../../designer/src/react/panels";
import { designer } from "./designer";
import { icon } from "./icon";

const gallery = new LabIcon({
  name: "dali-studio:gallery",
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 20 20">
<g class="jp-icon3" fill="#616161"><rect x="2" y="2" width="7" height="7" rx="1.5"/><rect x="11" y="2" width="7" height="7" rx="1.5"/>
<rect x="2" y="11" width="7" height="7" rx="1.5"/><rect x="11" y="11" width="7" height="7" rx="1.5"/></g></svg>`,
});

/** A part of the designer in use, whichever it is. */
class Panel extends Widget {
  private readonly root = document.createElement("div");
  private readonly empty = document.createElement("p");
  private shown: Shown | null = null;
  private end: (() => void) | null = null;
  private turn = 0;

  constructor(
    private readonly name: PanelName,
    private readonly words: TranslationBundle,
  ) {
    super();
    this.id = `dali-studio-${name}`;
    this.addClass("dali-Panel");
    this.root.className = "ds-widget ds-whole";
    this.empty.className = "dali-Panel-empty";
    this.node.dataset.testid = `lab-${name}`;
    this.node.append(this.root, this.empty);
    designers().subscribe(() => void this.follow());
  }

  protected override onAfterShow(): void {
    this.tell();
    void this.follow();
  }

  protected override onAfterHide(): void {
    this.tell();
  }

  /** Where this shows the inspector, the designer does not. */
  private tell(): void {
    const outside = this.isVisible && this.end !== null;
    // only what is news: whoever is told asks this panel again, without an end once nothing is open
    if (this.name === "inspector" && designers().get().outside !== outside) designers().set((s) => ({ ...s, outside }));
  }

  /** Show the active designer's part, while anybody can see it. */
  private async follow(): Promise<void> {
    const { active } = designers().get();
    if (!this.isVisible || (active === this.shown && active !== null)) return;
    this.turn += 1;
    const { turn } = this;
    const ours = active !== null && isOurs(active);
    const program = ours ? await designer() : null;
    if (turn !== this.turn) return;
    this.end?.();
    this.end = null;
    this.shown = active;
    this.root.hidden = !program;
    this.empty.textContent = program ? "" : this.excuse(active);
    if (program && active) this.end = program.mountPanel(this.name, this.root, active);
    this.tell();
  }

  private excuse(active: Shown | null): string {
    return active
      ? this.words.__("This designer is of version %1 of DALI Studio, which JupyterLab does not have.", active.version)
      : this.words.__("Open a pipeline, or run a cell with a designer.");
  }
}

/** The gallery on the left and the inspector on the right; both follow the designer that is used. */
export const sidebar: JupyterFrontEndPlugin<void> = {
  id: "@dali-studio/lab:sidebar",
  description: "The gallery of operators and the inspector, in the sidebars.",
  autoStart: true,
  optional: [ITranslator, ILayoutRestorer],
  activate: (app: JupyterFrontEnd, translator: ITranslator | null, restorer: ILayoutRestorer | null) => {
    const words = (translator ?? nullTranslator).load("dali_studio");
    // The tab in front says which designer is in use, also before anybody has clicked into it.
    let known = designers().get().shown;
    const front = () => {
      const inside = known.filter((one) => app.shell.currentWidget?.node.contains(one.root));
      const active = inside.at(-1);
      designers().set((s) => (!active || (s.active && inside.includes(s.active)) ? s : { ...s, active }));
    };
    app.shell.currentChanged?.connect(front);
    designers().subscribe(() => {
      const { shown } = designers().get();
      if (shown === known) return;
      known = shown;
      front();
    });
    const panels = [
      { name: "gallery", title: words.__("DALI gallery"), mark: gallery, area: "left", rank: 700 },
      { name: "inspector", title: words.__("DALI inspector"), mark: icon, area: "right", rank: 700 },
    ] as const;
    for (const { name, title, mark, area, rank } of panels) {
      const panel = new Panel(name, words);
      panel.title.icon = mark;
      panel.title.caption = title;
      app.shell.add(panel, area, { rank, type: "DALI Studio" });
      restorer?.add(panel, panel.id);
    }
  },
};
