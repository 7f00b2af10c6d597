import { PathExt } from "@jupyterlab/coreutils";
import type { Contents } from "@jupyterlab/services";
import { EXTENSION } from "./names";

/** The name without what says that it is a pipeline, a program or a notebook. */
export function stem(path: string): string {
  return PathExt.basename(path).replace(/(\.dali\.json|\.py|\.ipynb)$/, "");
}

async function exists(contents: Contents.IManager, path: string): Promise<boolean> {
  try {
    await contents.get(path, { content: false });
    return true;
  } catch {
    return false;
  }
}

/** Write a file under a name that is free; nothing is overwritten. */
export async function write(
  contents: Contents.IManager,
  place: { readonly folder: string; readonly name: string; readonly extension: string },
  content: string,
): Promise<string> {
  const { folder, name, extension } = place;
  let path = PathExt.join(folder, `${name}${extension}`);
  for (let i = 1; await exists(contents, path); i += 1) path = PathExt.join(folder, `${name}${i}${extension}`);
  const made = await contents.save(path, { type: "file", format: "text", content });
  return made.path;
}

export function writeDocument(
  contents: Contents.IManager,
  folder: string,
  name: string,
  content: string,
): Promise<string> {
  return write(contents, { folder, name, extension: EXTENSION }, content);
}

export async function textOf(contents: Contents.IManager, path: string): Promise<string> {
  const found = await contents.get(path, { content: true, type: "file", format: "text" });
  return String(found.content);
}
