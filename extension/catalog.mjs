// The template of translations (`npm run catalog`, or with the name of a file): what the extension says by `words.__("...")`, and the titles of its settings.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const here = dirname(fileURLToPath(import.meta.url));
const lab = join(here, "packages", "lab");
/** Of a plugin's schema, JupyterLab translates these, each in its context (`DEFAULT_SCHEMA_SELECTORS` of jupyterlab_server). */
const OF_SETTINGS = [
  [/^\/(definitions\/.*\/)?properties\/.*\/(title|description)$/, "settings"],
  [/^\/jupyter\.lab\.setting-icon-label$/, "settings"],
  [/^\/(title|description)$/, "schema"],
];

/** Calls `found(text, line)` for each text that a program says. */
function inProgram(name, source, found) {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest);
  const visit = (node) => {
    const [first] = ts.isCallExpression(node) && node.expression.name?.text === "__" ? node.arguments : [];
    if (first && ts.isStringLiteralLike(first))
      found(first.text, file.getLineAndCharacterOfPosition(first.getStart(file)).line + 1);
    ts.forEachChild(node, visit);
  };
  visit(file);
}

/** Calls `found(text, context)` for each text of a schema. */
function inSettings(value, found, path = "") {
  for (const [key, one] of Object.entries(value)) {
    const place = `${path}/${key}`;
    const [, context] = OF_SETTINGS.find(([pattern]) => pattern.test(place)) ?? [];
    if (typeof one === "string" && context) found(one, context);
    else if (typeof one === "object" && one !== null) inSettings(one, found, place);
  }
}

/** The texts and where they stand. */
export async function texts() {
  const all = new Map();
  const add = (path, text, line, context) => {
    const id = JSON.stringify([context, text]);
    all.set(id, [...(all.get(id) ?? []), `${relative(here, path)}:${line}`]);
  };
  for (const name of (await readdir(join(lab, "src"))).sort()) {
    const path = join(lab, "src", name);
    if (name.endsWith(".ts")) inProgram(name, await readFile(path, "utf8"), (text, line) => add(path, text, line, ""));
  }
  for (const name of (await readdir(join(lab, "schema"))).sort()) {
    const path = join(lab, "schema", name);
    inSettings(JSON.parse(await readFile(path, "utf8")), (text, context) => add(path, text, 1, context));
  }
  return [...all].map(([id, places]) => ({ context: JSON.parse(id)[0], text: JSON.parse(id)[1], places }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const head =
    'msgid ""\nmsgstr ""\n"Project-Id-Version: dali_studio\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n';
  const entries = (await texts()).map(({ context, text, places }) =>
    [
      ...places.map((place) => `#: ${place}`),
      ...(context ? [`msgctxt "${context}"`] : []),
      `msgid ${JSON.stringify(text)}`,
      'msgstr ""\n',
    ].join("\n"),
  );
  const target = resolve(process.argv[2] ?? join(here, "..", "build", "dali_studio.pot"));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, [head, ...entries].join("\n"));
  process.stdout.write(`${relative(process.cwd(), target)}: ${entries.length} texts\n`);
}
