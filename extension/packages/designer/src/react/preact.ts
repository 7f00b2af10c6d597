import { options, type VNode } from "preact";

/** Preact writes attributes as they are spelt, and in SVG `tabIndex` is none: wires and grips would lose the keyboard. */
const create = options.vnode;
options.vnode = (vnode: VNode) => {
  const props = vnode.props as Record<string, unknown>;
  if (typeof vnode.type === "string" && props.tabIndex !== undefined) {
    props.tabindex = props.tabIndex;
    delete props.tabIndex;
  }
  create?.(vnode);
};
