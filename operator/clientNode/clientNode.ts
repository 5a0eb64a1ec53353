/**
 * Loads only the used parts of client-node and the framework: import this module before any other. client-node has one entry,
 * which loads a class for each kind of Kubernetes: 850 files, which take about 50 MiB. The operator uses only their types. The
 * framework loads the entry too, so another address in our own imports would not be enough.
 */
import { registerHooks } from 'node:module';

/** A part that is missing in a stand-in fails the start, with the name of the part. */
const STAND_INS: ReadonlyMap<string, string> = new Map(
  [
    ['@kubernetes/client-node', './parts.ts'],
    ['@kubernetes/client-node/dist/gen/index.js', './generated.ts'],
    ['@kubernetes/client-node/dist/oidc_auth.js', './openIdConnect.ts'],
    ['zod/v4/locales', './locales.ts'],
  ].map(([entry = '', standIn = '']) => [import.meta.resolve(entry), import.meta.resolve(standIn)]),
);

/** The packages that are loaded on demand, and what imports them. */
const ON_DEMAND = ['async', 'gaxios', 'hpagent', 'js-yaml', 'jsonpath-plus', 're2js', 'socks', 'socks-proxy-agent'];
const IMPORTERS = /\/node_modules\/(@dot-i\/k8s-operator|@kubernetes\/client-node)\/|\/guardrail\/detection\/policy\//;
const onDemand = import.meta.resolve('./onDemand.ts');

registerHooks({
  resolve(specifier, context, next) {
    const importer = context.parentURL ?? '';
    if (ON_DEMAND.includes(specifier) && IMPORTERS.test(importer)) return standIn(onDemand);
    const resolved = next(specifier, context);
    const found = STAND_INS.get(resolved.url);
    return found === undefined || found === importer ? resolved : standIn(found);
  },
});

function standIn(url: string): { readonly url: string; readonly format: string; readonly shortCircuit: true } {
  return { url, format: 'module-typescript', shortCircuit: true };
}
