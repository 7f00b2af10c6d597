import type { Frame } from "./context";

/** What a cell says for a node's output: of the variable that holds the designer, or of the file. */
export function cellLine({ session, host }: Frame, key: string): string {
  const file = host?.file.get().name;
  const of = session.store.get().confirmed?.variable || (file ? `Designer(${JSON.stringify(file)})` : "designer");
  return `${of}.node[${JSON.stringify(key)}].output()`;
}

/** What is outside of the designer where the pointer is. */
export function outside({ root }: Frame, { clientX, clientY }: MouseEvent): Element | null {
  const there = root.ownerDocument.elementFromPoint(clientX, clientY);
  return root.contains(there) ? null : there;
}

/** Drop a text as the browser does, for whoever takes text: cells put it where the pointer is. */
export function dropText(target: Element, { clientX, clientY }: MouseEvent, text: string): void {
  const dataTransfer = new DataTransfer();
  dataTransfer.setData("text/plain", text);
  target.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, clientX, clientY, dataTransfer }));
}
