/** The cluster that the cases run on, the suite's own or an external one. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import { stringify } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { OPERATOR_NAME } from '../../operator/operatorName.ts';
import { eventually } from '../../operator/runtime/testing/eventually.ts';
import { runKubectl } from '../harness/controlplane/kubectl.ts';
import { temporaryFolder } from '../harness/processes.ts';
import { Api } from './api.ts';
import { ctrArguments, kubeconfigIn, kubeletFile } from './cluster.ts';

/** An administrator's access to a cluster. */
export interface Environment {
  readonly api: Api;
  /** Runs kubectl. Resolves to its output; rejects with its error output. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** The image under test, as pods reference it. */
  readonly image: string;
  /** The folder from which `kubectl apply -k` installs the operator. */
  readonly installation: string;
  /** @returns the objects that provide a volume for a claim, if the cluster does not provision volumes. */
  volumesFor(claim: string, namespace: string): readonly object[];
  /** Kills a container like a crash. */
  killContainer(which: ContainerName): Promise<void>;
  /**
   * Restarts the node's kubelet.
   *
   * @throws Error on an external cluster
   */
  restartKubelet(): Promise<void>;
}

export interface ContainerName {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

const ROOT = join(import.meta.dirname, '../..');

/** Whether the cluster is the suite's own, so that its node can be restarted. Known while tests are declared. */
export const ownsNode = (process.env.E2E_IMAGE ?? '') === '';

let environment: Environment | undefined;

/** How to reach a cluster: the suite's own, or the one of KUBECONFIG. */
export type Handover =
  | {
      /** The folder of the node programs. */
      readonly programs: string;
      /** The folder of the cluster's data. */
      readonly dir: string;
    }
  | { readonly kubectl: string; readonly image: string };

/** Makes a cluster available to this process. */
export function useCluster(handover: Handover): void {
  environment = 'dir' in handover ? own(handover) : given(handover);
}

/** @returns the cluster. Available in tests and hooks, not while tests are declared. */
export function cluster(): Environment {
  if (environment === undefined) throw new Error('The cluster is available only in tests and hooks.');
  return environment;
}

/** The suite's own cluster. It has the image under the name in the manifests, so they are applied unchanged. */
function own({ programs, dir }: { readonly programs: string; readonly dir: string }): Environment {
  const kubeconfig = kubeconfigIn(dir);
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const kubectl: Environment['kubectl'] = (args, input) =>
    runKubectl(join(programs, 'kubectl'), kubeconfig, args, input);
  return {
    api: new Api(config),
    kubectl,
    image: `${OPERATOR_NAME}:${packageJson.version}`,
    installation: ROOT,
    volumesFor: (claim, namespace) => {
      const path = join(dir, `volumes/${namespace}`);
      mkdirSync(path, { recursive: true });
      // The pod's user owns no files on this machine.
      chmodSync(path, 0o777);
      const spec = {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        claimRef: { name: claim, namespace },
        hostPath: { path },
      };
      return [{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: `${namespace}-${claim}` }, spec }];
    },
    killContainer: async ({ namespace, pod, container }) => {
      const fields = ['initContainerStatuses', 'containerStatuses'];
      const path = fields.map((field) => `{.status.${field}[?(@.name=="${container}")].containerID}`).join('');
      const id = await kubectl(['get', 'pod', pod, '-n', namespace, '-o', `jsonpath=${path}`]);
      const kill = ['task', 'kill', '--signal', 'SIGKILL', id.replace('containerd://', '')];
      await promisify(execFile)(join(programs, 'ctr'), [...ctrArguments(dir), ...kill]);
    },
    restartKubelet: async () => {
      const kubelet = (): string => readFileSync(kubeletFile(dir), 'utf8');
      const before = kubelet();
      // See host.ts, which is the first process of the cluster's process namespace.
      process.kill(1, 'SIGHUP');
      await eventually(() => {
        if (kubelet() === before) throw new Error('The kubelet was not restarted.');
      });
    },
  };
}

/** An external cluster, which pulls the image from a registry. */
function given({ kubectl, image }: { readonly kubectl: string; readonly image: string }): Environment {
  const config = new KubeConfig();
  config.loadFromDefault();
  return {
    api: new Api(config),
    kubectl: (args, input) => runWithKubeconfig(kubectl, args, input),
    image,
    installation: kustomization({ images: [imageOverride(image)] }),
    volumesFor: () => [],
    // `kubectl exec` cannot send SIGKILL to the container's first process.
    killContainer: async ({ namespace, pod, container }) => {
      const end = ['node', '--eval', 'process.kill(1)'];
      await runWithKubeconfig(kubectl, ['exec', pod, '-n', namespace, '-c', container, '--', ...end]);
    },
    restartKubelet: () => Promise.reject(new Error('The kubelet of an external cluster cannot be restarted.')),
  };
}

/**
 * Writes a kustomization on top of the project's own, as a user would.
 *
 * @returns its folder
 */
export function kustomization({
  components = [],
  ...more
}: {
  readonly components?: readonly string[];
  readonly [field: string]: unknown;
}): string {
  const folder = temporaryFolder('kustomization-');
  const path = (name: string): string => relative(folder, join(ROOT, name));
  const text = stringify({
    resources: [path('.')],
    components: components.map((name) => path(`operator/manifests/components/${name}`)),
    ...more,
  });
  writeFileSync(join(folder, 'kustomization.yaml'), text);
  return folder;
}

/** @returns the entry in a kustomization's `images` that selects this image. */
export function imageOverride(image: string): object {
  const [, name = '', tag, digest] = /^(.+?)(?::([\w.-]+))?(?:@(sha256:.+))?$/.exec(image) ?? [];
  return { name: OPERATOR_NAME, newName: name, ...(digest === undefined ? { newTag: tag ?? 'latest' } : { digest }) };
}

function runWithKubeconfig(command: string, args: readonly string[], input?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, { maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`kubectl ${args.join(' ')}: ${stderr.trim() || error.message}`, { cause: error }));
      else resolve(stdout);
    });
    child.stdin?.end(input);
  });
}
