/** A namespace with a gateway for the cases of one file, with their actions and queries. */
import { expect } from 'chai';
import { eventually } from '../../operator/runtime/testing/eventually.ts';
import { collectDiagnostics } from './diagnostics.ts';
import { cluster } from './environment.ts';
import {
  BASE_CONFIG,
  CLIENT,
  CLIENT_PROGRAM,
  clientObjects,
  CONFIG,
  GATEWAY,
  GATEWAY_ADMIN,
  gatewayDeployment,
  gatewayObjects,
  MASTER_KEY,
  PORT,
  type Additions,
} from './gatewayApp.ts';
import { namespaceFor, type Purpose } from './namespaces.ts';

/** The time limit for starting pods whose images are present. */
export const POD_MS = 90_000;
/** The time limit for actions of the operator alone. */
export const SOON_MS = 30_000;
const POLL_MS = 500;
/** An object as kubectl prints it. */
export interface Resource {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string }[];
    readonly deletionTimestamp?: string;
  };
  readonly spec?: Record<string, unknown>;
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly [field: string]: unknown;
  };
  readonly data?: Readonly<Record<string, string>>;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The answer to a model call. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** Calls that continue until they are stopped. */
export interface Load {
  stop(): Promise<{ readonly calls: number; readonly failures: readonly unknown[] }>;
}

/** Polls until a check passes, at most once per {@link POLL_MS}. */
export function soon<T>(check: () => Promise<T>, withinMs = SOON_MS): Promise<T> {
  let last = 0;
  return eventually(async () => {
    const wait = last + POLL_MS - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    last = performance.now();
    return check();
  }, withinMs);
}

/** Applies objects as their owner, by client-side apply. */
export function apply(objects: readonly object[]): Promise<string> {
  return cluster().kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
}

/** @returns one object; undefined if it does not exist. */
export async function get(kind: string, name: string, namespace?: string): Promise<Resource | undefined> {
  const where = namespace === undefined ? [] : ['-n', namespace];
  const text = await cluster().kubectl(['get', kind, name, ...where, '-o', 'json', '--ignore-not-found']);
  return text === '' ? undefined : (JSON.parse(text) as Resource);
}

/** @returns the names of all objects of these kinds in a namespace, as `Kind name`. */
export async function listNames(kinds: string, namespace: string): Promise<string[]> {
  const { items } = JSON.parse(await cluster().kubectl(['get', kinds, '-n', namespace, '-o', 'json'])) as {
    items: readonly Resource[];
  };
  return items.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
}

/**
 * Waits until a resource has a condition with the expected values.
 *
 * @returns the condition
 */
export function becomes(
  kind: string,
  name: string,
  namespace: string,
  expected: Partial<Condition> & { readonly type: string },
  withinMs = SOON_MS,
): Promise<Condition> {
  return soon(async () => {
    const resource = await get(kind, name, namespace);
    const all = resource?.status?.conditions ?? [];
    expect(resource?.status?.observedGeneration, `observedGeneration of ${name}`).to.equal(
      resource?.metadata.generation,
    );
    const found = all.find(({ type }) => type === expected.type);
    expect(found, JSON.stringify(all)).to.deep.include(expected);
    return found ?? { type: expected.type, status: '' };
  }, withinMs);
}

/**
 * Waits until all expected pods of the newest template are available; older pods may still be terminating.
 *
 * @param workload in kubectl's notation, for example `deployment/gateway`
 */
export async function available(workload: string, namespace: string, withinMs = POD_MS): Promise<void> {
  const timeout = `--timeout=${Math.ceil(withinMs / 1000)}s`;
  await cluster().kubectl(['rollout', 'status', workload, '-n', namespace, timeout]);
}

/** Waits until all pods of a Deployment run its newest template and no other pod is left. */
export async function rolledOut(name: string, namespace: string, withinMs = POD_MS): Promise<void> {
  await available(`deployment/${name}`, namespace, withinMs);
  await soon(async () => {
    const pods = await podsOf(name, namespace);
    expect(pods.every(({ metadata }) => metadata.deletionTimestamp === undefined)).to.equal(true);
  }, withinMs);
}

/** @returns the pods of a Deployment of the testbed, by their `app` label. */
export async function podsOf(app: string, namespace: string): Promise<Resource[]> {
  const text = await cluster().kubectl(['get', 'pods', '-n', namespace, '-l', `app=${app}`, '-o', 'json']);
  return (JSON.parse(text) as { items: Resource[] }).items;
}

/** Starts a pod that makes calls in a namespace that has nothing else. @returns the namespace */
export async function startStranger(): Promise<string> {
  const namespace = namespaceFor('stranger');
  await apply(clientObjects(namespace, cluster().image));
  await clientReady(namespace);
  return namespace;
}

async function clientReady(namespace: string): Promise<void> {
  const timeout = `--timeout=${POD_MS / 1000}s`;
  await cluster().kubectl(['wait', '--for=condition=Ready', `pod/${CLIENT}`, '-n', namespace, timeout]);
}

/** Sends one call from the client of a namespace. */
async function callFrom(namespace: string, asked: object): Promise<Answer> {
  const program = ['node', CLIENT_PROGRAM, JSON.stringify(asked)];
  return JSON.parse(await cluster().kubectl(['exec', '-n', namespace, CLIENT, '--', ...program])) as Answer;
}

const CONNECT = `
  const [host, port] = process.argv.slice(1);
  const socket = require('net').connect({ host, port: Number(port), timeout: 5_000 });
  const end = (outcome) => () => { process.stdout.write(outcome); process.exit(); };
  socket.on('connect', end('open')).on('timeout', end('closed'));
  socket.on('error', (error) => end(error.code === 'ECONNREFUSED' ? 'closed' : String(error.code))());
`;

/**
 * Opens a connection from the client of a namespace.
 *
 * @returns whether a port is `open`, or `closed` to this client: network plugins refuse or drop what no policy admits
 */
export async function portFrom(namespace: string, host: string, port: number): Promise<string> {
  const node = ['node', '--eval', CONNECT, host, String(port)];
  return cluster().kubectl(['exec', '-n', namespace, CLIENT, '--', ...node]);
}

/** A namespace with a gateway. */
export class Testbed {
  readonly namespace: string;

  private constructor(namespace: string) {
    this.namespace = namespace;
  }

  /** Starts a gateway without a guardrail. */
  static async start(purpose: Purpose, replicas?: number): Promise<Testbed> {
    const testbed = new Testbed(namespaceFor(purpose));
    await apply(gatewayObjects(testbed.namespace, cluster().image));
    await testbed.ownerApplies({}, replicas);
    await Promise.all([rolledOut(GATEWAY, testbed.namespace), rolledOut(GATEWAY_ADMIN, testbed.namespace)]);
    await clientReady(testbed.namespace);
    await Promise.all([testbed.#answers(GATEWAY), testbed.#answers(GATEWAY_ADMIN)]);
    return testbed;
  }

  /** Removes the customers, the instances and the namespace. */
  async end(): Promise<void> {
    // The last case deletes the CRDs.
    if ((await get('crd', 'gatewaycustomers.gateway.guardrail.dev')) !== undefined) {
      // A customer that outlives its gateway waits for five minutes, and the last case watches no other namespace.
      const timeout = `--timeout=${POD_MS / 1000}s`;
      await cluster()
        .kubectl(['delete', 'gcust,ginst', '--all', '-n', this.namespace, timeout])
        .catch(async (error: unknown) => {
          console.log(await collectDiagnostics());
          throw error;
        });
    }
    await cluster().kubectl(['delete', 'namespace', this.namespace, '--wait=false', '--ignore-not-found']);
  }

  /** Applies the gateway's Deployment as its owner. */
  async ownerApplies(additions: Additions, replicas?: number): Promise<void> {
    await apply([gatewayDeployment(this.namespace, cluster().image, additions, replicas)]);
  }

  /** @returns the spec that the API server makes of the owner's Deployment without other field managers. */
  async asOwnerWroteIt(additions: Additions): Promise<unknown> {
    const expected = gatewayDeployment(this.namespace, cluster().image, additions) as { metadata: object };
    const trial = { ...expected, metadata: { ...expected.metadata, name: `${GATEWAY}-trial` } };
    const text = await cluster().kubectl(
      ['create', '--dry-run=server', '-o', 'json', '-f', '-'],
      JSON.stringify(trial),
    );
    return (JSON.parse(text) as Resource).spec;
  }

  /** Applies a GatewayInstance for this gateway. */
  async instance(spec: object, name = 'main'): Promise<void> {
    await apply([
      {
        apiVersion: 'gateway.guardrail.dev/v1alpha1',
        kind: 'GatewayInstance',
        metadata: { name, namespace: this.namespace },
        spec: {
          serviceRef: { name: GATEWAY_ADMIN, port: PORT },
          masterKeySecretRef: { name: 'gateway', key: 'master-key' },
          ...spec,
        },
      },
    ]);
  }

  /** The instance fields that manage the gateway's configuration and its Deployment. */
  readonly managed = {
    workloadRef: { name: GATEWAY },
    proxyConfig: { configMapName: CONFIG, base: { configMapRef: { name: BASE_CONFIG, key: 'config.yaml' } } },
  };

  /** Applies a customer. */
  async customer(name: string, spec: object = {}): Promise<void> {
    await apply([
      {
        apiVersion: 'gateway.guardrail.dev/v1alpha1',
        kind: 'GatewayCustomer',
        metadata: { name, namespace: this.namespace },
        spec: { customerId: `${this.namespace}-${name}`, instanceRef: { name: 'main' }, ...spec },
      },
    ]);
  }

  /** @returns the gateway's record of a customer; undefined if there is none. */
  async record(name: string): Promise<Record<string, unknown> | undefined> {
    const id = encodeURIComponent(`${this.namespace}-${name}`);
    const { status, text } = await this.call({
      url: `${this.#url(GATEWAY_ADMIN)}/customer/info?end_user_id=${id}`,
      headers: { authorization: `Bearer ${MASTER_KEY}` },
    });
    if (status === 404 || status === 400) return undefined;
    expect(status, text).to.equal(200);
    return JSON.parse(text) as Record<string, unknown>;
  }

  /** Calls a model through the gateway's Service, from within the cluster. */
  chat(text: string, more: object = {}): Promise<Answer> {
    return this.call(this.#chatCall(text, more));
  }

  /** @returns the log lines of the gateway's pods that contain a mark: what the model saw of one call. */
  async modelSaw(mark: string): Promise<string[]> {
    return soon(async () => {
      const logs = await cluster().kubectl(['logs', '-n', this.namespace, '-l', `app=${GATEWAY}`, '--tail=-1']);
      const lines = logs.split('\n').filter((line) => line.includes(mark));
      expect(lines, `lines with ${mark}`).not.to.deep.equal([]);
      return lines;
    });
  }

  /** Sends one call from within the cluster. */
  call(asked: object): Promise<Answer> {
    return callFrom(this.namespace, asked);
  }

  /** Starts guarded model calls, four in parallel, each with its own address, which the answer must contain. */
  async startLoad(): Promise<Load> {
    const control = async (path: string, body: object): Promise<string> => {
      const { status, text } = await this.call({ url: `http://127.0.0.1:9000${path}`, method: 'POST', body });
      expect(status, text).to.equal(200);
      return text;
    };
    const call = this.#chatCall('Write to user{{n}}@example.com now.', {});
    await control('/start', { call, expect: 'user{{n}}@example.com' });
    return {
      stop: async () => JSON.parse(await control('/stop', {})) as { calls: number; failures: unknown[] },
    };
  }

  #chatCall(text: string, more: object): object {
    return {
      url: `${this.#url(GATEWAY)}/v1/chat/completions`,
      method: 'POST',
      headers: { authorization: `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' },
      body: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: text }], ...more },
    };
  }

  /** Waits until the Service routes to its pods, which happens shortly after they are ready. */
  async #answers(service: string): Promise<void> {
    await soon(async () => {
      const { status, text } = await this.call({ url: `${this.#url(service)}/health/readiness` });
      expect(status, text).to.equal(200);
    });
  }

  #url(service: string): string {
    return `http://${service}.${this.namespace}.svc.cluster.local:${PORT}`;
  }
}
