/** A namespace with somebody's gateway in it, for the cases of one file: what they do there, and how they look at it. */
import { expect } from 'chai';
import { eventually } from '../../operator/runtime/testing/eventually.ts';
import { cluster } from './environment.ts';
import {
  BASE_CONFIG,
  CLIENT,
  CLIENT_PROGRAM,
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

/** Of pods that have to be started, with their images at hand. */
export const POD_MS = 90_000;
/** Of what the operator does by itself. */
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

/** A call of a model, as it came back. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** Calls that are made until somebody ends them. */
export interface Load {
  stop(): Promise<{ readonly calls: number; readonly failures: readonly unknown[] }>;
}

/** Waits for something, asking the API server no more often than it must. */
export function soon<T>(check: () => Promise<T>, withinMs = SOON_MS): Promise<T> {
  let last = 0;
  return eventually(async () => {
    const wait = last + POLL_MS - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    last = performance.now();
    return check();
  }, withinMs);
}

/** Applies objects as their owner does, by client-side apply. */
export function apply(objects: readonly object[]): Promise<string> {
  return cluster().kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
}

/** @returns one object; undefined where there is none. */
export async function get(kind: string, name: string, namespace?: string): Promise<Resource | undefined> {
  const where = namespace === undefined ? [] : ['-n', namespace];
  const text = await cluster().kubectl(['get', kind, name, ...where, '-o', 'json', '--ignore-not-found']);
  return text === '' ? undefined : (JSON.parse(text) as Resource);
}

/** @returns all of these kinds in a namespace, by `Kind name`. */
export async function listNames(kinds: string, namespace: string): Promise<string[]> {
  const { items } = JSON.parse(await cluster().kubectl(['get', kinds, '-n', namespace, '-o', 'json'])) as {
    items: readonly Resource[];
  };
  return items.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
}

/** Waits until a condition of a resource holds. @returns the condition */
export function becomes(
  kind: string,
  name: string,
  namespace: string,
  wanted: Partial<Condition> & { readonly type: string },
  withinMs = SOON_MS,
): Promise<Condition> {
  return soon(async () => {
    const resource = await get(kind, name, namespace);
    const all = resource?.status?.conditions ?? [];
    expect(resource?.status?.observedGeneration, `observedGeneration of ${name}`).to.equal(
      resource?.metadata.generation,
    );
    const found = all.find(({ type }) => type === wanted.type);
    expect(found, JSON.stringify(all)).to.deep.include(wanted);
    return found ?? { type: wanted.type, status: '' };
  }, withinMs);
}

/**
 * Waits until as many pods of the newest template are there as are wanted; others may still be on their way out.
 * @param workload as kubectl names it, such as `deployment/gateway`
 */
export async function available(workload: string, namespace: string, withinMs = POD_MS): Promise<void> {
  const timeout = `--timeout=${Math.ceil(withinMs / 1000)}s`;
  await cluster().kubectl(['rollout', 'status', workload, '-n', namespace, timeout]);
}

/** Waits until every pod of a Deployment runs its newest template, and no other is left. */
export async function rolledOut(name: string, namespace: string, withinMs = POD_MS): Promise<void> {
  await available(`deployment/${name}`, namespace, withinMs);
  await soon(async () => {
    const pods = await podsOf(name, namespace);
    expect(pods.every(({ metadata }) => metadata.deletionTimestamp === undefined)).to.equal(true);
  }, withinMs);
}

/** The pods of a Deployment of the stand, by its `app` label. */
export async function podsOf(app: string, namespace: string): Promise<Resource[]> {
  const text = await cluster().kubectl(['get', 'pods', '-n', namespace, '-l', `app=${app}`, '-o', 'json']);
  return (JSON.parse(text) as { items: Resource[] }).items;
}

/** See the head of this file. */
export class Testbed {
  readonly namespace: string;

  private constructor(namespace: string) {
    this.namespace = namespace;
  }

  /** Brings a gateway up, without a guardrail. */
  static async start(purpose: Purpose, replicas?: number): Promise<Testbed> {
    const testbed = new Testbed(namespaceFor(purpose));
    await apply(gatewayObjects(testbed.namespace, cluster().image));
    await testbed.ownerApplies({}, replicas);
    await Promise.all([rolledOut(GATEWAY, testbed.namespace), rolledOut(GATEWAY_ADMIN, testbed.namespace)]);
    await cluster().kubectl([
      'wait',
      '--for=condition=Ready',
      `pod/${CLIENT}`,
      '-n',
      testbed.namespace,
      `--timeout=${POD_MS / 1000}s`,
    ]);
    await Promise.all([testbed.#answers(GATEWAY), testbed.#answers(GATEWAY_ADMIN)]);
    return testbed;
  }

  /** Removes it all. */
  async end(): Promise<void> {
    // After the last case there are no such kinds any more.
    if ((await get('crd', 'gatewaycustomers.gateway.guardrail.dev')) !== undefined) {
      await cluster().kubectl(['delete', 'gcust,ginst', '--all', '-n', this.namespace, '--wait=false']);
    }
    await cluster().kubectl(['delete', 'namespace', this.namespace, '--wait=false', '--ignore-not-found']);
  }

  /** The gateway's owner applies his Deployment. */
  async ownerApplies(additions: Additions, replicas?: number): Promise<void> {
    await apply([gatewayDeployment(this.namespace, cluster().image, additions, replicas)]);
  }

  /** What the API server makes of the owner's Deployment when nobody else has a hand in it. */
  async asOwnerWroteIt(additions: Additions): Promise<unknown> {
    const wanted = gatewayDeployment(this.namespace, cluster().image, additions) as { metadata: object };
    const trial = { ...wanted, metadata: { ...wanted.metadata, name: `${GATEWAY}-trial` } };
    const text = await cluster().kubectl(
      ['create', '--dry-run=server', '-o', 'json', '-f', '-'],
      JSON.stringify(trial),
    );
    return (JSON.parse(text) as Resource).spec;
  }

  /** Applies a GatewayInstance about this gateway. */
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

  /** What an instance says that manages the gateway's configuration and its Deployment. */
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

  /** The gateway's record of a customer; undefined where it has none. */
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

  /** A call of a model through the gateway's Service, from within the cluster. */
  chat(text: string, more: object = {}): Promise<Answer> {
    return this.call(this.#chatCall(text, more));
  }

  /** Every line of the gateway's pods that holds a mark: what the model saw of one call. */
  async modelSaw(mark: string): Promise<string[]> {
    return soon(async () => {
      const logs = await cluster().kubectl(['logs', '-n', this.namespace, '-l', `app=${GATEWAY}`, '--tail=-1']);
      const lines = logs.split('\n').filter((line) => line.includes(mark));
      expect(lines, `lines with ${mark}`).not.to.deep.equal([]);
      return lines;
    });
  }

  /** One call from within the cluster. */
  async call(asked: object): Promise<Answer> {
    const program = ['node', CLIENT_PROGRAM, JSON.stringify(asked)];
    return JSON.parse(await cluster().kubectl(['exec', '-n', this.namespace, CLIENT, '--', ...program])) as Answer;
  }

  /** Guarded calls of a model, four at a time, each with an address of its own that has to come back. */
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

  /** A Service leads to its pods a moment after they are ready: when the node has heard of it. */
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
