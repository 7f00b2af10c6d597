/** The designer itself is a chunk of its own, loaded when it is first shown. */
import type * as Designer from "../../designer/src/index";

let loading: Promise<typeof Designer> | undefined;

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

/** The name of the style sheet, set when this is built. */
declare const STYLE: string;

export function designer(): Promise<typeof Designer> {
  loading ??= Promise.all([import("../../designer/src/index"), style()]).then(([program]) => program);
  return loading;
}
