import { createContext, useContext } from "react";
import type { Detail } from "../../core/detail";

/** How much the cards show; it changes when the view has come to rest. */
export const DetailContext = createContext<Detail>("full");

export function useDetail(): Detail {
  return useContext(DetailContext);
}
