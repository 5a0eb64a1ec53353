/**
 * `npm run generate`: writes `crds/` from the types. With `--check` it writes nothing, and fails where a file differs.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { generate, GenerationError } from './crdgen.ts';
import { projectSources } from './project.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const root = join(import.meta.dirname, '../..');
const directory = join(root, 'crds');

try {
  const files = generate(projectSources(root));
  mkdirSync(directory, { recursive: true });
  const there = readdirSync(directory);
  const different = [...files].filter(([name, text]) => !there.includes(name) || read(name) !== text);
  const left = there.filter((name) => !files.has(name));
  if (values.check) {
    const names = [...different.map(([name]) => name), ...left];
    if (names.length > 0) {
      console.error(`crds/ does not fit the types in operator/api (${names.join(', ')}): run npm run generate.`);
      process.exitCode = 1;
    }
  } else {
    for (const [name, text] of different) writeFileSync(join(directory, name), text);
    for (const name of left) rmSync(join(directory, name));
    console.log(
      `crds/: ${different.length} written, ${left.length} removed, ${files.size - different.length} unchanged.`,
    );
  }
} catch (error) {
  if (!(error instanceof GenerationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function read(name: string): string {
  return readFileSync(join(directory, name), 'utf8');
}
