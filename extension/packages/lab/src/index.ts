import type { JupyterFrontEndPlugin } from "@jupyterlab/application";
import { contents } from "./contents";
import { documents } from "./documents";
import { pictures } from "./pictures";
import { programs } from "./programs";
import { sidebar } from "./sidebar";
import { toolbar } from "./toolbar";

// biome-ignore lint/suspicious/noExplicitAny: each plugin provides something else
const plugins: readonly JupyterFrontEndPlugin<any>[] = [documents, toolbar, programs, pictures, sidebar, contents];

export default plugins;
