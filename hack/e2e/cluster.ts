/**
 * A real one-node cluster without Docker: the local control plane with containerd, kubelet, kube-scheduler, kube-proxy,
 * CoreDNS and a controller that enforces NetworkPolicies. It requires its own network, mount and process namespaces (see
 * main.ts). Its addresses exist only there, and its processes end with the namespaces.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { startControlPlane, type ControlPlane } from '../harness/controlplane.ts';
import { startProcess, waitUntilReady, type ManagedProcess } from '../harness/processes.ts';
import { API_PORT, DNS_ADDRESS, NODE_ADDRESS, NODE_NAME, POD_NETWORK, SERVICE_NETWORK } from './addresses.ts';
import { clusterServices } from './clusterServices.ts';
import { CNI_PROGRAMS } from './prerequisites.ts';

const run = promisify(execFile);

export interface ClusterOptions {
  /** The folder of the programs from {@link ./programs.ts}. */
  readonly programs: string;
  /** The folder for data and logs; must not exist yet. */
  readonly dir: string;
  /** The archives (`podman save`) of the images that pods run, including the pause image. */
  readonly images: readonly string[];
  readonly pauseImage: string;
  readonly report: (line: string) => void;
}

export interface Cluster extends ControlPlane {
  /** Restarts the kubelet; the containers keep running. */
  restartKubelet(): Promise<void>;
  /** Runs containerd's client `ctr` in the namespace of Kubernetes. */
  ctr(args: readonly string[]): Promise<string>;
}

/** Starts the cluster, and waits until its node is ready. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { dir, programs, report } = options;
  const path = (name: string): string => join(dir, name);
  mkdirSync(dir, { recursive: true });
  await setUpNetwork();
  const plane = await startPlane(path('control-plane'), report);
  forward(NODE_ADDRESS, API_PORT, Number(new URL(plane.url).port));
  const env = { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH ?? ''}` };
  const start = (name: string, args: readonly string[]): Promise<ManagedProcess> =>
    startProcess({ name, command: join(programs, name), args, env, logFile: path(`${name}.log`) });

  report('Starting containerd and loading the images …');
  const socket = path('containerd.sock');
  const ctr: Cluster['ctr'] = async (args) =>
    (await run(join(programs, 'ctr'), ['--address', socket, '--namespace', 'k8s.io', ...args])).stdout;
  const containerd = await startContainerd(start, { dir, socket, pauseImage: options.pauseImage });
  await waitUntilReady(containerd, () => answers(ctr(['version'])), 30_000);
  for (const image of options.images) await ctr(['images', 'import', image]);

  report('Starting the node …');
  // On a real node, certificates name the node and its authorizer limits it. Here, every component is an administrator.
  const kubeconfig = plane.kubeconfigFor('system:e2e', ['system:masters']);
  await startSchedulerAndProxy(start, kubeconfig);
  const config = writeKubeletConfig(dir, socket, plane);
  const startKubelet = (): Promise<ManagedProcess> =>
    start('kubelet', [
      `--config=${config}`,
      `--kubeconfig=${kubeconfig}`,
      `--root-dir=${path('kubelet')}`,
      `--hostname-override=${NODE_NAME}`,
      `--node-ip=${NODE_ADDRESS}`,
    ]);
  let kubelet = await startKubelet();
  await startDns(start, dir, kubeconfig);
  await plane.kubectl(['apply', '--server-side', '-f', '-'], stringifyAll(clusterServices()));
  await waitUntilReady(kubelet, () => isNodeReady(plane), 120_000);
  await startNetworkPolicies(start, kubeconfig);

  return Object.assign(Object.create(plane) as ControlPlane, {
    ctr,
    restartKubelet: async () => {
      await kubelet.stop();
      kubelet = await startKubelet();
    },
  });
}

async function setUpNetwork(): Promise<void> {
  const ip = (...args: string[]): Promise<unknown> => run('ip', args);
  await ip('link', 'set', 'lo', 'up');
  await ip('link', 'add', 'node0', 'type', 'bridge');
  await ip('address', 'add', `${NODE_ADDRESS}/24`, 'dev', 'node0');
  await ip('link', 'set', 'node0', 'up');
  // Service addresses have no route of their own: kube-proxy's rules redirect their traffic.
  await ip('route', 'add', 'default', 'dev', 'node0');
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
}

/** Forwards connections from the node's address to a server on its loopback address, which pods cannot reach. */
function forward(host: string, port: number, target: number): void {
  const server = createServer((incoming) => {
    const outgoing = connect({ host: '127.0.0.1', port: target });
    const end = (): void => {
      incoming.destroy();
      outgoing.destroy();
    };
    incoming.on('error', end).on('close', end).pipe(outgoing);
    outgoing.on('error', end).on('close', end).pipe(incoming);
  });
  server.listen(port, host);
  server.unref();
}

function startPlane(dir: string, report: ClusterOptions['report']): Promise<ControlPlane> {
  return startControlPlane({
    dir,
    controllers: ['*'],
    apiServerArguments: [
      '--kubelet-preferred-address-types=InternalIP',
      `--kubelet-client-certificate=${join(dir, 'pki/server.crt')}`,
      `--kubelet-client-key=${join(dir, 'pki/server.key')}`,
      '--kubelet-certificate-authority=',
    ],
    report,
  });
}

type Start = (name: string, args: readonly string[]) => Promise<ManagedProcess>;

function startContainerd(
  start: Start,
  { dir, socket, pauseImage }: { dir: string; socket: string; pauseImage: string },
): Promise<ManagedProcess> {
  const cni = join(dir, 'cni');
  mkdirSync(cni);
  // Point to point: all traffic between pods passes the node's routing, and therefore kube-proxy's rules.
  writeFileSync(
    join(cni, '10-pods.conflist'),
    JSON.stringify({
      cniVersion: '1.0.0',
      name: 'pods',
      plugins: [
        {
          type: 'ptp',
          ipam: {
            type: 'host-local',
            dataDir: join(dir, 'cni-addresses'),
            ranges: [[{ subnet: POD_NETWORK }]],
            routes: [{ dst: '0.0.0.0/0' }],
          },
        },
        { type: 'portmap', capabilities: { portMappings: true } },
      ],
    }),
  );
  const config = join(dir, 'containerd.toml');
  writeFileSync(
    config,
    `version = 3
root = ${JSON.stringify(join(dir, 'containerd'))}
state = ${JSON.stringify(join(dir, 'containerd-state'))}
[grpc]
address = ${JSON.stringify(socket)}
[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = ${JSON.stringify(pauseImage)}
[plugins.'io.containerd.cri.v1.runtime']
# Lowering a process's OOM score needs CAP_SYS_RESOURCE, which not every machine gives.
restrict_oom_score_adj = true
[plugins.'io.containerd.cri.v1.runtime'.cni]
bin_dirs = [${JSON.stringify(CNI_PROGRAMS)}]
conf_dir = ${JSON.stringify(cni)}
[plugins.'io.containerd.cri.v1.runtime'.containerd]
default_runtime_name = "runc"
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
SystemdCgroup = false
`,
  );
  return start('containerd', ['--config', config]);
}

async function startSchedulerAndProxy(start: Start, kubeconfig: string): Promise<void> {
  await start('kube-scheduler', [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0']);
  await start('kube-proxy', [
    `--kubeconfig=${kubeconfig}`,
    `--hostname-override=${NODE_NAME}`,
    `--cluster-cidr=${POD_NETWORK}`,
    '--proxy-mode=iptables',
    '--conntrack-max-per-core=0',
    '--healthz-bind-address=127.0.0.1:10256',
  ]);
}

/** As with most network plugins, connections from the node itself are admitted: the kubelet's probes. */
async function startNetworkPolicies(start: Start, kubeconfig: string): Promise<void> {
  await start('network-policies', [
    `--kubeconfig=${kubeconfig}`,
    `--node=${NODE_NAME}`,
    `--service-cidr=${SERVICE_NETWORK}`,
  ]);
}

function writeKubeletConfig(dir: string, socket: string, plane: ControlPlane): string {
  const file = join(dir, 'kubelet.yaml');
  // The machine's name servers are not reachable from these namespaces.
  const resolvConf = join(dir, 'resolv.conf');
  writeFileSync(resolvConf, '');
  writeFileSync(
    file,
    stringify({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      address: NODE_ADDRESS,
      healthzPort: 0,
      authentication: {
        anonymous: { enabled: false },
        webhook: { enabled: true },
        x509: { clientCAFile: join(plane.dir, 'pki/ca.crt') },
      },
      authorization: { mode: 'Webhook' },
      containerRuntimeEndpoint: `unix://${socket}`,
      podLogsDir: join(dir, 'pod-logs'),
      resolvConf,
      clusterDNS: [DNS_ADDRESS],
      clusterDomain: 'cluster.local',
      cgroupDriver: 'cgroupfs',
      enforceNodeAllocatable: [],
      failCgroupV1: false,
      failSwapOn: false,
      // A nearly full disk of the machine does not harm a cluster of a few pods.
      evictionHard: { 'nodefs.available': '1%', 'imagefs.available': '1%', 'memory.available': '100Mi' },
      imageGCHighThresholdPercent: 100,
      imageGCLowThresholdPercent: 99,
      fileCheckFrequency: '1s',
      syncFrequency: '5s',
      configMapAndSecretChangeDetectionStrategy: 'Watch',
    }),
  );
  return file;
}

/** CoreDNS runs as a process of the node. Its answers are the same, and no image has to be built. */
async function startDns(start: Start, dir: string, kubeconfig: string): Promise<void> {
  const file = join(dir, 'Corefile');
  writeFileSync(
    file,
    `.:53 {
  bind ${NODE_ADDRESS}
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig ${kubeconfig} local
  }
}
`,
  );
  await start('coredns', ['-conf', file]);
}

function stringifyAll(objects: readonly object[]): string {
  return objects.map((object) => stringify(object)).join('---\n');
}

function answers(call: Promise<unknown>): Promise<boolean> {
  return call.then(
    () => true,
    () => false,
  );
}

async function isNodeReady(plane: ControlPlane): Promise<boolean> {
  const output = await plane
    .kubectl(['get', 'node', NODE_NAME, '-o', 'jsonpath={.status.conditions[?(@.type=="Ready")].status}'])
    .catch(() => '');
  return output === 'True';
}
