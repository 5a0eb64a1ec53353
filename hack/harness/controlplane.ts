/**
 * A real Kubernetes control plane on this machine's loopback interface: only etcd and kube-apiserver, with RBAC. There is no
 * kubelet. Without a controller manager, which is optional, there is no garbage collection and no namespace deletion.
 *
 * In a test:
 *
 *     const cluster = withControlPlane();
 *     it('…', async () => {
 *       const namespace = await cluster().createNamespace();
 *       const api = cluster().kubeConfig().makeApiClient(CoreV1Api);
 *     });
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoreV1Api, V1Namespace, V1ObjectMeta } from '@kubernetes/client-node';
import { ensureBinaries } from './controlplane/binaries.ts';
import { kubeconfigPort, lastPort } from './controlplane/kubeconfig.ts';
import { runKubectl } from './controlplane/kubectl.ts';
import { type ControlPlaneOptions, RunningServers, type Servers } from './controlplane/servers.ts';
import { freePort, portInUse, ProcessFailure, removeAtExit } from './processes.ts';
import { sparsely } from './progress.ts';

export type { ControlPlaneOptions, Servers };

/** A control plane with a kubectl of a compatible version. */
export interface ControlPlane extends Servers {
  /** Runs kubectl as the user with all permissions. Resolves to its output; rejects with its error output. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** Creates a namespace with a random name that begins with the prefix (`test`), and returns its name. */
  createNamespace(prefix?: string): Promise<string>;
}

/** Another process can take a free port before these servers listen on it. */
const ATTEMPTS = 3;

/**
 * Starts etcd and kube-apiserver. Fetches them and kubectl first if they are not available (see controlplane/binaries.ts).
 * Resolves when the API server is ready.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const sources = options.report ? { report: options.report } : {};
  const { kubectl } = await ensureBinaries(['kube-apiserver', 'etcd', 'kubectl'], sources);
  return withKubectl(await startServers(options), kubectl);
}

/** A running control plane of another process, which started it in this folder. It cannot be stopped or restarted here. */
async function attachToControlPlane(dir: string): Promise<ControlPlane> {
  const { kubectl } = await ensureBinaries(['kubectl']);
  const port = kubeconfigPort(join(dir, 'kubeconfig'));
  if (port === undefined)
    throw new Error(`TEST_CONTROL_PLANE names ${dir}, which has no kubeconfig of a control plane.`);
  return withKubectl(new RunningServers({ dir, port, report: () => undefined, isTemporary: false }), kubectl);
}

function withKubectl(servers: Servers, kubectl: string): ControlPlane {
  const api = servers.kubeConfig().makeApiClient(CoreV1Api);
  return Object.assign(servers, {
    kubectl: (args: readonly string[], input?: string) => runKubectl(kubectl, servers.kubeconfig, args, input),
    // Without kubectl: nearly every test creates a namespace, and a process for each would take a tenth of the test time.
    createNamespace: async (prefix = 'test') => {
      const name = `${prefix}-${randomBytes(4).toString('hex')}`;
      const metadata = Object.assign(new V1ObjectMeta(), { name });
      await api.createNamespace({ body: Object.assign(new V1Namespace(), { metadata }) });
      return name;
    },
  });
}

/** Like {@link startControlPlane}, without kubectl, which takes time to fetch and which programs do not need. */
export async function startServers(options: ControlPlaneOptions = {}): Promise<Servers> {
  const report = options.report ?? (() => undefined);
  const controllers = options.controllers ?? [];
  const binaries = await ensureBinaries(['kube-apiserver', 'etcd'], { report });
  const manager =
    controllers.length > 0
      ? (await ensureBinaries(['kube-controller-manager'], { report }))['kube-controller-manager']
      : undefined;
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'control-plane-'));
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const isTemporary = options.temporary ?? options.dir === undefined;
  if (isTemporary) removeAtExit(dir);
  const apiPort = options.ports?.api;
  if (apiPort !== undefined && (await portInUse(apiPort))) {
    throw new Error(`Port ${apiPort} of 127.0.0.1 is in use. Choose another port, or end the process that uses it.`);
  }
  for (let attempt = 1; ; attempt += 1) {
    const port = apiPort ?? (await lastPort(join(dir, 'kubeconfig'))) ?? (await freePort());
    const servers = new RunningServers({ ...options, dir, report, port, isTemporary });
    try {
      await servers.start(binaries.etcd, binaries['kube-apiserver']);
    } catch (error) {
      if (attempt < ATTEMPTS && error instanceof ProcessFailure && error.message.includes('address already in use')) {
        continue;
      }
      throw error;
    }
    if (manager !== undefined) await servers.startControllerManager(manager, controllers);
    return servers;
  }
}

let shared: Promise<ControlPlane> | undefined;

/**
 * For the body of a mocha `describe`: the control plane that all test files share. It is that of the test runner, whose folder
 * is in `TEST_CONTROL_PLANE`; without the variable, one starts before the first test of this process and ends with the process.
 * Files run at the same time, so tests use separate namespaces.
 * @param whose `own` for tests that change the whole cluster: a control plane of the `describe`
 */
export function withControlPlane(whose: 'shared' | 'own' = 'shared'): () => ControlPlane {
  let plane: ControlPlane | undefined;
  before(async function () {
    // The first run on a new machine may have to fetch or build the control plane.
    this.timeout(30 * 60_000);
    const { report, end } = sparsely((line) => {
      console.log(line);
    });
    const running = process.env.TEST_CONTROL_PLANE ?? '';
    const start = (): Promise<ControlPlane> => startControlPlane({ report });
    if (whose === 'shared') shared ??= running === '' ? start() : attachToControlPlane(running);
    plane = await (whose === 'own' ? start() : shared);
    end();
  });
  if (whose === 'own') after(() => plane?.stop());
  return () => {
    if (!plane) throw new Error('The control plane is available only in tests and hooks.');
    return plane;
  };
}
