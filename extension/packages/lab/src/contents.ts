import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ITableOfContentsRegistry, TableOfContentsFactory, TableOfContentsModel } from "@jupyterlab/toc";
import type { PipelineDocument } from "./document";
import { Tracker } from "./documents";

interface Heading {
  readonly text: string;
  readonly level: number;
  readonly key: string;
}

interface Node {
  readonly key: string;
  readonly operator: string;
}

/** The nodes of a document, in the order of its text, which is that of the program. */
class GraphContents extends TableOfContentsModel<Heading, PipelineDocument> {
  get documentType(): string {
    return "dali-pipeline";
  }

  override get supportedOptions(): readonly string[] {
    return [];
  }

  protected getHeadings(): Promise<Heading[] | null> {
    if (!this.isActive) return Promise.resolve(null);
    const { graph } = this.widget.content.session?.store.get() ?? {};
    const nodes: readonly Node[] = graph?.nodes ?? [];
    return Promise.resolve(nodes.map(({ key, operator }) => ({ text: named(key, operator), level: 1, key })));
  }
}

function named(key: string, operator: string): string {
  return operator === key ? key : `${key} (${operator})`;
}

class GraphContentsFactory extends TableOfContentsFactory<PipelineDocument> {
  protected _createNew(widget: PipelineDocument): GraphContents {
    const model = new GraphContents(widget);
    const show = (_: unknown, heading: Heading | null) => {
      const { session } = widget.content;
      if (!heading || !session) return;
      session.select([heading.key]);
      widget.content.reveal(heading.key);
    };
    model.activeHeadingChanged.connect(show);
    widget.content.graphChanged.connect(() => void model.refresh());
    return model;
  }
}

/** A pipeline's nodes in the table of contents. */
export const contents: JupyterFrontEndPlugin<void> = {
  id: "@dali-studio/lab:contents",
  description: "The table of contents of a pipeline.",
  autoStart: true,
  requires: [Tracker],
  optional: [ITableOfContentsRegistry],
  activate: (_: JupyterFrontEnd, tracker: Tracker, registry: ITableOfContentsRegistry | null) => {
    registry?.add(new GraphContentsFactory(tracker));
  },
};
