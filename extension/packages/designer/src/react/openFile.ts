import { textInPng } from "../core/pngText";
import type { Session } from "../core/session";

/** A document has no more bytes than this. */
const MAX_BYTES = 64 * 2 ** 20;

/** Open a file that was dropped: a document, or a PNG picture that carries one. What is neither is refused by the kernel. */
export async function openFile(session: Session, file: File): Promise<void> {
  if (file.size > MAX_BYTES) return;
  const bytes = new Uint8Array(await file.arrayBuffer());
  session.send({ type: "open_text", text: textInPng(bytes) ?? new TextDecoder().decode(bytes) });
}
