import { useEffect, useState } from "react";
import type { Breadth, Theme } from "./context";

function hostTheme(root: HTMLElement): Theme {
  const { body, documentElement, defaultView } = root.ownerDocument;
  const says = (query: string) => defaultView?.matchMedia(query).matches ?? false;
  const name = `${body.dataset.jpThemeName ?? ""} ${body.className} ${documentElement.className}`.toLowerCase();
  if (/high[\s-]contrast/.test(name) || says("(prefers-contrast: more)")) return "hc";
  const lab = body.dataset.jpThemeLight;
  if (lab !== undefined) return lab === "true" ? "light" : "dark";
  if (/\b(vscode-)?dark\b/.test(name)) return "dark";
  if (/\b(vscode-)?light\b/.test(name)) return "light";
  return says("(prefers-color-scheme: dark)") ? "dark" : "light";
}

/** Whether the host's surface is a colour of its own: then canvas and cards are mixed from it. */
function isTinted(root: HTMLElement): boolean {
  const surface = root.firstElementChild;
  const colour = surface ? root.ownerDocument.defaultView?.getComputedStyle(surface).backgroundColor : undefined;
  const [red = 255, green = 255, blue = 255] = (colour?.match(/\d+(?:\.\d+)?/g) ?? []).map(Number);
  const light = Math.min(red, green, blue) >= 235;
  const dark = Math.max(red, green, blue) <= 60;
  return !light && !dark;
}

/** The host's theme, followed while it changes. */
export function useTheme(root: HTMLElement): { readonly theme: Theme; readonly tinted: boolean } {
  const [theme, setTheme] = useState(() => hostTheme(root));
  const [tinted, setTinted] = useState(false);
  useEffect(() => {
    const update = () => {
      setTheme(hostTheme(root));
      // The host's style sheet may arrive a little after its attributes.
      requestAnimationFrame(() => setTinted(isTinted(root)));
      setTimeout(() => setTinted(isTinted(root)), 300);
    };
    const { body, documentElement, defaultView } = root.ownerDocument;
    const observer = new MutationObserver(update);
    const watched = { attributes: true, attributeFilter: ["class", "data-jp-theme-light", "data-jp-theme-name"] };
    observer.observe(body, watched);
    observer.observe(documentElement, watched);
    const queries = ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"].flatMap(
      (q) => defaultView?.matchMedia(q) ?? [],
    );
    for (const q of queries) q.addEventListener("change", update);
    update();
    return () => {
      observer.disconnect();
      for (const q of queries) q.removeEventListener("change", update);
    };
  }, [root]);
  return { theme, tinted };
}

function breadthOf(width: number): Breadth {
  if (width >= 1100) return "wide";
  if (width >= 960) return "medium";
  if (width > 800) return "narrow";
  return width >= 560 ? "slim" : "list";
}

/** Which frame the widget's width allows. */
export function useBreadth(root: HTMLElement): Breadth {
  const [breadth, setBreadth] = useState<Breadth>(() => breadthOf(root.clientWidth || 1180));
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (root.clientWidth > 0) setBreadth(breadthOf(root.clientWidth));
    });
    observer.observe(root);
    return () => observer.disconnect();
  }, [root]);
  return breadth;
}
