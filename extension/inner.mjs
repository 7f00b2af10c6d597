// The names that the canvas's libraries have for members of their own objects, and nobody else for anything: what travels with
// every widget has short ones in their place.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { sep } from "node:path";
import ts from "typescript";

const LIBRARIES = ["@xyflow", "d3-", "zustand", "classcat"].map((name) => `node_modules/${name}`);
/** Has React Flow's objects in hand, which never leave it, so that its names for their members are React Flow's. */
const CANVAS = "designer/src/react/canvas/";
/** What elements of a page may be given; terser leaves what else browsers call by name. */
const ELEMENTS = createRequire(import.meta.url)
  .resolve("@types/react/package.json")
  .replace("package.json", "index.d.ts");

const words = (text) => text.match(/[A-Za-z_$][\w$]*/g) ?? [];

async function wordsOf(files) {
  return new Set((await Promise.all(files.map((file) => readFile(file, "utf8")))).flatMap(words));
}

/** Words of a program's texts: a member may be asked for by one, and an element has its data by those after `data-`. */
function said(program) {
  const found = [];
  const visit = (node) => {
    if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) found.push(...words(node.text));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("", program, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS));
  return found;
}

/** The names, in a program that is made of `files`. */
export async function innerNames(program, files) {
  const isOf = (file, folder) => file.replaceAll(sep, "/").includes(folder);
  const libraries = files.filter((file) => LIBRARIES.some((folder) => isOf(file, folder)) && !file.endsWith(".css"));
  const others = files.filter((file) => !libraries.includes(file) && !isOf(file, CANVAS));
  const taken = new Set([...(await wordsOf([...others, ELEMENTS])), ...said(program)]);
  // what React Flow says of itself is the name of a member of its messages
  return [...(await wordsOf(libraries))].filter(
    (name) => name.length > 2 && !taken.has(name) && !/^error\d/.test(name),
  );
}
