const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** An international text chunk that is called dali-studio, neither compressed nor translated. */
const HEAD = "iTXtdali-studio\0\0\0\0\0";

/** The document that a PNG picture of a graph carries; null for any other data. */
export function textInPng(bytes: Uint8Array): string | null {
  if (!SIGNATURE.every((b, i) => bytes[i] === b)) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = SIGNATURE.length; at + 8 <= bytes.length; ) {
    const size = view.getUint32(at);
    const body = bytes.subarray(at + 4, at + 8 + size);
    if (Array.from(HEAD).every((c, i) => body[i] === c.charCodeAt(0)))
      return new TextDecoder().decode(body.subarray(HEAD.length));
    at += 12 + size;
  }
  return null;
}
