import { createContext, type ReactNode, useContext } from "react";
import { type Detail, detailOf } from "../../core/detail";

const DetailContext = createContext<Detail>("full");
const ZoomContext = createContext(1);

/** Tells cards the zoom of the view at rest: what follows each step of a gesture would be laid out and painted at each. */
export function AtZoom({ zoom, children }: { readonly zoom: number; readonly children: ReactNode }) {
  return (
    <ZoomContext.Provider value={zoom}>
      <DetailContext.Provider value={detailOf(zoom)}>{children}</DetailContext.Provider>
    </ZoomContext.Provider>
  );
}

/** How much the cards show. */
export function useDetail(): Detail {
  return useContext(DetailContext);
}

/** The zoom when the view last came to rest. */
export function useZoom(): number {
  return useContext(ZoomContext);
}
