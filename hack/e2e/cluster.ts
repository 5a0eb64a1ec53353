/**
 * A real one-node cluster without Docker: the local control plane with containerd, kubelet, kube-scheduler, kube-proxy,
 * CoreDNS and a controller that enforces NetworkPolicies. It requires its own network, mount and process namespaces (see
 * host.ts). Its addresses exist only there, and its processes end with the namespaces.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { startControlPlane, type ControlPlane } from '../harness/controlplane.ts';
import { startProcess, waitUntilReady, type ManagedProcess } from '../harness/processes.ts';
import type { Report } from '../harness/progress.ts';
import { API_PORT, DNS_ADDRESS, NODE_ADDRESS, NODE_NAME, POD_NETWORK, SERVICE_NETWORK } from './addresses.ts';
import { clusterServices } from './clusterServices.ts';
import { CNI_PROGRAMS } from './prerequisites.ts';

const run = promisify(execFile);

export interface ClusterOptions {
  /** The folder of the programs from {@link ./programs.ts}. */
  readonly programs: string;
  /** The folder for data and logs; must not exist yet. */
  readonly dir: string;
  /** The archives (`podman save`) of the images that pods run, including the pause image. The node starts without them. */
  readonly images: Promise<readonly string[]>;
  readonly pauseImage: string;
  readonly report: Report;
}

/** The folder of the control plane's data in the cluster's folder. */
export function planeIn(dir: string): string {
  return join(dir, 'control-plane');
}

/** The kubeconfig with all permissions. */
export function kubeconfigIn(dir: string): string {
  return join(planeIn(dir), 'kubeconfig');
}

/** The file with the process id of the running kubelet. */
export function kubeletFile(dir: string): string {
  return join(dir, 'kubelet.pid');
}

/** The arguments of containerd's client `ctr` for the images and containers of Kubernetes. */
export function ctrArguments(dir: string): string[] {
  return ['--address', socketIn(dir), '--namespace', 'k8s.io'];
}

function socketIn(dir: string): string {
  return join(dir, 'containerd.sock');
}

/**
 * Starts the cluster, and waits until its node is ready.
 *
 * @returns a function that restarts the kubelet; the containers keep running
 */
export async function startCluster(options: ClusterOptions): Promise<() => Promise<void>> {
  const { dir, programs, report } = options;
  mkdirSync(planeIn(dir), { recursive: true });
  // In memory: the data ends with the cluster, and etcd waits for the disk after each write.
  await run('mount', ['-t', 'tmpfs', 'tmpfs', planeIn(dir)]);
  await setUpNetwork();
  const env = { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH ?? ''}` };
  const start: Start = (name, args) =>
    startProcess({ name, command: join(programs, name), args, env, logFile: join(dir, `${name}.log`) });
  report('Starting the control plane and containerd …');
  const [plane, loaded] = await Promise.all([startPlane(planeIn(dir), report), startContainerd(start, options)]);
  const [restartKubelet] = await Promise.all([startNode(start, plane, dir), loaded()]);
  return restartKubelet;
}

type Start = (name: string, args: readonly string[]) => Promise<ManagedProcess>;

/** Starts everything that runs on a node beside containerd, and waits until the node is ready. */
async function startNode(start: Start, plane: ControlPlane, dir: string): Promise<() => Promise<void>> {
  forward(NODE_ADDRESS, API_PORT, Number(new URL(plane.url).port));
  // On a real node, certificates name the node and its authorizer limits it. Here, every component is an administrator.
  const kubeconfig = plane.kubeconfigFor('system:e2e', ['system:masters']);
  await startSchedulerAndProxy(start, kubeconfig);
  const config = writeKubeletConfig(dir, plane);
  const startKubelet = async (): Promise<ManagedProcess> => {
    const started = await start('kubelet', [
      `--config=${config}`,
      `--kubeconfig=${kubeconfig}`,
      `--root-dir=${join(dir, 'kubelet')}`,
      `--hostname-override=${NODE_NAME}`,
      `--node-ip=${NODE_ADDRESS}`,
    ]);
    writeFileSync(kubeletFile(dir), String(started.pid));
    return started;
  };
  let kubelet = await startKubelet();
  await startDns(start, dir, kubeconfig);
  await plane.kubectl(['apply', '--server-side', '-f', '-'], stringifyAll(clusterServices()));
  await waitUntilReady(kubelet, () => isNodeReady(plane), 120_000);
  await startNetworkPolicies(start, kubeconfig);
  return async () => {
    await kubelet.stop();
    kubelet = await startKubelet();
  };
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

function startPlane(dir: string, report: Report): Promise<ControlPlane> {
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

/**
 * Starts containerd, and waits until it answers.
 *
 * @returns a function that waits until it has all images
 */
async function startContainerd(
  start: Start,
  { programs, dir, images, pauseImage }: ClusterOptions,
): Promise<() => Promise<void>> {
  const containerd = await start('containerd', ['--config', writeContainerdConfig(dir, pauseImage)]);
  const ctr = (...args: string[]): Promise<unknown> => run(join(programs, 'ctr'), [...ctrArguments(dir), ...args]);
  await waitUntilReady(containerd, () => answers(ctr('version')), 30_000);
  const loading = images.then(async (archives) => {
    for (const archive of archives) await ctr('images', 'import', archive);
  });
  // The caller learns of the failure when it waits.
  loading.catch(() => undefined);
  return () => loading;
}

function writeContainerdConfig(dir: string, pauseImage: string): string {
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
address = ${JSON.stringify(socketIn(dir))}
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
  return config;
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

function writeKubeletConfig(dir: string, plane: ControlPlane): string {
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
      containerRuntimeEndpoint: `unix://${socketIn(dir)}`,
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
