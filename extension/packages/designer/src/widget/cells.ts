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

/** Puts a program into a new cell below the one of the designer; false where that cannot be. */
export type InsertCell = (source: string) => boolean;

/** What makes cells below the one in which `element` stands; null where the page gives no way to. */
export function cellMaker(model: { readonly widget_manager?: unknown }, element: Element): InsertCell | null {
  const shared = (model.widget_manager as Manager | undefined)?.context?.model?.sharedModel;
  if (!shared?.insertCell) return null;
  return (source) => {
    const place = placeOf(element);
    if (place >= 0) shared.insertCell?.(place + 1, { cell_type: "code", source, metadata: {} });
    return place >= 0;
  };
}
