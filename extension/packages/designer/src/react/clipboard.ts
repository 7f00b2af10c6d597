/** Put text on the clipboard; where the browser does not allow it, nothing happens. */
export function copyText(text: string): void {
  void globalThis.navigator?.clipboard?.writeText(text).catch(() => undefined);
}
