import { LabIcon } from "@jupyterlab/ui-components";

/** Two sources that flow into one: the mark of the designer's bar. The classes take the theme's colours. */
export const icon = new LabIcon({
  name: "dali-studio:pipeline",
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 20 20">
<g class="jp-icon-brand1 jp-icon-selectable" stroke="#1976d2" style="fill:none" stroke-width="1.6">
<circle cx="4.5" cy="5" r="2.4"/><circle cx="4.5" cy="15" r="2.4"/>
<path d="M7 5c4 0 2 5 6 5M7 15c4 0 2-5 6-5"/></g>
<circle class="jp-icon-brand1 jp-icon-selectable" cx="15.5" cy="10" r="2.9" fill="#1976d2"/></svg>`,
});
