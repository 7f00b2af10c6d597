/** The designer itself is a chunk of its own, loaded when it is first shown. */
import type * as Designer from "../../designer/src/index";

/** The name of the style sheet, set when this is built. */
declare const STYLE: string;

let styled: Promise<void> | undefined;

function style(): Promise<void> {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = new URL(STYLE, import.meta.url).href;
  return new Promise((resolve) => {
    link.onload = () => resolve();
    link.onerror = () => resolve(); // without it the designer is plain, and still there
    document.head.append(link);
  });
}

export async function designer(): Promise<typeof Designer> {
  const loading = import("../../designer/src/index");
  styled ??= style();
  await styled;
  return loading;
}
