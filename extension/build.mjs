// Bundles the designer and the gallery, each into one ES module and one style sheet that the Python package ships, and
// the module that loads them.
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(here, "..", "dali_studio", "studio", "static");

/** React Flow's own style sheet has global names: keep it inside the designer. */
const scoped = {
  name: "scoped-react-flow",
  setup(build) {
    build.onLoad({ filter: /@xyflow[\\/]react[\\/]dist[\\/].*\.css$/ }, async ({ path }) => {
      const text = (await readFile(path, "utf8")).replace(/\/\*[\s\S]*?\*\//g, "");
      const contents = text.replace(/(^|\})([^{}@]+)\{/g, (_, end, selectors) => {
        if (/^\s*(from|to|\d+%)\s*$/.test(selectors)) return `${end}${selectors}{`;
        const parts = selectors.split(",").map((s) => ` .ds-root ${s.trim()}`);
        return `${end}\n${parts.join(",")} {`;
      });
      return { contents, loader: "css" };
    });
  },
};

const options = {
  entryPoints: {
    widget: join(here, "packages/designer/src/widget/index.tsx"),
    gallery: join(here, "packages/designer/src/widget/gallery.tsx"),
    loader: join(here, "packages/designer/src/widget/loader.ts"),
  },
  outdir: out,
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  legalComments: "none",
  define: { "process.env.NODE_ENV": '"production"' },
  plugins: [scoped],
  // Preact stands in for React: a quarter of the bundle, which travels with every widget, was React's.
  alias: {
    react: "preact/compat",
    "react/jsx-runtime": "preact/jsx-runtime",
    "react-dom": "preact/compat",
    "react-dom/client": "preact/compat/client",
  },
  logLevel: "info",
};

if (process.argv.includes("--watch")) {
  const context = await esbuild.context(options);
  await context.watch();
} else {
  await esbuild.build(options);
}
