// Programs in which some names always have the same value: it stands where they are read, and nobody hands them on, so that
// the bundler drops what they decide.
import ts from "typescript";

const { factory } = ts;

function expression(value) {
  if (value === null) return factory.createNull();
  if (value === undefined) return factory.createVoidZero();
  if (typeof value === "string") return factory.createStringLiteral(value);
  if (typeof value === "number") return factory.createNumericLiteral(value);
  return value ? factory.createTrue() : factory.createFalse();
}

/** The name that an identifier or a member of an object reads. */
function read(node) {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  const { parent } = node;
  // what declares a name or names a member reads nothing
  return ts.isIdentifier(node) && parent.name !== node && parent.propertyName !== node ? node.text : "";
}

/** `values` has the value of each name; `within` those that are known in one function alone, by its name. */
export function fixed(path, text, values, within) {
  const transformer = (context) => {
    const visitor = (names) => {
      const visit = (node) => {
        if (ts.isFunctionDeclaration(node) && within.has(node.name.text))
          return ts.visitEachChild(node, visitor(new Map([...names, ...within.get(node.name.text)])), context);
        const isTaken = ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent) && !node.propertyName;
        if ((isTaken || ts.isObjectLiteralElementLike(node)) && names.has(node.name?.text)) return undefined;
        // nor listed
        if (ts.isStringLiteral(node) && ts.isArrayLiteralExpression(node.parent) && names.has(node.text))
          return undefined;
        // or what is nothing told as a member
        if (ts.isPropertyAssignment(node)) {
          const name = read(node.initializer);
          if (names.has(name) && names.get(name) === undefined) return undefined;
        }
        const name = read(node);
        return names.has(name) ? expression(names.get(name)) : ts.visitEachChild(node, visit, context);
      };
      return visit;
    };
    return (file) => ts.visitNode(file, visitor(values));
  };
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  return ts.createPrinter().printFile(ts.transform(source, [transformer]).transformed[0]);
}
