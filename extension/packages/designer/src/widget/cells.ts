/** The part of a notebook's widget manager that is used: JupyterLab's and Notebook's have it. */
interface Manager {
  readonly context?: {
    readonly model?: {
      readonly sharedModel?: {
        readonly cells?: readonly unknown[];
        insertCell?(index: number, cell: { cell_type: "code"; source: string; metadata: object }): unknown;
      };
    };
  };
}

/** The place of the cell in which an element stands; -1 outside of a notebook. */
function placeOf(element: Element): number {
  const cell = element.closest(".jp-Cell");
  if (!cell) return -1;
  const told = cell.getAttribute("data-windowed-list-index");
  if (told !== null) return Number(told);
  const all = cell.closest(".jp-Notebook")?.querySelectorAll(".jp-Cell") ?? [];
  return [...all].indexOf(cell);
}

/** Put a program into a new cell below the one in which `element` stands; false where that cannot be. */
export function insertCell(model: { readonly widget_manager?: unknown }, element: Element, source: string): boolean {
  const shared = (model.widget_manager as Manager | undefined)?.context?.model?.sharedModel;
  const place = placeOf(element);
  if (!shared?.insertCell || place < 0) return false;
  shared.insertCell(place + 1, { cell_type: "code", source, metadata: {} });
  return true;
}
