// What of libraries need not travel with every widget: parts that nothing here draws, and messages.
import { readFile } from "node:fs/promises";
import { fixed } from "./fixed.mjs";

/** Names of React Flow by their value, which is always the same here: `Canvas` and `Overview` never give it, or always give that. */
const VALUES = named([
  ["autoPanOnConnect autoPanOnNodeDrag onlyRenderVisibleElements snapToGrid", false],
  ["_panOnScroll panActivationKeyPressed panOnScroll", false],
  ["debug elevateEdgesOnSelect hasDefaultEdges hasDefaultNodes isControlledViewport selectionOnDrag", false],
  ["autoPanOnSelection disableKeyboardA11y edgesFocusable edgesReconnectable elementsSelectable", true],
  ["elevateNodesOnSelect nodesConnectable nodesDraggable nodesFocusable pannable selectNodesOnDrag", true],
  ["_panOnDrag isConnectable isConnectableEnd isConnectableStart zoomOnPinch zoomable", true],
  ["connectionMode", "strict"],
  ["lib", "react"],
  ["noDragClassName", "nodrag"],
  ["noPanClassName", "nopan"],
  ["noWheelClassName", "nowheel"],
  ["rfId", "1"],
  ["zIndexMode", "basic"],
  ["connectionDragThreshold paneClickDistance zoomStep", 1],
  ["nodeClickDistance", 0],
  ["nodeBorderRadius offsetScale", 5],
  ["reconnectRadius", 10],
  ["CustomComponent animated ariaLiveMessage ariaRole attributionPosition autoPanOnNodeFocus autoPanSpeed", undefined],
  ["connectionLineComponent connectionLineContainerStyle defaultEdges defaultMarkerColor defaultNodes", undefined],
  ["deleteKeyCode panActivationKeyCode", null],
  ["deletable domAttributes dragHandle fitViewResolver handleSelector initialHeight", undefined],
  ["initialWidth labelBgBorderRadius labelBgPadding labelBgStyle labelShowBg labelStyle markerEnd", undefined],
  ["markerStart maskStrokeColor maskStrokeWidth nodeClassName onClickConnectEnd onClickConnectStart", undefined],
  ["onEdgesChangeMiddlewareMap onNodesChangeMiddlewareMap onSelectionChangeHandlers", undefined],
  ["panOnScrollMode panOnScrollSpeed pathOptions positionAbsoluteX", undefined],
  ["positionAbsoluteY reconnectable scaleBy setClickDistance setDefaultNodesAndEdges snapGrid", undefined],
  ["sourceHandleId syncViewport targetHandleId", undefined],
  ["expandParent fitView fitViewOptions fitViewQueued inversePan nodeComponent nodeStrokeColor", undefined],
  ["onBeforeDelete onDelete onEdgeContextMenu onEdgeDoubleClick onEdgeMouseEnter onEdgeMouseLeave", undefined],
  ["onEdgeMouseMove onEdgesDelete onError onInit onNodeContextMenu onNodeMouseEnter onNodeMouseLeave", undefined],
  ["onNodeMouseMove onNodesDelete onPaneClick onPaneContextMenu onPaneMouseEnter onPaneMouseLeave", undefined],
  ["onPaneMouseMove onPaneScroll onSelectionChange onSelectionContextMenu onSelectionDrag", undefined],
  ["onSelectionDragStart onSelectionDragStop onSelectionEnd onSelectionStart onViewportChange", undefined],
  ["onViewportChangeEnd onViewportChangeStart parentId", undefined],
]);

/** The same within one function. */
const WITHIN = new Map([
  ["NodeWrapper", named([["onContextMenu onMouseEnter onMouseLeave onMouseMove", undefined]])],
  ["MiniMapComponent", named([["onNodeClick", undefined]])],
  [
    "ReactFlowProvider",
    named([["nodes edges width height minZoom maxZoom fitViewOptions nodeOrigin nodeExtent", undefined]]),
  ],
  ["getEdgePosition", named([["handles", undefined]])],
  ["isNodeInitialized", named([["handles", undefined]])],
  ["parseHandles", named([["handles", undefined]])],
  ["EdgeWrapper", named([["onContextMenu onDoubleClick onMouseEnter onMouseLeave onMouseMove", undefined]])],
]);

function named(values) {
  return new Map(values.flatMap(([names, value]) => names.split(" ").map((name) => [name, value])));
}

/** Enumerations as plain objects, which may be left out and whose members may stand where they are read. */
const ENUMERATION = [
  /^var (\w+);\n\(function \(\1\) \{([\s\S]*?)\}\)\(\1 \|\| \(\1 = \{\}\)\);/gm,
  (_, name, body) => `const ${name} = {${body.replace(/\w+\[("\w+")\] = ("[\w-]+");/g, "$1: $2,")}};`,
];

/** In React Flow's core: messages to those who program with it, of which only development builds tell, and names of what is not drawn. */
const SYSTEM = [
  ENUMERATION,
  [
    /const errorMessages = \{[\s\S]*?\n\};/g,
    "const errorMessages = /* @__PURE__ */ new Proxy({}, { get: (_, name) => () => name });",
  ],
  [/^ {4}'(?!edge\.)[\w.]+': .*$/gm, ""],
  // no card lies in another one
  [/(?<=function handleExpandParent\([^)]*\) \{)[\s\S]*?(?=\n\})/g, " return [];"],
  // the view stays while a card or a wire is dragged
  [/(?<=async function autoPan\(\) \{)[\s\S]*?(?=\n {8}\})/g, ""],
  [/(?<=\n {4}function autoPan\(\) \{)[\s\S]*?(?=\n {4}\})/g, ""],
  // cards go anywhere, to any px
  [/const multiDragSnapOffset = isMultiDrag[\s\S]*?: null;/g, ""],
  [/if \(snapToGrid\) \{\n {20}nextPosition[\s\S]*?\n {16}\}/g, ""],
  [/const nodesBox = isMultiDrag .*;/g, ""],
  [/if \(isMultiDrag && nodeExtent[\s\S]*?\n {16}\}/g, ""],
  // they stand where their places say, and nowhere else
  [/(?<=const getNodePositionWithOrigin = .*=> \{)[\s\S]*?(?=\n\};)/g, " return node.position;"],
  [
    /(?<=function calculateNodePosition\(.*\) \{)[\s\S]*?(?=\n\}\n)/g,
    " return { position: nextPosition, positionAbsolute: nextPosition };",
  ],
  [/if \(parentExpandChildren\.length > 0\) \{[\s\S]*?\n {4}\}/g, ""],
  // nobody asks for the connections of a card
  [
    /(?<=function updateConnectionLookup\(.*\) \{)[\s\S]*?(?=\n\})/g,
    " edgeLookup.clear(); for (const edge of edges) edgeLookup.set(edge.id, edge);",
  ],
  // the wheel zooms
  [/isPanOnScroll\s*\? createPanOnScrollHandler\([\s\S]*?\}\)\s*: /g, ""],
];

/** What the designer listens to at its own elements, or not at all. */
const UNHEARD =
  "onNode(?:Mouse(?:Enter|Move|Leave)|ContextMenu)|onEdge(?:Mouse(?:Enter|Move|Leave)|ContextMenu|DoubleClick)|" +
  "onPane(?:Click|Scroll|Mouse(?:Enter|Move|Leave)|ContextMenu)|onSelection(?:Start|End|ContextMenu)";

/** In its components: its own nodes, edges, marks and texts, of which none are drawn here, and names for its inspector. */
const REACT = [
  ENUMERATION,
  [/^const (MarkerSymbols|defaultSize) = \{[\s\S]*?\n\};/gm, ""],
  [/^ +use(NodeOrEdgeTypes|StylesLoaded)Warning\(\w*\);/gm, ""],
  [/^ {12}(zoomIn|zoomOut|fitBounds): async [\s\S]*?\n {12}\},/gm, ""],
  [/^\w+\.displayName = .*;$/gm, ""],
  [new RegExp(`\\b(${UNHEARD}): \\1, `, "g"), ""],
  [
    new RegExp(`(?<=^function (?:ReactFlow|GraphViewComponent|FlowRendererComponent)\\(.*)\\b(?:${UNHEARD}), `, "gm"),
    "",
  ],
  [/= (memo|forwardRef|create\w*Edge)\(/g, "= /* @__PURE__ */ $1("],
  [/= (errorMessages\[)/g, "= /* @__PURE__ */ $1"],
  [/const builtin(Node|Edge)Types = \{[^}]*\};/g, "const builtin$1Types = {};"],
  [/label && isNumeric\(labelX\) && isNumeric\(labelY\) \? .* : null\]/g, "null]"],
  [/jsx\(MarkerDefinitions\$1, \{[^}]*\}\)/g, "null"],
  [/jsx\(Attribution, \{[^}]*\}\)/g, "null"],
  [/(?<=children: \[)jsx\("div", \{ id: `\$\{ARIA_NODE_DESC_KEY\}[\s\S]*?(?=jsx\("div", \{ id: `\$\{ARIA_EDGE)/g, ""],
  [/^ +'--xy-minimap-(mask-stroke|node-background|node-stroke-color).*$/gm, ""],
  [/^ +(connectablestart|clickconnecting|connectingto): .*$/gm, ""],
  [/^ {4}const marker(Start|End)Url = .*$/gm, ""],
  // nobody listens to what is selected, or reads and sets the view by a setting
  [/jsx\(SelectionListener, .*? \}\)/g, "null"],
  [/^ {4}use(OnInitHandler|ViewportSync)\(\w+\);$/gm, ""],
  [/^ {8}setDefaultNodesAndEdges\(.*$/gm, ""],
  // the theme is known, and the store is around
  [/(?<=function useColorModeClass\(colorMode\) \{)[\s\S]*?(?=\n\})/g, " return colorMode;"],
  [/return \(jsx\(ReactFlowProvider, .*$/gm, ""],
  // its keys are off, the designer has its own
  [/!disableKeyboardA11y && jsx\(AriaLiveMessage, .*? \}\)/g, "null"],
  [/const moveSelectedNodes = useMoveSelectedNodes\(\);/g, ""],
  [
    /(?<=const onKeyDown = )\(event\) => \{\n {8}if \((Object|.* \|\| disableKeyboardA11y\))[\s\S]*?\n {4}\}(?=;)/g,
    "undefined",
  ],
  // cards and wires are the store's own: nobody asks React Flow to add, change or delete them
  [/return \{\s+getNodes: \(\) =>[\s\S]*?\n {8}\};(?=\n {4}\}, \[\]\);)/g, "return { getInternalNode };"],
  [/const (\{ deleteElements \}|deleteKeyPressed|panActivationKeyPressed) = .*/g, ""],
  [/useEffect\(\(\) => \{\n {8}if \(deleteKeyPressed\) [\s\S]*?\[deleteKeyPressed\]\);/g, ""],
  [/if \(parentExpandChildren\.length > 0\) \{[\s\S]*?\n {12}\}/g, ""],
  [/^ {12}for \(const middleware of .*\n.*\n {12}\}/gm, ""],
  [/const batchContext = useBatchContext\(\);/g, ""],
  // what is not on the page the canvas itself hides
  [/onlyRenderVisible\s*\? getNodesInside\(.*\s*: /g, ""],
  [/(?<=if \()!onlyRenderVisible(?=\))/g, "true"],
  [/jsx\(BatchProvider, (\{ children: .*? \})\) \}\)\);/g, "$1.children }));"],
  // the line of a connection that is being drawn is a curve
  [/switch \(type\) \{\s*case ConnectionLineType\.Bezier:[\s\S]*?\n {4}\}/g, "[path] = getBezierPath(pathParams);"],
];

/** In D3's selections: what nobody calls who moves a view or drags a card. */
const SELECTION = (
  "select selectAll selectChild selectChildren data enter exit join merge order sort attr classed text html raise lower " +
  "append insert remove clone dispatch nodes size empty"
)
  .split(" ")
  .map((name) => [new RegExp(`^ {2}${name}: selection_\\w+,$`, "gm"), ""])
  .concat([[/^(EnterNode|ClassList|Local)\.prototype = [\s\S]*?\n\};/gm, ""]]);

/** In what moves and drags: settings that nobody sets. */
const settings = (owner, names) =>
  names.split(" ").map((name) => [new RegExp(`^ {2}${owner}\\.${name} = [\\s\\S]*?\\n {2}\\};`, "gm"), ""]);
const ZOOM = settings("zoom", "translateTo touchable duration tapDistance").concat([
  [/^ {2}(applyX|applyY|rescaleX|rescaleY|toString): function[\s\S]*?\n {2}\},?$/gm, ""],
]);
const DRAG = settings("drag", "container subject touchable");

/** In what stands in for React: of all its members as one object only that is taken, the others by their names. */
const COMPAT = [[/_n=\{useState:[^}]*\}/, "_n={useDebugValue:_}"]];

/** A file of React Flow, of D3 under it or of Preact, with replacements, of which each must find its place: another version may need others. */
function edited(name, filter, replacements, isFlow = false) {
  return {
    name,
    setup(build) {
      build.onLoad({ filter }, async ({ path }) => {
        let contents = await readFile(path, "utf8");
        for (const [pattern, text] of replacements) {
          if (contents.search(pattern) < 0) throw new Error(`${path} has no ${pattern}`);
          contents = contents.replace(pattern, text);
        }
        return { contents: isFlow ? fixed(path, contents, VALUES, WITHIN) : contents };
      });
    },
  };
}

/** Rules for what is not drawn. */
const UNDRAWN =
  /[^{}]*react-flow__(arrowhead|attribution|background|controls|resize-control|edge-text|node-(default|group|input|output))[^{}]*\{[^{}]*\}/g;

/** React Flow's own style sheet has global names: keep it inside the designer. */
const scoped = {
  name: "scoped-react-flow",
  setup(build) {
    build.onLoad({ filter: /@xyflow[\\/]react[\\/]dist[\\/].*\.css$/ }, async ({ path }) => {
      const text = (await readFile(path, "utf8")).replace(/\/\*[\s\S]*?\*\//g, "").replace(UNDRAWN, "");
      const contents = text.replace(/(^|\})([^{}@]+)\{/g, (_, end, selectors) => {
        if (/^\s*(from|to|\d+%)\s*$/.test(selectors)) return `${end}${selectors}{`;
        const parts = selectors.split(",").map((s) => ` .ds-root ${s.trim()}`);
        return `${end}\n${parts.join(",")} {`;
      });
      return { contents, loader: "css" };
    });
  },
};

export const leanFlow = [
  scoped,
  edited("lean-d3-selection", /d3-selection[\\/]dist[\\/]d3-selection\.mjs$/, SELECTION),
  edited("lean-d3-zoom", /d3-zoom[\\/]dist[\\/]d3-zoom\.mjs$/, ZOOM),
  edited("lean-d3-drag", /d3-drag[\\/]dist[\\/]d3-drag\.mjs$/, DRAG),
  edited("lean-preact", /preact[\\/]compat[\\/]dist[\\/]compat\.m?js$/, COMPAT),
  edited("lean-react-flow-system", /@xyflow[\\/]system[\\/]dist[\\/]esm[\\/]index\.m?js$/, SYSTEM, true),
  edited("lean-react-flow", /@xyflow[\\/]react[\\/]dist[\\/]esm[\\/]index\.m?js$/, REACT, true),
];
