/** What test files start beside themselves, read off what they import. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import ts from 'typescript';

const LOCAL = resolve(import.meta.dirname, '../testing');
/** Who imports one of these, directly or not, starts what it is for. */
const STARTERS = {
  controlPlane: resolve(LOCAL, 'controlplane.ts'),
  redis: resolve(LOCAL, 'redis.ts'),
} as const;

/** Something that takes long to fetch on a new machine. */
export type Need = keyof typeof STARTERS;

/** Tells what files need; what it has read once it does not read again. */
export class Needs {
  readonly #imports = new Map<string, readonly string[]>();

  /** What this file imports, itself or through other files of the project, that starts something. */
  of(file: string): ReadonlySet<Need> {
    const reached = new Set<string>();
    const pending = [resolve(file)];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      pending.push(...this.#importsOf(next));
    }
    const needs = Object.entries(STARTERS) as [Need, string][];
    return new Set(needs.filter(([, starter]) => reached.has(starter)).map(([need]) => need));
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
 * The relative paths that a module loads: by import, export from, and import() of a plain text. What is imported as types
 * alone is not loaded. Pure.
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
