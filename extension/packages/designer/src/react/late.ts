import { useEffect, useState } from "react";

/** How long something may take before it is said, in ms: most steps of a slider are over by then. */
const LATE = 400;

/** Whether something has been so for a while. */
export function useLate(is: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!is) return undefined;
    const timer = setTimeout(setLate, LATE, true);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [is]);
  return is && late;
}
