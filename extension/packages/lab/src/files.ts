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

interface Place {
  readonly folder: string;
  readonly name: string;
  readonly extension: string;
}

/** A path under which nothing is. */
async function freePath(contents: Contents.IManager, { folder, name, extension }: Place): Promise<string> {
  let path = PathExt.join(folder, `${name}${extension}`);
  for (let i = 1; await exists(contents, path); i += 1) path = PathExt.join(folder, `${name}${i}${extension}`);
  return path;
}

/** Call a document otherwise, or what is free like it. */
export async function renameDocument(contents: Contents.IManager, path: string, name: string): Promise<void> {
  await contents.rename(path, await freePath(contents, { folder: PathExt.dirname(path), name, extension: EXTENSION }));
}

/** Write a file under a name that is free; nothing is overwritten. */
export async function write(contents: Contents.IManager, place: Place, content: string): Promise<string> {
  const path = await freePath(contents, place);
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
