/** The version of this half; a kernel with another one is not written to. */
declare const VERSION: string;
export const version = VERSION;

export const FACTORY = "DALI designer";
export const FILE_TYPE = "dali-pipeline";
export const MODEL = "dali-pipeline";
export const EXTENSION = ".dali.json";
export const PLUGIN = "@dali-studio/lab:documents";
/** A graph in an output; its data is a document. */
export const MIME = "application/vnd.dali-studio.graph+json";
/** Asks JupyterLab's side to open the document that an output holds. */
export const OPEN_EVENT = "dali-studio:open";
