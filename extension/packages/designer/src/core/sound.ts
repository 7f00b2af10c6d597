/** The channels of 16-bit numbers that stand in turn, over -1 to 1. */
export function playable(data: DataView | ArrayBuffer | undefined, channels: number): Float32Array<ArrayBuffer>[] {
  if (!data || channels < 1) return [];
  const view = data instanceof DataView ? data : new DataView(data);
  const length = Math.floor(view.byteLength / 2 / channels);
  return Array.from({ length: channels }, (_, channel) =>
    Float32Array.from({ length }, (_, i) => view.getInt16(2 * (i * channels + channel), true) / 32768),
  );
}
