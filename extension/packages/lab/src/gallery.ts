import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from "@jupyterlab/application";
import type { ISessionContext, IWidgetTracker } from "@jupyterlab/apputils";
import { INotebookTracker } from "@jupyterlab/notebook";
import type { Kernel } from "@jupyterlab/services";
import { ITranslator, nullTranslator, type TranslationBundle } from "@jupyterlab/translation";
import { LabIcon } from "@jupyterlab/ui-components";
import { Widget } from "@lumino/widgets";
import { designers, isOurs } from "../../designer/src/core/designers";
import type { GalleryClient, GalleryTransport } from "../../designer/src/gallery/client";
import type { GalleryAnswer, Tile } from "../../designer/src/protocol/generated";
import { activeDesigner } from "./actions";
import { designer, gallery } from "./designer";
import { Tracker } from "./documents";
import { LOSSES, listening, pageName } from "./link";

/** Under this name the kernel takes galleries (`studio/gallery_attach.py`). */
const TARGET = "dali_studio.gallery";

const pictures = new LabIcon({
  name: "dali-studio:pictures",
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 20 20">
<g class="jp-icon3" fill="#616161"><path d="M3 3h14a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zm.6 1.6v9l4-4.6 3 3.4 2.2-2.2 3.6 3.6V4.6z"/>
<circle cx="13" cy="7.6" r="1.6"/></g></svg>`,
});

interface Place extends Widget {
  readonly context: { readonly sessionContext: ISessionContext };
}

/** A gallery's comm in a kernel; `onEnd`: the kernel is gone. */
async function transportIn(kernel: Kernel.IKernelConnection, onEnd: () => void): Promise<GalleryTransport> {
  await listening(kernel);
  const comm = kernel.createComm(TARGET);
  comm.onClose = onEnd;
  kernel.disposed.connect(onEnd);
  kernel.statusChanged.connect((_, status) => {
    if (LOSSES.includes(status)) onEnd();
  });
  comm.open({ page: pageName() });
  return {
    send: (message, buffers = []) => {
      if (!comm.isDisposed) comm.send(message, undefined, buffers);
    },
    onMessage: (listener) => {
      comm.onMsg = ({ content, buffers }) => listener(content.data as GalleryAnswer, buffers ?? []);
      return () => {
        comm.onMsg = () => undefined;
      };
    },
  };
}

const NO_KERNEL: GalleryTransport = { send: () => undefined, onMessage: () => () => undefined };

/** The gallery; its pictures come from the kernel of the designer in use, and without one it has names. */
class GalleryPanel extends Widget {
  private readonly root = document.createElement("div");
  private shown: { readonly client: GalleryClient; end(): void } | null = null;
  /** The kernel that makes the pictures. */
  private kernel: Kernel.IKernelConnection | null = null;
  /** One that cannot. */
  private unable: Kernel.IKernelConnection | null = null;
  private turn = 0;

  constructor(
    private readonly app: JupyterFrontEnd,
    private readonly places: readonly IWidgetTracker<Place>[],
    private readonly words: TranslationBundle,
  ) {
    super();
    this.id = "dali-studio-tiles";
    this.addClass("dali-Panel");
    this.root.className = "ds-widget ds-whole";
    this.node.dataset.testid = "lab-tiles";
    this.node.append(this.root);
    designers().subscribe(() => void this.follow());
    const watch = (place: Place) => place.context.sessionContext.kernelChanged.connect(() => void this.follow());
    for (const tracker of places) {
      tracker.forEach(watch);
      tracker.widgetAdded.connect((_, place) => watch(place));
    }
  }

  protected override onAfterShow(): void {
    void this.follow();
  }

  /** The kernel of the designer in use. */
  private found(): Kernel.IKernelConnection | null {
    const active = designers().get().active?.root;
    let kernel: Kernel.IKernelConnection | null = null;
    for (const tracker of this.places)
      tracker.forEach((place) => {
        if (active && place.node.contains(active)) kernel = place.context.sessionContext.session?.kernel ?? null;
      });
    return kernel;
  }

  /** Begin in a kernel as soon as there is one; a gallery that has one keeps it while it lasts. */
  private async follow(): Promise<void> {
    if (!this.isVisible || this.kernel) return;
    const kernel = this.found();
    if (this.shown && (!kernel || kernel === this.unable)) return;
    this.turn += 1;
    const { turn } = this;
    const lost = () => {
      if (this.kernel !== kernel) return;
      this.kernel = null;
      void this.draw(NO_KERNEL, this.words.__("The kernel that made the pictures has ended.")).then(() => {
        if (kernel?.isDisposed) return this.follow(); // another designer may have one
      });
    };
    this.kernel = kernel;
    if (!kernel) {
      await this.draw(NO_KERNEL, this.words.__("Open a pipeline: its kernel makes the pictures."));
      return;
    }
    try {
      const transport = await transportIn(kernel, lost);
      if (turn === this.turn && this.kernel === kernel) await this.draw(transport, "");
    } catch (error) {
      this.kernel = null;
      this.unable = kernel;
      await this.draw(NO_KERNEL, error instanceof Error ? error.message : String(error));
    }
  }

  private async draw(transport: GalleryTransport, reason: string): Promise<void> {
    const [program, names] = await Promise.all([gallery(), reason ? import("./tiles.generated.json") : null]);
    if (this.isDisposed) return;
    const before = this.shown?.client.store.get();
    this.shown?.end();
    this.shown = program.mountGallery(this.root, transport, {
      insertCell: () => false,
      showDesigner: null,
      pick: (tile) => void this.pick(tile),
    });
    const { client } = this.shown;
    if (before)
      client.view({ query: before.query, filter: before.filter, keepsBoxes: before.keepsBoxes, gpu: before.gpu });
    if (names)
      client.view({ reason, opened: { type: "gallery_opened", tiles: names.default as Tile[], dialects: [] } });
    else client.start();
  }

  /** An operator goes into the designer in use, an example becomes a document. */
  private async pick(tile: Tile): Promise<void> {
    if (tile.example) {
      await this.app.commands.execute("dali-studio:open-example", { name: tile.name });
      return;
    }
    const active = activeDesigner(this.app);
    const done = active && isOurs(active) && (await designer()).addOperator(active, tile.name);
    const message = this.words.__("No designer is open for %1.", tile.title);
    const hint = this.words.__("Open a pipeline, or drag this into a cell.");
    this.shown?.client.view({ failed: done ? [] : [{ code: "DS209", message, hint }] });
  }
}

/** The gallery on the left. */
export const galleryPanel: JupyterFrontEndPlugin<void> = {
  id: "@dali-studio/lab:gallery",
  description: "The gallery in the sidebar: what operators and examples do to pictures.",
  autoStart: true,
  requires: [Tracker],
  optional: [ITranslator, ILayoutRestorer, INotebookTracker],
  activate: (
    app: JupyterFrontEnd,
    documents: Tracker,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    notebooks: INotebookTracker | null,
  ) => {
    const words = (translator ?? nullTranslator).load("dali_studio");
    const panel = new GalleryPanel(app, notebooks ? [documents, notebooks] : [documents], words);
    panel.title.icon = pictures;
    panel.title.caption = words.__("DALI gallery");
    app.shell.add(panel, "left", { rank: 701, type: "DALI Studio" });
    restorer?.add(panel, panel.id);
  },
};
