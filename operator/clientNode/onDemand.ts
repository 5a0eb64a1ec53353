/**
 * Stands in for packages that few operators use: for proxies, for kubeconfigs, for the credentials of some clouds, for methods of
 * the framework that the runtime overrides, and for the patterns of policies. Each package is loaded when it is first used.
 */
import { createRequire } from 'node:module';

type Function = (...args: unknown[]) => unknown;
type Class = new (...args: unknown[]) => object;

const load = createRequire(import.meta.url) as (name: string) => Readonly<Record<string, unknown>>;

const functionOf =
  (name: string, exported: string): Function =>
  (...args) =>
    (load(name)[exported] as Function)(...args);

const classOf = (name: string, exported: string): Class =>
  new Proxy<Class>(Object, {
    construct: (_, args: unknown[]): object =>
      Reflect.construct<unknown[], object>(load(name)[exported] as Class, args),
  });

const methodOf =
  (name: string, exported: string, method: string): Function =>
  (...args) =>
    (load(name)[exported] as Readonly<Record<string, Function>>)[method]?.(...args);

const loadYaml = functionOf('js-yaml', 'load');
export { loadYaml as load };
export const JSONPath = functionOf('jsonpath-plus', 'JSONPath');
export const SocksClient = { createConnection: methodOf('socks', 'SocksClient', 'createConnection') };
export const SocksProxyAgent = classOf('socks-proxy-agent', 'SocksProxyAgent');
export const HttpProxyAgent = classOf('hpagent', 'HttpProxyAgent');
export const HttpsProxyAgent = classOf('hpagent', 'HttpsProxyAgent');

export const RE2JS = { compile: methodOf('re2js', 'RE2JS', 'compile') };

/** Of gaxios. */
export const instance = { request: methodOf('gaxios', 'instance', 'request') };

/** Of async: the framework creates a queue of events, into which only its own watches would put any. */
export function queue(worker: unknown): { readonly push: Function } {
  let created: { readonly push: Function } | undefined;
  return {
    push: (...args) => {
      created ??= functionOf('async', 'queue')(worker) as { readonly push: Function };
      return created.push(...args);
    },
  };
}
