/** The files from which the shipped weights were trained. A change of one of them needs a new training. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

export const root = join(import.meta.dirname, '../..');
export const inputsFile = join(import.meta.dirname, 'inputs.json');

/** The digest of each file, by its path in the project. */
export type Inputs = Readonly<Record<string, string>>;

/** What a language gives to the training: a new file there is an input, although no recorded training has read it. */
const LANGUAGE_FILES = 'hack/training/languages/**/*';

/**
 * The digest of a file. That of a module does not depend on its comments and its white space, so that a new comment needs no
 * training.
 */
export function digestOf(file: string): string {
  const content = readFileSync(join(root, file));
  const hash = createHash('sha256').update(file.endsWith('.ts') ? tokensOf(content.toString()).join('\n') : content);
  return hash.digest('hex').slice(0, 32);
}

/** The tokens of a module. */
export function tokensOf(text: string): string[] {
  const source = ts.createSourceFile('module.ts', text, ts.ScriptTarget.Latest, false, ts.ScriptKind.TS);
  const tokens: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    if (children.length === 0) tokens.push(node.getText(source));
    else children.forEach(visit);
  };
  visit(source);
  return tokens;
}

/** @param reads the state of each path that a training has read, relative to the project: see `recordedRun` */
export const inputsOf = (reads: Readonly<Record<string, string>>): Inputs =>
  Object.fromEntries(
    Object.entries(reads)
      .filter(([file, state]) => state.startsWith('file ') && !/^(?:\.\.|hack\/(?!training\/))/.test(file))
      .map(([file]) => [file, digestOf(file)]),
  );

/** The files that differ from those of the training, are missing, or are new. */
export function changedInputs(inputs: Inputs): string[] {
  const files = globSync(LANGUAGE_FILES, { cwd: root }).filter((file) => /\.(?:ts|txt)$/.test(file));
  const added = files.filter((file) => !file.endsWith('.test.ts') && !(file in inputs));
  const changed = Object.entries(inputs).filter(
    ([file, digest]) => !existsSync(join(root, file)) || digestOf(file) !== digest,
  );
  return [...changed.map(([file]) => file), ...added].sort();
}
