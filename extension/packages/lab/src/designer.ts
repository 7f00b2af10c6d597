/** The designer itself and the gallery are chunks of their own, loaded when they are first shown. */
import type * as Gallery from "../../designer/src/gallery/mount";
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

async function withStyle<T>(loading: Promise<T>): Promise<T> {
  styled ??= style();
  await styled;
  return loading;
}

export function designer(): Promise<typeof Designer> {
  return withStyle(import("../../designer/src/index"));
}

export function gallery(): Promise<typeof Gallery> {
  return withStyle(import("../../designer/src/gallery/mount"));
}
