/** Middle and width of what is in view. */
type View = readonly [number, number, number];

/** The way from one view to another: it zooms evenly, about the one point that both have at the same place. */
export function interpolateZoom([x, y, width]: View, [toX, toY, toWidth]: View): (t: number) => View {
  const grown = toWidth - width;
  return (t) => {
    const now = width * (toWidth / width) ** t;
    const part = Math.abs(grown) < 1e-6 * width ? t : (now - width) / grown;
    return [x + (toX - x) * part, y + (toY - y) * part, now];
  };
}

export { interpolateZoom as interpolate };
