/**
 * Rewrites modules while they are loaded, so that each function reports when it is called. A sampling profile would miss short
 * functions, and coverage does not know who called. Import this module before those that it watches.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { Call } from './summary.ts';

/** A function that runs, or waits. */
interface Frame {
  readonly file: string;
  /** Whether it belongs to the flow: it is asynchronous, or has called a function that is. */
  isStep: boolean;
  readonly caller: Frame | undefined;
}

/** What a function runs in. It follows a call over everything that the call waits for. */
const frames = new AsyncLocalStorage<Frame>();
let calls: Call[] | undefined;

function run<T>(file: string, isAsync: boolean, body: () => T): T {
  const frame: Frame = { file, isStep: false, caller: frames.getStore() };
  calls?.push({ file, from: undefined });
  if (isAsync) addStep(frame);
  return frames.run(frame, body);
}

function addStep(frame: Frame): void {
  if (frame.isStep) return;
  frame.isStep = true;
  const { caller, file } = frame;
  if (caller !== undefined) addStep(caller);
  // A file that waits for a call, and goes on in a function that it has passed on, is not entered again.
  for (let waiting = caller; waiting !== undefined; waiting = waiting.caller) if (waiting.file === file) return;
  calls?.push({ file, from: caller?.file ?? '' });
}

const GLOBAL = '__walk';
Object.assign(globalThis, { [GLOBAL]: run });

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

/** Records while `during` runs. @returns the calls, in this order */
export async function recordCalls(during: () => Promise<void>): Promise<readonly Call[]> {
  const recorded: Call[] = [];
  calls = recorded;
  try {
    await during();
  } finally {
    calls = undefined;
  }
  return recorded;
}

function rewritten(source: string, file: string): string {
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
    transformers: { before: [(context) => (root) => rewriteFunctions(root, file, context)] },
  });
  return outputText;
}

/**
 * The body of a function becomes `return run(FILE, IS_ASYNC, () => { … })`. Generators and constructors are left alone: `yield`
 * and `super` have no place in another function.
 */
function rewriteFunctions(root: ts.SourceFile, file: string, context: ts.TransformationContext): ts.SourceFile {
  const { factory: f } = context;
  const body = (node: ts.ConciseBody, modifiers: readonly ts.ModifierLike[] | undefined): ts.Block => {
    const isAsync = modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) === true;
    const block = ts.isBlock(node) ? node : f.createBlock([f.createReturnStatement(node)]);
    const keyword = isAsync ? [f.createModifier(ts.SyntaxKind.AsyncKeyword)] : undefined;
    const arrow = f.createToken(ts.SyntaxKind.EqualsGreaterThanToken);
    const inner = f.createArrowFunction(keyword, undefined, [], undefined, arrow, block);
    const args = [f.createStringLiteral(file), isAsync ? f.createTrue() : f.createFalse(), inner];
    return f.createBlock([
      f.createReturnStatement(f.createCallExpression(f.createIdentifier(GLOBAL), undefined, args)),
    ]);
  };
  const visit = (node: ts.Node): ts.Node => {
    const visited = ts.visitEachChild(node, visit, context);
    if (ts.isArrowFunction(visited)) {
      const { modifiers, typeParameters, parameters, type, equalsGreaterThanToken: arrow } = visited;
      const block = body(visited.body, modifiers);
      return f.updateArrowFunction(visited, modifiers, typeParameters, parameters, type, arrow, block);
    }
    if (ts.isMethodDeclaration(visited) && visited.body !== undefined && visited.asteriskToken === undefined) {
      const { modifiers, name: method, typeParameters, parameters, type } = visited;
      return f.updateMethodDeclaration(
        ...([visited, modifiers, undefined, method, undefined, typeParameters, parameters, type] as const),
        body(visited.body, modifiers),
      );
    }
    if (ts.isFunctionDeclaration(visited) && visited.body !== undefined && visited.asteriskToken === undefined) {
      const { modifiers, name: own, typeParameters, parameters, type } = visited;
      return f.updateFunctionDeclaration(
        ...([visited, modifiers, undefined, own, typeParameters, parameters, type] as const),
        body(visited.body, modifiers),
      );
    }
    return visited;
  };
  return ts.visitEachChild(root, visit, context);
}
