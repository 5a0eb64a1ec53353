import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../../../operator/runtime/testing/eventually.ts';
import { freePort } from '../processes.ts';
import { type BinarySources, ensureBinaries } from './binaries.ts';
import { type BinaryName, KUBERNETES_VERSION, platformName } from './versions.ts';
import { ARCHIVE_VERSION } from './download.ts';

const NAMES = ['kube-apiserver', 'etcd', 'kubectl'] as const;

describe('control plane binaries', () => {
  let root = '';
  let lines: string[] = [];
  let built: string[] = [];
  let server: Server | undefined;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'binaries-test-'));
    lines = [];
    built = [];
  });
  afterEach(async () => {
    await server?.[Symbol.asyncDispose]();
    server = undefined;
    rmSync(root, { recursive: true });
  });

  /** Creates a program that prints the given version. */
  function install(folder: string, name: BinaryName, version = KUBERNETES_VERSION): string {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\necho "${name} Version: v${version}"\n`);
    chmodSync(path, 0o755);
    return path;
  }
  const cache = (version: string): string => join(root, 'kubebuilder-envtest/k8s', `${version}-${platformName()}`);
  const env = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
    HOME: root,
    // The go command starts a process of its own that writes there, also after the test.
    XDG_CONFIG_HOME: process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config'),
    XDG_DATA_HOME: root,
    PATH: '',
    ...more,
  });
  /** No download source, and a build that records its parameters. */
  async function sources(more: BinarySources = {}): Promise<BinarySources> {
    return {
      env: env({ PATH: process.env.PATH }),
      report: (line) => lines.push(line),
      archive: { url: `http://127.0.0.1:${await freePort()}/none.tar.gz`, sha512: '' },
      build: async ({ names, folder }) => {
        built.push(...names);
        for (const name of names) install(folder, name);
      },
      ...more,
    };
  }
  async function serve(body: Buffer): Promise<string> {
    const started = createServer((_request, response) => response.end(body));
    server = started;
    await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(started.address() as AddressInfo).port}/archive.tar.gz`;
  }
  function archive(): Buffer {
    const folder = join(root, 'pack/controller-tools/envtest');
    for (const name of NAMES) install(folder, name, ARCHIVE_VERSION);
    execFileSync('tar', ['-czf', join(root, 'archive.tar.gz'), '-C', join(root, 'pack'), 'controller-tools']);
    return readFileSync(join(root, 'archive.tar.gz'));
  }
  async function failure(work: Promise<unknown>): Promise<string> {
    return work.then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
  }

  it('come from KUBEBUILDER_ASSETS before the cache, and from the cache before PATH', async () => {
    const onPath = join(root, 'path');
    const assets = join(root, 'assets');
    const inPath = NAMES.map((name) => install(onPath, name, name === 'etcd' ? '3.6.1' : KUBERNETES_VERSION));
    const found = await ensureBinaries(NAMES, { env: env({ PATH: onPath }) });
    expect(Object.values(found)).to.deep.equal(inPath);

    const cached = NAMES.map((name) => install(cache('1.36.0'), name));
    expect(Object.values(await ensureBinaries(NAMES, { env: env({ PATH: onPath }) }))).to.deep.equal(cached);

    const given = NAMES.map((name) => install(assets, name));
    const withAssets = env({ PATH: onPath, KUBEBUILDER_ASSETS: assets });
    expect(Object.values(await ensureBinaries(NAMES, { env: withAssets }))).to.deep.equal(given);
  });

  it('are taken from the newest cached patch version of the right minor version', async () => {
    for (const version of ['1.35.12', '1.36.2', '1.36.10', '1.37.0']) install(cache(version), 'etcd');
    expect(await ensureBinaries(['etcd'], { env: env() })).to.deep.equal({ etcd: join(cache('1.36.10'), 'etcd') });
  });

  for (const [name, version, taken] of [
    ['kube-apiserver', '1.36.9', true],
    ['kube-apiserver', '1.35.0', false],
    ['kubectl', '1.35.1', true],
    ['kubectl', '1.37.0', true],
    ['kubectl', '1.32.4', false],
    ['etcd', '3.5.21', true],
    ['etcd', '3.4.30', false],
  ] as const) {
    it(`on PATH: ${name} ${version} is ${taken ? 'used' : 'ignored'}`, async () => {
      const path = install(join(root, 'path'), name, version);
      const given = await sources();
      const found = await ensureBinaries([name], {
        ...given,
        env: env({ PATH: `${join(root, 'path')}:${process.env.PATH ?? ''}` }),
      });
      expect(found[name] === path).to.equal(taken);
    });
  }

  it('name KUBEBUILDER_ASSETS if it does not contain the API server', async () => {
    const message = await failure(ensureBinaries(NAMES, { env: env({ KUBEBUILDER_ASSETS: root }) }));
    expect(message).to.equal(
      `KUBEBUILDER_ASSETS is ${root}, which does not contain kube-apiserver. Correct it, or unset it.`,
    );
  });

  it('are downloaded into the cache if none are found, and are found there later', async () => {
    const body = archive();
    const sha512 = createHash('sha512').update(body).digest('hex');
    const given = await sources({ archive: { url: await serve(body), sha512 } });
    const found = await ensureBinaries(NAMES, given);
    expect(Object.values(found)).to.deep.equal(NAMES.map((name) => join(cache(ARCHIVE_VERSION), name)));
    expect(execFileSync(found.etcd, { encoding: 'utf8' })).to.include(ARCHIVE_VERSION);
    expect(built).to.deep.equal([]);
    const again = await ensureBinaries(NAMES, await sources());
    expect(again).to.deep.equal(found);
    expect(readdirSync(join(cache('x'), '..')).filter((entry) => entry.startsWith('.'))).to.deep.equal([]);
  });

  it('are discarded if the checksum of the download differs, and are built instead', async () => {
    const body = archive();
    const sha512 = createHash('sha512').update('something else').digest('hex');
    const found = await ensureBinaries(NAMES, await sources({ archive: { url: await serve(body), sha512 } }));
    expect(lines).to.include('Downloading the archive failed (its SHA-512 differs from the published one).');
    expect(Object.values(found)).to.deep.equal(NAMES.map((name) => join(cache(KUBERNETES_VERSION), name)));
    expect(existsSync(join(cache(ARCHIVE_VERSION), 'etcd'))).to.equal(false);
    expect(readdirSync(join(cache('x'), '..')).filter((entry) => entry.startsWith('.'))).to.deep.equal([]);
  });

  it('are built if no source can be reached, after one line that says so', async () => {
    await ensureBinaries(NAMES, await sources());
    expect(built).to.deep.equal([...NAMES]);
    expect(lines.filter((line) => line.includes('Downloading the archive failed'))).to.have.length(1);
    expect(lines.join('\n')).to.match(/Downloading the archive failed \(.*ECONNREFUSED/);
  });

  it('are built without kubectl if a kubectl within one minor version is on PATH', async () => {
    const kubectl = install(join(root, 'path'), 'kubectl', '1.35.4');
    const found = await ensureBinaries(NAMES, {
      ...(await sources()),
      env: env({ PATH: `${join(root, 'path')}:${process.env.PATH ?? ''}` }),
    });
    expect(built).to.deep.equal(['kube-apiserver', 'etcd']);
    expect(found.kubectl).to.equal(kubectl);
  });

  it('are built without a download if no archive has them', async () => {
    await ensureBinaries(['kube-controller-manager'], await sources());
    expect(built).to.deep.equal(['kube-controller-manager']);
    expect(lines).to.deep.equal([]);
  });

  it('are built once if two runs need them at the same time', async () => {
    const given = await sources();
    const build: BinarySources['build'] = async (request) => {
      const waiting = 'Another run is fetching the control plane; waiting for it …';
      await eventually(() => expect(lines).to.include(waiting));
      await given.build?.(request);
    };
    const [one, other] = await Promise.all([1, 2].map(() => ensureBinaries(NAMES, { ...given, build })));
    expect(one).to.deep.equal(other);
    expect(built).to.deep.equal([...NAMES]);
  });

  it('name the missing programs and the remedy without network, cache and Go', async () => {
    const message = await failure(ensureBinaries(NAMES, await sources({ env: env({ PATH: root }) })));
    expect(message).to.match(
      /^These programs of Kubernetes 1\.36 are missing: kube-apiserver, etcd, kubectl \(not in the cache, not on PATH; downloading the archive failed \(.*\); no Go 1\.21 or newer to build them\)\. Connect to the Internet once, install Go \(https:\/\/go\.dev\/dl\), or set KUBEBUILDER_ASSETS to a folder that contains them\.$/,
    );
    expect(message).not.to.include('\n');
  });
});
