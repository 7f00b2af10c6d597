// Bundles the designer twice: for widgets, the designer and the gallery, each into one ES module and one style sheet that the
// Python package ships, and the module that loads them; for JupyterLab, a prebuilt extension with the same designer as a chunk.
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { minify } from "terser";
import { innerNames } from "./inner.mjs";
import { leanFlow } from "./lean.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(here, "..", "dali_studio", "studio", "static");
const lab = join(here, "packages", "lab");

const { version } = JSON.parse(await readFile(join(here, "package.json"), "utf8"));

/** Children of elements as arguments of a call, which is a fiftieth shorter than as a property of each. */
const elements = {
  name: "elements",
  setup(build) {
    build.onLoad({ filter: /\.tsx$/ }, async ({ path }) => ({
      contents: `import * as React from "react";${await readFile(path, "utf8")}`,
      loader: "tsx",
    }));
  },
};

const common = {
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "esm",
  target: "es2022",
  tsconfigRaw: { compilerOptions: { jsx: "react" } },
  legalComments: "none",
  // React Flow's words to those who program with it
  drop: ["console"],
  define: {
    "process.env.NODE_ENV": '"production"',
    "import.meta.env": "undefined",
    "Number.POSITIVE_INFINITY": "Infinity",
    VERSION: JSON.stringify(version),
  },
  plugins: [...leanFlow, elements],
  // Preact stands in for React: a quarter of the bundle, which travels with every widget, was React's.
  alias: {
    react: "preact/compat",
    "react/jsx-runtime": "preact/jsx-runtime",
    "react-dom": "preact/compat",
    "react-dom/client": "preact/compat/client",
    "use-sync-external-store/shim/with-selector.js": join(here, "packages/designer/src/react/selected.ts"),
    "d3-transition": join(here, "packages/designer/src/core/transition.ts"),
    // D3's interpolates colours, dates and texts too, which nothing here animates.
    "d3-interpolate": join(here, "packages/designer/src/core/zoomWay.ts"),
    "d3-ease": join(here, "packages/designer/src/core/ease.ts"),
  },
  logLevel: "info",
};

const widget = {
  ...common,
  entryPoints: {
    widget: join(here, "packages/designer/src/widget/index.tsx"),
    gallery: join(here, "packages/designer/src/widget/gallery.tsx"),
    loader: join(here, "packages/designer/src/widget/loader.ts"),
  },
  outdir: out,
};

/** Writes the widgets' modules. Terser drops and folds across statements what esbuild leaves, a fiftieth of each. */
async function buildWidget() {
  const { outputFiles, metafile } = await esbuild.build({ ...widget, write: false, metafile: true });
  await mkdir(out, { recursive: true });
  for (const { path, text } of outputFiles) {
    // no function of the modules is called by `new` that does not use `this`
    // and no property that is read does anything
    const compress = { passes: 3, unsafe_arrows: true, hoist_funs: true, pure_getters: true };
    // elements of the page have a `class`, which Preact knows as well
    const program = text.replace(/\b(\w+\("[a-z\d]+",\{(?:\w+:[\w".!]+,)*)className:/g, "$1class:");
    // nor do references, whose member is `current`, and what our own components are given
    const names = ["current", "testId", "nodeKey", ...(await innerNames(program, Object.keys(metafile.inputs)))];
    const mangle = { properties: { regex: new RegExp(`^(?:${names.join("|")})$`) } };
    const smaller = path.endsWith(".js") && (await minify(program, { module: true, ecma: 2022, compress, mangle }));
    await writeFile(path, smaller ? named(smaller.code) : text);
  }
}

/** A program with elements and attributes that it has by the hundred, and functions and methods that many places call, by names of four letters. */
function named(code) {
  const attributes = { $tid: "data-testid", $lab: "aria-label", $hid: "aria-hidden" };
  const methods = {
    $box: "getBoundingClientRect()",
    $pre: "preventDefault()",
    $stp: "stopPropagation()",
    $all: "stopImmediatePropagation()",
    $get: "getState()",
    $low: "toLowerCase()",
    $add: "addEventListener(",
    $rem: "removeEventListener(",
    $one: "querySelector(",
    $cap: "setPointerCapture(",
    $now: "store.get()",
    $has: "includes(",
    $beg: "startsWith(",
    $flm: "flatMap(",
  };
  const functions = {
    $min: "Math.min",
    $max: "Math.max",
    $rnd: "Math.round",
    $abs: "Math.abs",
    $flr: "Math.floor",
    $cei: "Math.ceil",
    $hyp: "Math.hypot",
    $clr: "clearTimeout",
    $ent: "Object.entries",
    $obj: "Object.fromEntries",
    $txt: "JSON.stringify",
    $key: "Object.keys",
    $val: "Object.values",
    $arr: "Array.isArray",
    $lst: "Array.from",
    $raf: "requestAnimationFrame",
    $tim: "setTimeout",
  };
  const values = [];
  let made = code;
  const replace = (name, pattern, text, value) => {
    if (code.includes(name)) throw new Error(`the program has a ${name} already`);
    made = made.replaceAll(new RegExp(pattern, "g"), text);
    if (made.includes(name)) values.push(`${name}=${value}`);
  };
  for (const [name, attribute] of Object.entries(attributes))
    replace(name, `(?<=[{,])"${attribute}":`, `[${name}]:`, `"${attribute}"`);
  for (const [name, called] of Object.entries(functions))
    replace(name, `(?<![\\w$.])${called.replace(".", "\\.")}(?=[(,)])`, name.replace("$", "$$$$"), called);
  for (const [name, call] of Object.entries(methods)) {
    const takes = call.endsWith("(");
    const object = "(?<![\\w$.?])([\\w$]+(?:\\.[\\w$]+)*)";
    replace(
      name,
      `${object}\\.${call.replace(/[()]/g, "\\$&")}`,
      takes ? `${name}($1,` : `${name}($1)`,
      takes ? `(e,...a)=>e.${call}...a)` : `e=>e.${call}`,
    );
  }
  const create = code.match(/([\w$]+)\("div",\{class:/)?.[1];
  if (create) {
    const called = create.replaceAll("$", "\\$&");
    const made = (props) => `(e,...a)=>${create}(${props},...a)`;
    replace("$btn", `${called}\\("button",\\{type:"button",`, "$$btn({", made('"button",{type:"button",...e}'));
    for (const [name, tag] of Object.entries({ $div: "div", $spn: "span" }))
      replace(name, `${called}\\("${tag}",\\{class:("[^"]*")\\}`, `$${name}($1`, made(`"${tag}",{class:e}`));
  }
  return values.length > 0 ? `const ${values.join(",")};${made}` : made;
}

/** Packages that JupyterLab shares: `container.ts` has put them where these modules look. */
const shared = {
  name: "shared-packages",
  setup(build) {
    build.onResolve({ filter: /^@(jupyterlab|lumino)\// }, ({ path }) => ({ path, namespace: "shared" }));
    build.onLoad({ filter: /.*/, namespace: "shared" }, ({ path }) => ({
      contents: `module.exports = globalThis.daliStudioShared[${JSON.stringify(path)}];`,
    }));
  },
};

const MODULES = { "./extension": "index", "./mimeExtension": "mime" };

/** The packages that a chunk needs as soon as it is loaded, or as soon as a chunk is that it loads later. */
function needs(file, outputs) {
  const found = new Set();
  const seen = new Set();
  const visit = (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const input of Object.keys(outputs[name].inputs)) if (input.startsWith("shared:")) found.add(input.slice(7));
    for (const { path } of outputs[name].imports) visit(path);
  };
  visit(file);
  return [...found].sort();
}

/** The folder that JupyterLab serves: `package.json`, the settings' schema, and the programs. */
async function buildLab() {
  const about = JSON.parse(await readFile(join(lab, "package.json"), "utf8"));
  const target = resolve(lab, about.jupyterlab.outputDir);
  await rm(target, { recursive: true, force: true });
  const style = await esbuild.build({
    ...common,
    entryPoints: { designer: join(lab, "style", "designer.css") },
    outdir: join(target, "static"),
    entryNames: "[name]-[hash]",
    metafile: true,
  });
  const { metafile } = await esbuild.build({
    ...common,
    entryPoints: Object.values(MODULES).map((name) => join(lab, "src", `${name}.ts`)),
    outdir: join(target, "static"),
    splitting: true,
    metafile: true,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    define: {
      ...common.define,
      STYLE: JSON.stringify(basename(Object.keys(style.metafile.outputs)[0])),
    },
    loader: { ".css": "text", ".jpg": "dataurl" },
    plugins: [elements, shared],
  });
  const files = {};
  const wanted = {};
  for (const [module, name] of Object.entries(MODULES)) {
    const output = Object.entries(metafile.outputs).find(
      ([path, { entryPoint }]) => path.endsWith(".js") && entryPoint?.endsWith(`lab/src/${name}.ts`),
    )[0];
    files[module] = basename(output);
    wanted[module] = needs(output, metafile.outputs);
  }
  const container = await esbuild.build({
    ...common,
    entryPoints: [join(lab, "src", "container.ts")],
    outdir: join(target, "static"),
    format: "iife",
    metafile: true,
    entryNames: "remoteEntry.[hash]",
    define: {
      FILES: JSON.stringify(files),
      NEEDS: JSON.stringify(wanted),
      NAME: JSON.stringify(about.name),
    },
  });
  const { sharedPackages } = about.jupyterlab;
  const unknown = Object.values(wanted)
    .flat()
    .filter((name) => !sharedPackages[name]);
  if (unknown.length > 0) throw new Error(`package.json of lab names no version of ${unknown.join(", ")}`);
  const served = {
    ...about,
    // JupyterLab compares these with what it has: `jupyter labextension list` says whether they fit.
    dependencies: sharedPackages,
    jupyterlab: {
      ...about.jupyterlab,
      _build: {
        load: `static/${basename(Object.keys(container.metafile.outputs)[0])}`,
        extension: "./extension",
        mimeExtension: "./mimeExtension",
      },
    },
  };
  await writeFile(join(target, "package.json"), `${JSON.stringify(served, null, 2)}\n`);
  const installed = {
    packageManager: "python",
    packageName: "dali-studio",
    uninstallInstructions: "Use your Python package manager (pip, conda, etc.) to uninstall dali-studio",
  };
  await writeFile(join(target, "install.json"), `${JSON.stringify(installed, null, 2)}\n`);
  const schemas = join(target, "schemas", about.name);
  await mkdir(schemas, { recursive: true });
  await cp(join(lab, about.jupyterlab.schemaDir), schemas, { recursive: true });
  await cp(join(lab, "package.json"), join(schemas, "package.json.orig"));
}

if (process.argv.includes("--watch")) {
  const context = await esbuild.context(widget);
  await context.watch();
} else {
  await Promise.all([buildWidget(), buildLab()]);
}
