/** What is called while it still goes on waits: JupyterLab takes a save beside another one for a change of the file by others. */
export function inTurn<T>(act: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const mine = last.catch(() => undefined).then(act);
    last = mine;
    return mine;
  };
}
