import style from "../style/lab.css";

/** The style of what is outside of the designer, once a page. */
export function addStyle(): void {
  if (document.querySelector("style[data-dali-studio]")) return;
  const sheet = document.createElement("style");
  sheet.dataset.daliStudio = "";
  sheet.textContent = style;
  document.head.append(sheet);
}
