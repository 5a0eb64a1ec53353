/**
 * Reads of the API server, and calls of pods through it, without a process for each: kubectl takes a tenth of a second of
 * processor time.
 */
import { request, type RequestOptions } from 'node:https';
import { text as readText } from 'node:stream/consumers';
import type { KubeConfig } from '@kubernetes/client-node';

const GROUP = '/apis/gateway.guardrail.dev/v1alpha1';
/** The API and the plural of each kind that the cases read, by the name in kubectl. */
const KINDS: Readonly<Record<string, readonly [api: string, plural: string]>> = {
  gcust: [GROUP, 'gatewaycustomers'],
  ginst: [GROUP, 'gatewayinstances'],
  gkey: [GROUP, 'gatewaykeys'],
  gpol: [GROUP, 'guardrailpolicies'],
  namespace: ['/api/v1', 'namespaces'],
  node: ['/api/v1', 'nodes'],
  pod: ['/api/v1', 'pods'],
  service: ['/api/v1', 'services'],
  serviceaccount: ['/api/v1', 'serviceaccounts'],
  configmap: ['/api/v1', 'configmaps'],
  secret: ['/api/v1', 'secrets'],
  deployment: ['/apis/apps/v1', 'deployments'],
  pdb: ['/apis/policy/v1', 'poddisruptionbudgets'],
  hpa: ['/apis/autoscaling/v2', 'horizontalpodautoscalers'],
  networkpolicy: ['/apis/networking.k8s.io/v1', 'networkpolicies'],
  lease: ['/apis/coordination.k8s.io/v1', 'leases'],
  crd: ['/apis/apiextensions.k8s.io/v1', 'customresourcedefinitions'],
};
const TIMEOUT_MS = 120_000;

export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
}

/** A client of the API server. */
export class Api {
  readonly #config: KubeConfig;

  constructor(config: KubeConfig) {
    this.#config = config;
  }

  /** @returns the body of the answer; undefined if there is no such object. */
  async read(path: string): Promise<string | undefined> {
    const { status, text } = await this.#send('GET', path);
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    return text;
  }

  /** Sends a POST request to a port of a pod. */
  post({ namespace, name, port }: Port, path: string, body: object): Promise<ApiAnswer> {
    const pod = `/api/v1/namespaces/${namespace}/pods/${name}:${port}/proxy`;
    return this.#send('POST', `${pod}${path}`, JSON.stringify(body));
  }

  async #send(method: string, path: string, body?: string): Promise<ApiAnswer> {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const options: RequestOptions = { method, headers, timeout: TIMEOUT_MS };
    await this.#config.applyToHTTPSOptions(options);
    const url = new URL(path, this.#config.getCurrentCluster()?.server);
    return new Promise((resolve, reject) => {
      const sent = request(url, options, (response) => {
        readText(response).then((text) => {
          resolve({ status: response.statusCode ?? 0, text });
        }, reject);
      });
      sent.on('timeout', () => sent.destroy(new Error(`${method} ${path} timed out.`)));
      sent.on('error', reject).end(body);
    });
  }
}

/** A port of a pod. */
export interface Port {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** @returns the path of all objects of a kind, in a namespace if it has one. */
export function pathOf(kind: string, namespace?: string): string {
  const [api, plural] = KINDS[kind] ?? [];
  if (api === undefined || plural === undefined) throw new Error(`The cases do not know the kind ${kind}.`);
  return namespace === undefined ? `${api}/${plural}` : `${api}/namespaces/${namespace}/${plural}`;
}
