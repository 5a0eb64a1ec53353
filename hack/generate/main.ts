/**
 * `npm run generate` writes every generated file; `-- NAME…` only those of some generators. With `--check`, it writes nothing,
 * and fails if a file differs.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { GenerationError } from '../crdgen/crdgen.ts';
import { runGenerators, selectGenerators } from './generate.ts';
import { GENERATORS } from './generators.ts';

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
});
try {
  const generators = selectGenerators(GENERATORS, positionals);
  runGenerators(generators, join(import.meta.dirname, '../..'), !values.check, ({ name, ...outcome }) => {
    const { written, removed, unchanged } = outcome;
    const outdated = [...written, ...removed];
    if (values.check && outdated.length > 0) {
      console.error(`${name}: not up to date: ${outdated.join(', ')}. Run npm run generate -- ${name}.`);
      process.exitCode = 1;
    } else console.log(`${name}: ${written.length} written, ${removed.length} removed, ${unchanged} unchanged.`);
  });
} catch (error) {
  const { message, cause } = error as Error;
  // The stack helps only with a fault of a generator.
  console.error(cause === undefined || cause instanceof GenerationError ? message : error);
  process.exitCode = 1;
}
