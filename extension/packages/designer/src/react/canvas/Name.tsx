/** How many characters at a name's end stay when its middle is left out. */
const TAIL = 4;

/** A name; a long one loses its middle, since names that differ mostly do so at their ends. */
export function Name({ text, title }: { readonly text: string; readonly title?: string }) {
  const cut = text.length > 2 * TAIL ? text.length - TAIL : text.length;
  return (
    <b title={title}>
      <span>{text.slice(0, cut)}</span>
      {text.slice(cut)}
    </b>
  );
}
