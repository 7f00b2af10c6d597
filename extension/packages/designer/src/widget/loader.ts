/** What a notebook keeps of the designer's program: it asks the kernel for the rest, once a page. */

interface Model {
  get(name: "_bundle"): unknown;
  send(content: { readonly type: "bundle" }): void;
  on(name: "msg:custom", listener: Listener): void;
  off(name: "msg:custom", listener: Listener): void;
}

interface View {
  readonly model: Model;
  readonly el: HTMLElement;
}

type Listener = (content: unknown, buffers: readonly (DataView | ArrayBuffer)[] | undefined) => void;

interface Bundle {
  readonly program: { readonly default: { render(view: View): () => void } };
  readonly style: string;
}

/** Bundles of this page, by what is in them. */
const PAGE = globalThis as { daliStudioBundles?: Map<string, Promise<Bundle>> };
const WAITING = "Waiting for the kernel…";

async function unpacked(part: DataView | ArrayBuffer | undefined): Promise<Blob> {
  const stream = new Blob(part ? [part as BlobPart] : []).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).blob();
}

async function made(buffers: readonly (DataView | ArrayBuffer)[]): Promise<Bundle> {
  const [program, style] = await Promise.all([unpacked(buffers[0]), unpacked(buffers[1])]);
  const address = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
  try {
    return { program: await import(address), style: await style.text() };
  } finally {
    URL.revokeObjectURL(address);
  }
}

function asked(model: Model): Promise<Bundle> {
  return new Promise((resolve, reject) => {
    const listener: Listener = (content, buffers) => {
      if ((content as { type?: unknown } | null)?.type !== "bundle" || !buffers) return;
      model.off("msg:custom", listener);
      made(buffers).then(resolve, reject);
    };
    model.on("msg:custom", listener);
    model.send({ type: "bundle" });
  });
}

function bundleOf(model: Model): Promise<Bundle> {
  PAGE.daliStudioBundles ??= new Map();
  const known = PAGE.daliStudioBundles;
  const name = String(model.get("_bundle"));
  const bundle = known.get(name) ?? asked(model);
  known.set(name, bundle);
  bundle.catch(() => known.delete(name));
  return bundle;
}

async function render(view: View): Promise<() => void> {
  const { model, el } = view;
  const words = setTimeout(() => {
    el.textContent = WAITING;
  }, 3000);
  const { program, style } = await bundleOf(model);
  clearTimeout(words);
  el.textContent = "";
  const sheet = el.ownerDocument.createElement("style");
  sheet.textContent = style;
  el.append(sheet);
  const end = program.default.render(view);
  return () => {
    end();
    sheet.remove();
  };
}

export default { render };
