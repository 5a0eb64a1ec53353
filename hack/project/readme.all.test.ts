import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ControlPlane, startControlPlane } from '../harness/controlplane.ts';
import { freePort, startProcess, waitUntilReady } from '../harness/processes.ts';
import { pageBlocks, pages } from './pages.ts';
import { type Block, blocks, inlineCommands } from './readme.ts';

const root = join(import.meta.dirname, '../..');
const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
const text = pages().join('\n');
const shell = pageBlocks().filter(({ language }) => language === 'sh');
const manifestsIn = (yaml: string): string[] => yaml.split(/^---\n/m);

describe('README and docs', function () {
  this.timeout(120_000);

  it('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = [
      ...`${text}\n${contributing}`.matchAll(/\bnpm\s+(?:run\s+)?(start|test\b(?!:)|[a-z][a-z0-9]*(?::[a-z]+)?)/g),
    ].map(([, name = '']) => name);
    const commands = named.filter((name) => !['or', 'from', 'ci'].includes(name));
    expect(commands).to.include.members(['start', 'test']);
    expect(commands.filter((name) => !(name in scripts))).to.deep.equal([]);
  });

  for (const command of new Set(inlineCommands(text, 'node'))) {
    it(`\`${command}\` works`, () => {
      const output = execFileSync(process.execPath, command.split(' ').slice(1), { cwd: root, encoding: 'utf8' });
      expect(output).to.have.length.above(100);
    });
  }

  const guardrail = shell.filter((block) => block.text.includes('guardrail/main.ts'));
  const isDetect = (command: string): boolean => command.includes(' detect ');
  const isSessionId = (block: Block): boolean => block.text.includes(' session-id ');

  it('explains how to compute a session id', () => {
    expect(guardrail.filter(isSessionId)).to.have.length(1);
    const [{ text: sample }] = guardrail.filter(isSessionId) as [Block];
    expect(sample).to.include('=session.key ');
    const folder = mkdtempSync(join(tmpdir(), 'readme-'));
    try {
      const key = join(folder, 'session.key');
      writeFileSync(key, 'a session key of more than sixteen bytes');
      const command = sample.replace('=session.key ', `=${key} `);
      const id = execFileSync('/bin/sh', ['-c', command], { cwd: root, encoding: 'utf8' });
      expect(id.trim()).to.match(/^[0-9a-f]{32}$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('explains a find as the page shows', () => {
    const troubleshooting = blocks(readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8'));
    const [{ text: command }, { text: expected }] = troubleshooting as [Block, Block];
    expect(command).to.satisfy(isDetect);
    const output = execFileSync('/bin/sh', ['-c', command], { cwd: root, encoding: 'utf8' });
    expect(output.trim()).to.equal(expected.trim());
  });

  for (const { text: command } of guardrail.filter((block) => !isSessionId(block) && !isDetect(block.text))) {
    it(`\`${command.trim()}\` runs the guardrail`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'readme-'));
      const port = await freePort();
      const child = await startProcess({
        name: 'The guardrail',
        command: '/bin/sh',
        args: ['-c', command.replace('EXT_PROC_PORT=8082', 'EXT_PROC_PORT=0')],
        cwd: root,
        env: {
          ...process.env,
          GUARDRAIL_PORT: String(port),
          GUARDRAIL_METRICS_PORT: '0',
          GUARDRAIL_HOST: '127.0.0.1',
          ...(command.includes('GUARDRAIL_PROXY_UPSTREAM') ? { GUARDRAIL_PROXY_PORT: '0' } : {}),
        },
        logFile: join(folder, 'log'),
      });
      try {
        const url = `http://127.0.0.1:${port}/readyz`;
        await waitUntilReady(
          child,
          () =>
            fetch(url).then(
              ({ ok }) => ok,
              () => false,
            ),
          30_000,
        );
      } finally {
        await child.stop();
        rmSync(folder, { recursive: true });
      }
    });
  }

  describe('a call with curl', () => {
    const policy = blocks(readFileSync(join(root, 'docs/policies.md'), 'utf8'))[0]?.text ?? '';
    const withoutCodes = (json: string): unknown =>
      JSON.parse(json.replaceAll(/_[A-Z0-9]{8}>/g, '>').replaceAll(/("score": ?0\.\d\d)\d*/g, '$1'));
    let url: string;
    let folder: string;
    let child: Awaited<ReturnType<typeof startProcess>>;
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'readme-'));
      writeFileSync(join(folder, 'policy.yaml'), policy);
      const port = await freePort();
      url = `http://127.0.0.1:${port}`;
      child = await startProcess({
        name: 'The guardrail',
        command: process.execPath,
        args: ['guardrail/main.ts'],
        cwd: root,
        env: {
          ...process.env,
          GUARDRAIL_API_KEYS: 'litellm:sk-guardrail',
          GUARDRAIL_PRESIDIO_API: 'true',
          GUARDRAIL_POLICY: join(folder, 'policy.yaml'),
          GUARDRAIL_PORT: String(port),
          GUARDRAIL_METRICS_PORT: '0',
          GUARDRAIL_HOST: '127.0.0.1',
        },
        logFile: join(folder, 'log'),
      });
      const isReady = (): Promise<boolean> =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      await waitUntilReady(child, isReady, 30_000);
    });
    after(async () => {
      await child.stop();
      rmSync(folder, { recursive: true });
    });

    for (const [page, calls] of [
      ['guardrail', 1],
      ['policies', 1],
      ['presidio', 2],
    ] as const) {
      it(`of docs/${page}.md gets the answer of the page`, () => {
        const all = blocks(readFileSync(join(root, `docs/${page}.md`), 'utf8'));
        const pairs = all.flatMap((block, at) =>
          block.text.startsWith('curl') ? [[block, all[at + 1]] as const] : [],
        );
        expect(pairs).to.have.length(calls);
        for (const [{ text: command }, answer] of pairs) {
          const call = command.replaceAll('http://127.0.0.1:8080', url);
          const output = execFileSync('/bin/sh', ['-c', call], { cwd: root, encoding: 'utf8' });
          expect(withoutCodes(output)).to.deep.equal(withoutCodes(answer?.text ?? ''));
        }
      });
    }
  });

  describe('on a cluster', () => {
    const manifests = pageBlocks()
      .filter(({ language }) => language === 'yaml')
      .flatMap((block) => manifestsIn(block.text))
      .filter((manifest) => /^kind: G(?:ateway|uardrailPolicy)/m.test(manifest));
    const namespaceOf = (manifest: string): string => /namespace: (\w+)/.exec(manifest)?.[1] ?? 'default';
    let plane: ControlPlane;
    before(async () => {
      plane = await startControlPlane();
      await plane.kubectl(['apply', '--server-side', '-k', join(root, 'crds')]);
      await plane.kubectl(['wait', '--for=condition=Established', 'crd', '--all']);
      for (const namespace of new Set(manifests.map(namespaceOf))) {
        if (namespace !== 'default') await plane.kubectl(['create', 'namespace', namespace]);
      }
    });
    after(() => plane.stop());

    for (const manifest of manifests) {
      const named = ['kind', ' {2}name'].map((key) => new RegExp(`^${key}: (\\w+)`, 'm').exec(manifest)?.[1] ?? '');
      it(`the ${named.join(' ')} is accepted, without unknown fields`, async () => {
        const answer = await plane.kubectl(['create', '--dry-run=server', '--validate=strict', '-f', '-'], manifest);
        expect(answer).to.match(/created \(server dry run\)/);
      });
    }

    it('`kubectl apply -k .` installs the operator, and `kubectl delete -k .` leaves CRDs and customers alone', async () => {
      expect(shell.map((block) => block.text.trim())).to.include('kubectl apply -k .');
      expect(inlineCommands(text, 'kubectl')).to.include('kubectl delete -k .');
      await plane.kubectl(['apply', '-k', root]);
      const deployment = ['get', 'deployment', 'gateway-guardrail-operator', '-ngateway-guardrail-system', '-oname'];
      expect(await plane.kubectl(deployment)).to.equal('deployment.apps/gateway-guardrail-operator\n');
      const customer = manifests.find((manifest) => manifest.includes('name: acme')) ?? '';
      await plane.kubectl(['apply', '-ndefault', '-f', '-'], customer.replace(/^ {2}namespace: .*\n/m, ''));
      // Nothing deletes the contents of a namespace here, so the test does not wait for its deletion.
      await plane.kubectl(['delete', '-k', root, '--wait=false']);
      expect(await plane.kubectl(['get', 'gcust', '-oname', '-ndefault'])).to.include('/acme');
      expect(await plane.kubectl(['get', 'crd', '-oname'])).to.include('gatewaycustomers.gateway.guardrail.dev');
    });
  });
});
