/** The files that a test file loads. Tests check their names with it. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import ts from 'typescript';

/** Follows imports; reads each file once. */
export class Imports {
  readonly #imports = new Map<string, readonly string[]>();

  /** All files of the project that a file loads, itself or through other files. */
  of(file: string): ReadonlySet<string> {
    const reached = new Set<string>();
    const pending = [resolve(file)];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      pending.push(...this.#importsOf(next));
    }
    return reached;
  }

  #importsOf(file: string): readonly string[] {
    const known = this.#imports.get(file);
    if (known) return known;
    const folder = dirname(file);
    const found = /\.[cm]?[jt]s$/.test(file) && existsSync(file) ? importedPaths(readFileSync(file, 'utf8')) : [];
    const files = found.map((path) => resolve(folder, path));
    this.#imports.set(file, files);
    return files;
  }
}

/**
 * The relative paths that a module loads: by `import`, `export … from`, and `import()` of a literal. Imports of types are
 * not loaded. Pure.
 */
export function importedPaths(text: string): string[] {
  const found: string[] = [];
  const add = (specifier: ts.Node | undefined): void => {
    if (specifier && ts.isStringLiteralLike(specifier) && specifier.text.startsWith('.')) found.push(specifier.text);
  };
  const dynamic = /\bimport\s*\(/.test(text);
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && node.importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword) {
      add(node.moduleSpecifier);
    }
    if (ts.isExportDeclaration(node) && !node.isTypeOnly) add(node.moduleSpecifier);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0]);
    if (dynamic || ts.isSourceFile(node)) ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('module.ts', text, ts.ScriptTarget.Latest, false, ts.ScriptKind.TS));
  return found;
}
