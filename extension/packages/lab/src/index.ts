import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { documents } from "./documents";

const plugins: readonly JupyterFrontEndPlugin<unknown>[] = [documents];

export type { JupyterFrontEnd };
export default plugins;
