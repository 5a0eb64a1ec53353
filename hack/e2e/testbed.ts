/** A namespace with a gateway for the cases of one file, with their actions and queries. */
import { expect } from 'chai';
import { eventually } from '../../operator/runtime/testing/eventually.ts';
import { pathOf } from './api.ts';
import { collectDiagnostics } from './diagnostics.ts';
import { cluster } from './environment.ts';
import {
  BASE_CONFIG,
  CLIENT,
  CLIENT_PORT,
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

/** The time limit for starting pods whose images are present. Other tests may use the processor at the same time. */
export const POD_MS = 180_000;
/** The time limit for actions of the operator alone. */
export const SOON_MS = 60_000;
const POLL_MS = 200;

const OWNED_KINDS = ['deployment', 'service', 'serviceaccount', 'configmap', 'secret', 'pdb', 'hpa', 'networkpolicy'];

/** An object as the API server returns it. */
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

/** @returns a resource of the project. */
export function resourceIn(namespace: string, kind: string, name: string, spec: object): object {
  return { apiVersion: 'gateway.guardrail.dev/v1alpha1', kind, metadata: { name, namespace }, spec };
}

/** Polls until a value is as expected. */
export async function becomesEqual(read: () => Promise<unknown>, expected: unknown, withinMs?: number): Promise<void> {
  await soon(async () => {
    expect(await read()).to.deep.equal(expected);
  }, withinMs);
}

/** Runs kubectl in a namespace. */
export function kubectlIn(namespace: string, ...args: readonly string[]): Promise<string> {
  return cluster().kubectl([...args, '-n', namespace]);
}

/** Deletes objects, and does not wait. */
export function deleteIn(namespace: string, ...what: readonly string[]): Promise<string> {
  return kubectlIn(namespace, 'delete', ...what, '--wait=false');
}

/** Deletes pods like a crash of their node. */
export function killPods(namespace: string, ...which: readonly string[]): Promise<string> {
  return deleteIn(namespace, 'pods', ...which, '--grace-period=0', '--force');
}

/** @returns whether a user may do something to a kind in a namespace. */
export async function mayDo(user: string, verb: string, kind: string, namespace: string): Promise<boolean> {
  // kubectl exits with 1 for a no.
  const answer = kubectlIn(namespace, 'auth', 'can-i', verb, kind, `--as=${user}`);
  return (await answer.catch((error: unknown) => String(error))).includes('yes');
}

/** @returns a condition of a resource. */
export function conditionOf(resource: Resource | undefined, type: string): Condition | undefined {
  return resource?.status?.conditions?.find((each) => each.type === type);
}

/** @returns the value of a key of a Secret. */
export async function secretValue(namespace: string, name: string, key: string): Promise<string> {
  const secret = await get('secret', name, namespace);
  return Buffer.from(secret?.data?.[key] ?? '', 'base64').toString();
}

/** Applies objects as their owner, by client-side apply. */
export function apply(objects: readonly object[]): Promise<string> {
  return cluster().kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
}

/** @returns one object; undefined if it does not exist. */
export async function get(kind: string, name: string, namespace?: string): Promise<Resource | undefined> {
  const text = await cluster().api.read(`${pathOf(kind, namespace)}/${name}`);
  return text === undefined ? undefined : (JSON.parse(text) as Resource);
}

/** @returns the objects of a kind, in a namespace, with a label. */
export async function list(kind: string, namespace: string, label = ''): Promise<Resource[]> {
  const text = await cluster().api.read(`${pathOf(kind, namespace)}?labelSelector=${encodeURIComponent(label)}`);
  return text === undefined ? [] : (JSON.parse(text) as { items: Resource[] }).items;
}

/** @returns the names of the objects in a namespace that belong to a gateway and its guardrail, as `kind name`. */
export async function listNames(namespace: string): Promise<string[]> {
  const names = OWNED_KINDS.map(async (kind) =>
    (await list(kind, namespace)).map(({ metadata }) => `${kind} ${metadata.name}`),
  );
  return (await Promise.all(names)).flat().sort();
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
    const found = conditionOf(resource, expected.type);
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
export function podsOf(app: string, namespace: string): Promise<Resource[]> {
  return list('pod', namespace, `app=${app}`);
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

/** Asks the client of a namespace to do something; see client.ts. */
async function ask(namespace: string, path: string, body: object): Promise<string> {
  const { status, text } = await cluster().api.post({ namespace, name: CLIENT, port: CLIENT_PORT }, path, body);
  expect(status, text).to.equal(200);
  return text;
}

/**
 * Opens a connection from the client of a namespace.
 *
 * @returns whether a port is `open`, or `closed` to this client
 */
export async function portFrom(namespace: string, host: string, port: number): Promise<string> {
  return JSON.parse(await ask(namespace, '/connect', { host, port })) as string;
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

  /** Removes the resources of the operator, and the pods. */
  async end(): Promise<void> {
    // The last case deletes the CRDs.
    if ((await get('crd', 'gatewaycustomers.gateway.guardrail.dev')) !== undefined) {
      // A customer that outlives its gateway waits for five minutes, and the last case watches no other namespace.
      const all = ['delete', 'gcust,gbud,ginst,gpol', '--all', `--timeout=${POD_MS / 1000}s`];
      await kubectlIn(this.namespace, ...all).catch(async (error: unknown) => {
        console.log(await collectDiagnostics());
        throw error;
      });
    }
    // The namespace remains until the end: an operator asks again and again for the objects of one that it watches.
    await deleteIn(this.namespace, 'deployment,statefulset,pod', '--all');
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
  async instance(spec: object): Promise<void> {
    const gateway = {
      serviceRef: { name: GATEWAY_ADMIN, port: PORT },
      masterKeySecretRef: { name: 'gateway', key: 'master-key' },
    };
    await apply([resourceIn(this.namespace, 'GatewayInstance', 'main', { ...gateway, ...spec })]);
  }

  /** The instance fields that manage the gateway's configuration and its Deployment. */
  readonly managed = {
    workloadRef: { name: GATEWAY },
    proxyConfig: { configMapName: CONFIG, base: { configMapRef: { name: BASE_CONFIG, key: 'config.yaml' } } },
  };

  /** Applies a customer. */
  customer(name: string, spec: object = {}): Promise<void> {
    return this.customers([name], spec);
  }

  /** Applies customers with the same spec, except for their ids. */
  async customers(names: readonly string[], spec: object = {}): Promise<void> {
    const own = (name: string): object => ({
      customerId: `${this.namespace}-${name}`,
      instanceRef: { name: 'main' },
      ...spec,
    });
    await apply(names.map((name) => resourceIn(this.namespace, 'GatewayCustomer', name, own(name))));
  }

  /** Waits until a customer is synced. */
  async synced(name: string, withinMs?: number): Promise<void> {
    await becomes('gcust', name, this.namespace, { type: 'Synced', status: 'True' }, withinMs);
  }

  /** Waits until the instance is ready. */
  async ready(withinMs = 2 * POD_MS): Promise<void> {
    await becomes('ginst', 'main', this.namespace, { type: 'Ready', status: 'True' }, withinMs);
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

  /** Calls a model from within the cluster. @param url default: the gateway's Service */
  chat(text: string, more: object = {}, url?: string): Promise<Answer> {
    return this.call(this.#chatCall(text, more, url));
  }

  /** @returns what the models of the gateway's pods have seen so far: the lines of their logs. */
  async modelLog(): Promise<string[]> {
    const pods = await podsOf(GATEWAY, this.namespace);
    const logs = pods.map(({ metadata: { name } }) =>
      cluster().api.read(`${pathOf('pod', this.namespace)}/${name}/log?container=gateway`),
    );
    return (await Promise.all(logs)).flatMap((text) => text?.split('\n') ?? []);
  }

  /** Waits until the model has seen a mark. @returns the lines with it */
  async modelSaw(mark: string): Promise<string[]> {
    return soon(async () => {
      const lines = (await this.modelLog()).filter((line) => line.includes(mark));
      expect(lines, `lines with ${mark}`).not.to.deep.equal([]);
      return lines;
    });
  }

  /** Sends one call from within the cluster. */
  async call(asked: object): Promise<Answer> {
    return JSON.parse(await ask(this.namespace, '/call', asked)) as Answer;
  }

  /**
   * Makes guarded model calls during some work, four in parallel, each with its own address, which the answer must contain. No
   * call may fail.
   */
  async underLoad(work: () => Promise<void>): Promise<void> {
    const call = this.#chatCall('Write to user{{n}}@example.com now.', {});
    await ask(this.namespace, '/start', { call, expect: 'user{{n}}@example.com' });
    try {
      await work();
    } finally {
      const { calls, failures } = JSON.parse(await ask(this.namespace, '/stop', {})) as {
        readonly calls: number;
        readonly failures: readonly unknown[];
      };
      expect(failures).to.deep.equal([]);
      expect(calls).to.be.greaterThan(100);
    }
  }

  #chatCall(text: string, more: object, url = this.#url(GATEWAY)): object {
    return {
      url: `${url}/v1/chat/completions`,
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
