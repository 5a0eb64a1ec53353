/**
 * Loads only the used parts of client-node: import this module before any other. The package has one entry, which loads a
 * class for each kind of Kubernetes: 850 files, which take about 50 MiB. The operator uses only their types. The framework
 * loads the entry too, so another address in our own imports would not be enough.
 */
import { registerHooks } from 'node:module';

/** A part that is missing in a stand-in fails the start, with the name of the part. */
const STAND_INS: ReadonlyMap<string, string> = new Map(
  [
    ['@kubernetes/client-node', './parts.ts'],
    ['@kubernetes/client-node/dist/gen/index.js', './generated.ts'],
  ].map(([entry = '', standIn = '']) => [import.meta.resolve(entry), import.meta.resolve(standIn)]),
);

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const standIn = STAND_INS.get(resolved.url);
    return standIn === undefined ? resolved : { url: standIn, format: 'module-typescript' };
  },
});
