let pressed: EventTarget | null = null;

// before JupyterLab, which keeps the keys of its commands for itself
globalThis.addEventListener(
  "keydown",
  ({ target }) => {
    pressed = target;
    setTimeout(() => {
      pressed = null;
    });
  },
  true,
);

/** Take what is being typed into a field of a designer, where a key asks for it; a save that comes by itself leaves it. */
export function takeTyped(): void {
  if (!(pressed instanceof HTMLInputElement && pressed.closest(".ds-root"))) return;
  const field = pressed;
  field.blur(); // which takes it
  field.focus();
}
