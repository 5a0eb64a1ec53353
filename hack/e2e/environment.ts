/** The cluster that the cases run on, ours or a given one, and what they ask of it. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stringify } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { removeAtExit } from '../testing/processes.ts';
import type { Cluster } from './cluster.ts';

/** A cluster, seen by an admin. */
export interface Environment {
  /** Runs kubectl. Resolves to its output; rejects with its error output. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** The image under test, as pods name it. */
  readonly image: string;
  /** The folder that `kubectl apply -k` installs the operator from. */
  readonly installation: string;
  /** What has to be applied for a claim of a pod's to get a volume, where the cluster does not make one by itself. */
  volumesFor(claim: string, namespace: string): readonly object[];
  /** Ends a container as a crash would. */
  killContainer(which: ContainerName): Promise<void>;
  /** Restarts the node's kubelet. @throws Error where the node is not ours */
  restartKubelet(): Promise<void>;
}

export interface ContainerName {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

const ROOT = join(import.meta.dirname, '../..');
const NAME = 'gateway-guardrail-operator';

/** Whether the cluster is one of our own, and its node ours to restart: known while tests are being declared. */
export const ownsNode = (process.env.E2E_IMAGE ?? '') === '';

let environment: Environment | undefined;

/** For setup.ts alone. */
export function setEnvironment(made: Environment): void {
  environment = made;
}

/** The cluster. There in tests and hooks, not while they are being declared. */
export function cluster(): Environment {
  if (environment === undefined) throw new Error('The cluster is there in tests and hooks alone.');
  return environment;
}

/** Our own cluster. It has the image under the very name that the manifests give, so they are applied as they are. */
export function own(made: Cluster): Environment {
  return {
    kubectl: (args, input) => made.kubectl(args, input),
    image: `${NAME}:${packageJson.version}`,
    installation: ROOT,
    volumesFor: (claim, namespace) => {
      const path = join(made.dir, `../volumes/${namespace}`);
      mkdirSync(path, { recursive: true });
      // The pod's user owns nothing on this machine.
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
      const id = await made.kubectl(['get', 'pod', pod, '-n', namespace, '-o', `jsonpath=${path}`]);
      await made.ctr(['task', 'kill', '--signal', 'SIGKILL', id.replace('containerd://', '')]);
    },
    restartKubelet: () => made.restartKubelet(),
  };
}

/** A cluster of somebody's, which the image comes to from a registry. */
export function given({ kubectl, image }: { readonly kubectl: string; readonly image: string }): Environment {
  return {
    kubectl: (args, input) => runKubectl(kubectl, args, input),
    image,
    installation: kustomization({ images: [imageOverride(image)] }),
    volumesFor: () => [],
    // From within, its first process cannot be ended by force.
    killContainer: async ({ namespace, pod, container }) => {
      const end = ['node', '--eval', 'process.kill(1)'];
      await runKubectl(kubectl, ['exec', pod, '-n', namespace, '-c', container, '--', ...end]);
    },
    restartKubelet: () => Promise.reject(new Error('The nodes of a given cluster are not restarted.')),
  };
}

/** A folder with a kustomization as a user of the project writes it: on top of the project's own. */
export function kustomization({
  components = [],
  ...more
}: {
  readonly components?: readonly string[];
  readonly [field: string]: unknown;
}): string {
  const folder = mkdtempSync(join(tmpdir(), 'kustomization-'));
  removeAtExit(folder);
  const path = (name: string): string => relative(folder, join(ROOT, name));
  const text = stringify({
    resources: [path('.')],
    components: components.map((name) => path(`operator/manifests/components/${name}`)),
    ...more,
  });
  writeFileSync(join(folder, 'kustomization.yaml'), text);
  return folder;
}

/** What `images` of a kustomization says to run this image. */
export function imageOverride(image: string): object {
  const [, name = '', tag, digest] = /^(.+?)(?::([\w.-]+))?(?:@(sha256:.+))?$/.exec(image) ?? [];
  return { name: NAME, newName: name, ...(digest === undefined ? { newTag: tag ?? 'latest' } : { digest }) };
}

function runKubectl(command: string, args: readonly string[], input?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, { maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`kubectl ${args.join(' ')}: ${stderr.trim() || error.message}`, { cause: error }));
      else resolve(stdout);
    });
    child.stdin?.end(input);
  });
}
