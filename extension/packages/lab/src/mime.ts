import { type ITranslator, nullTranslator, type TranslationBundle } from "@jupyterlab/translation";
import { Widget } from "@lumino/widgets";
import { drawing } from "./drawing";
import { MIME, OPEN_EVENT } from "./names";
import { addStyle } from "./style";

interface MimeModel {
  readonly data: Readonly<Record<string, unknown>>;
}

/** A graph in a notebook's output: its picture, and the way into the designer. */
class GraphOutput extends Widget {
  constructor(private readonly words: TranslationBundle) {
    super();
    this.addClass("dali-Graph");
  }

  renderModel({ data }: MimeModel): Promise<void> {
    const text = JSON.stringify(data[MIME] ?? {});
    const svg = data["image/svg+xml"];
    this.node.replaceChildren(
      typeof svg === "string" ? picture(svg, this.words) : drawing(text, this.words),
      opener(text, this.words),
    );
    return Promise.resolve();
  }
}

/** As an image nothing in it runs, whoever wrote the notebook. */
function picture(svg: string, words: TranslationBundle): HTMLImageElement {
  const image = document.createElement("img");
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  image.alt = /aria-label="([^"]*)"/.exec(svg)?.[1] ?? words.__("Pipeline");
  return image;
}

function opener(text: string, words: TranslationBundle): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = words.__("Open in designer");
  button.addEventListener("click", () => {
    button.dispatchEvent(new CustomEvent(OPEN_EVENT, { bubbles: true, detail: text }));
  });
  return button;
}

addStyle();

export default {
  id: "@dali-studio/lab:graph",
  description: "Shows graphs in notebooks, also without a kernel.",
  rendererFactory: {
    safe: true,
    mimeTypes: [MIME],
    createRenderer: ({ translator }: { readonly translator?: ITranslator }) =>
      new GraphOutput((translator ?? nullTranslator).load("dali_studio")),
  },
  /** Before the SVG that comes with it. */
  rank: 10,
  dataType: "json",
};
