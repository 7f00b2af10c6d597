import type { TranslationBundle } from "@jupyterlab/translation";
import { plain } from "../../designer/src/core/format";
import { drawing, excerpt, operators } from "./drawing";
import type { Obstacle } from "./link";

/** What a view shows while no kernel takes its document: the graph, read-only, with the reason and what to do. */
export class Obstruction {
  readonly node = document.createElement("div");

  constructor(
    private readonly words: TranslationBundle,
    private readonly actions: { chooseKernel(): void; openText(): void; add(): void; again(): void },
  ) {
    this.node.className = "dali-Obstruction";
    this.node.hidden = true;
    this.node.dataset.testid = "obstruction";
  }

  show(obstacle: Obstacle | null, text: string): void {
    this.node.hidden = obstacle === null;
    this.node.replaceChildren();
    if (!obstacle) return;
    const bar = document.createElement("div");
    bar.className = "dali-Obstruction-bar";
    bar.setAttribute("role", "status");
    const said = document.createElement("span");
    const lead = document.createElement("b");
    lead.textContent = obstacle.kernel ? this.words.__("Read-only.") : this.words.__("Not opened.");
    said.append(lead, ` ${plain(obstacle.reason)}`);
    bar.append(said);
    if (obstacle.command) {
      const command = document.createElement("code");
      command.textContent = obstacle.command;
      said.append(" ", command);
    }
    if (obstacle.kernel) bar.append(this.button(this.words.__("Choose a kernel"), this.actions.chooseKernel, true));
    else {
      bar.append(this.button(this.words.__("Open as text"), this.actions.openText, true));
      bar.append(this.button(this.words.__("New pipeline"), this.actions.add)); // which offers to paste code
    }
    bar.append(this.button(this.words.__("Try again"), this.actions.again));
    const picture = document.createElement("div");
    picture.className = "dali-Obstruction-picture";
    // a text that is refused may look like a document without operators
    picture.append(obstacle.kernel || operators(text)[0] ? drawing(text, this.words) : excerpt(text));
    this.node.append(bar, picture);
  }

  private button(label: string, action: () => void, primary = false): HTMLButtonElement {
    const made = document.createElement("button");
    made.type = "button";
    made.className = `jp-Button jp-mod-styled ${primary ? "jp-mod-accept" : ""}`;
    made.textContent = label;
    made.addEventListener("click", action);
    return made;
  }
}
