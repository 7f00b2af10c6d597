/** A part of a picture that is looked at: how many times it is enlarged, and where the picture's corner then is, in parts of the frame. */
export interface Lens {
  readonly zoom: number;
  readonly x: number;
  readonly y: number;
}

export const WHOLE: Lens = { zoom: 1, x: 0, y: 0 };
const MOST = 64;

/** No nearer than `MOST`, and without a gap beside the picture. */
function held({ zoom, x, y }: Lens): Lens {
  const inside = (v: number) => Math.min(0, Math.max(1 - zoom, v));
  return { zoom, x: inside(x), y: inside(y) };
}

/** Enlarged by a factor about a point of the frame, which stays where it is. */
export function zoomed(lens: Lens, by: number, at: { readonly x: number; readonly y: number }): Lens {
  const zoom = Math.min(MOST, Math.max(1, lens.zoom * by));
  const kept = (place: number, corner: number) => place - ((place - corner) / lens.zoom) * zoom;
  return held({ zoom, x: kept(at.x, lens.x), y: kept(at.y, lens.y) });
}

export function panned(lens: Lens, x: number, y: number): Lens {
  return held({ ...lens, x: lens.x + x, y: lens.y + y });
}
