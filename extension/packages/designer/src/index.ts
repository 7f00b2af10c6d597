/** What JupyterLab's side needs of the designer, as one chunk that is loaded with the first document. */
export { Session } from "./core/session";
export { mount, pictureWidth } from "./react/mount";
export { addOperator, mountPanel } from "./react/panels";
