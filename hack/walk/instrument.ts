/**
 * Rewrites modules while they are loaded, so that each function reports when control enters its file from another one. A sampling
 * profile would miss short functions, and coverage does not know who called. Import this module before those that it watches.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** Where control is, and whether entries are recorded. */
interface Recorder {
  file: string;
  entries: string[] | undefined;
  /** Control enters a function. @returns the file that it came from */
  enter: (file: string) => string;
  /** Control goes back: a function has returned or waits, or goes on after it waited. @returns the value */
  at: <T>(file: string, value?: T) => T | undefined;
}

const recorder: Recorder = {
  file: '',
  entries: undefined,
  enter(file) {
    const from = this.file;
    if (from !== file) this.entries?.push(file);
    this.file = file;
    return from;
  },
  at(file, value) {
    this.file = file;
    return value;
  },
};
const GLOBAL = '__walk';
Object.assign(globalThis, { [GLOBAL]: recorder });

/**
 * Watches the modules below a folder, except tests and test support.
 * @param folder a file URL that ends with a slash
 */
export function watchModules(folder: string): void {
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith(folder) || /\/testing\/|\.test\.ts$/.test(url)) return next(url, context);
      const source = rewritten(readFileSync(fileURLToPath(url), 'utf8'), url.slice(folder.length));
      return { format: 'module', source, shortCircuit: true };
    },
  });
}

/** Records while `run` runs. @returns the files that control entered, in this order */
export async function recordEntries(run: () => Promise<void>): Promise<readonly string[]> {
  const entries: string[] = [];
  recorder.entries = entries;
  try {
    await run();
  } finally {
    recorder.entries = undefined;
  }
  return entries;
}

function rewritten(source: string, file: string): string {
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
    transformers: { before: [(context) => (root) => rewriteFunctions(root, file, context)] },
  });
  return outputText;
}

/**
 * A function becomes `const from = enter(FILE); try { … } finally { at(from) }`, and an `await x` in it
 * `at(FILE, await at(from, x))`. Generators are left alone: control leaves them at each yield.
 */
function rewriteFunctions(root: ts.SourceFile, file: string, context: ts.TransformationContext): ts.SourceFile {
  const { factory: f } = context;
  const call = (method: string, ...args: ts.Expression[]): ts.Expression =>
    f.createCallExpression(f.createPropertyAccessExpression(f.createIdentifier(GLOBAL), method), undefined, args);
  const name = f.createStringLiteral(file);
  const from = f.createIdentifier('__from');
  const body = (node: ts.ConciseBody): ts.Block => {
    const statements = ts.isBlock(node) ? node.statements : [f.createReturnStatement(node)];
    const declaration = f.createVariableDeclaration(from, undefined, undefined, call('enter', name));
    return f.createBlock([
      f.createVariableStatement(undefined, f.createVariableDeclarationList([declaration], ts.NodeFlags.Const)),
      f.createTryStatement(
        f.createBlock(statements),
        undefined,
        f.createBlock([f.createExpressionStatement(call('at', from))]),
      ),
    ]);
  };
  const visit = (node: ts.Node): ts.Node => {
    const visited = ts.visitEachChild(node, visit, context);
    if (ts.isAwaitExpression(visited)) {
      return call('at', name, f.createAwaitExpression(call('at', from, visited.expression)));
    }
    if (ts.isArrowFunction(visited)) {
      const { modifiers, typeParameters, parameters, type, equalsGreaterThanToken: arrow } = visited;
      return f.updateArrowFunction(visited, modifiers, typeParameters, parameters, type, arrow, body(visited.body));
    }
    if (ts.isMethodDeclaration(visited) && visited.body !== undefined && visited.asteriskToken === undefined) {
      const { modifiers, name: method, typeParameters, parameters, type } = visited;
      return f.updateMethodDeclaration(
        ...([visited, modifiers, undefined, method, undefined, typeParameters, parameters, type] as const),
        body(visited.body),
      );
    }
    if (ts.isFunctionDeclaration(visited) && visited.body !== undefined && visited.asteriskToken === undefined) {
      const { modifiers, name: own, typeParameters, parameters, type } = visited;
      return f.updateFunctionDeclaration(
        ...([visited, modifiers, undefined, own, typeParameters, parameters, type] as const),
        body(visited.body),
      );
    }
    return visited;
  };
  // An await outside of a rewritten function, such as in a generator or at the top of a module, stays as it is.
  const visitTop = (node: ts.Node): ts.Node => (isGenerator(node) ? node : ts.visitEachChild(node, visitRoot, context));
  const visitRoot = (node: ts.Node): ts.Node =>
    isGenerator(node) ? node : ts.isFunctionLike(node) ? visit(node) : visitTop(node);
  return ts.visitEachChild(root, visitRoot, context);
}

function isGenerator(node: ts.Node): boolean {
  return (ts.isMethodDeclaration(node) || ts.isFunctionDeclaration(node)) && node.asteriskToken !== undefined;
}
