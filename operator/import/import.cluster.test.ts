/** The command `import`, and its manifests on a real API server: applying them changes nothing at the gateway. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { expect } from 'chai';
import { atScale } from '../../hack/harness/scale.ts';
import { parseAllDocuments } from 'yaml';
import { answer, withTestbed } from '../customer/testing/testbed.ts';
import { eventually } from '../customer/testing/testOperator.ts';
import { runImport } from './import.ts';
import type { Manifest } from './plan.ts';

/** The number of imported customers. A list of them is used from a hundred on. */
const COUNT = atScale(120, 1_000);

interface End {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('the command import', function () {
  this.timeout(180_000);
  const bed = withTestbed();
  const main = new URL('../main.ts', import.meta.url).pathname;

  /** Runs the command in a process of its own. @param interrupt resolves when SIGINT is sent */
  async function runProcess(args: readonly string[], interrupt?: Promise<unknown>): Promise<End> {
    const child = spawn(process.execPath, [main, 'import', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, KUBECONFIG: bed.cluster().kubeconfig },
    });
    const ended = once(child, 'close') as Promise<[number | null]>;
    void interrupt?.then(() => child.kill('SIGINT'));
    const [stdout, stderr, [code]] = await Promise.all([textOf(child.stdout), textOf(child.stderr), ended]);
    return { code, stdout, stderr };
  }
  /** Runs the command in this process. */
  async function run(args: readonly string[]): Promise<End> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const output = Promise.all([textOf(stdout), textOf(stderr)]);
    const { signal } = new AbortController();
    const code = await runImport(args, { stdout, stderr, signal, kubeConfig: () => bed.cluster().kubeConfig() });
    stdout.end();
    stderr.end();
    const [out, err] = await output;
    return { code, stdout: out, stderr: err };
  }
  const instance = (): string => `--instance=${bed.user.namespace}/main`;
  const manifestsOf = (stdout: string): Manifest[] =>
    parseAllDocuments(stdout, { version: '1.1' })
      .map((document) => document.toJS() as Manifest | null)
      .filter((manifest) => manifest !== null);
  const writes = (): string[] =>
    bed.proxy.calls.map(({ path }) => path).filter((path) => /\/(new|update|delete|block|unblock)$/.test(path));
  const apply = async ({ kind, metadata, spec }: Manifest): Promise<void> => {
    if (kind === 'GatewayBudget') await bed.user.budget(metadata.name, spec);
    else await bed.user.customer(metadata.name, spec);
  };
  const syncedOf = async (): Promise<number> =>
    (await bed.user.list()).filter(({ status }) => status?.synced === true).length;

  it('imports customers and their budgets, and applying them writes nothing at the gateway', async () => {
    await bed.admin.budgetNew({ budget_id: 'gold', max_budget: 10, budget_duration: '30d', rpm_limit: 60 });
    await bed.admin.budgetNew({ budget_id: 'Große Stufe', max_budget: 3 });
    const tiers = ['gold', 'free', 'Große Stufe'];
    for (let at = 0; at < COUNT; at += 1) {
      const user_id = at % 10 === 0 ? `Kunde ${at} Ü` : `customer-${at}`;
      const limits = at % 2 === 0 ? { budget_id: tiers[at % 3] } : at % 3 === 0 ? { max_budget: at, tpm_limit: 5 } : {};
      await bed.admin.customerNew({ user_id, alias: `Alias ${at}`, blocked: at % 7 === 0, models: ['a'], ...limits });
    }
    const refused = ' \u0001';
    await bed.admin.customerNew({ user_id: refused });
    const listed = async (): Promise<unknown> =>
      await (await fetch(`${bed.proxy.url}/customer/list`, { headers: { authorization: 'Bearer sk-master' } })).json();
    const before = await listed();

    const { code, stdout, stderr } = await runProcess([instance()]);
    expect(stderr).to.contain('3 budgets imported').and.to.contain(`${COUNT} customers imported`);
    expect(stderr).to.not.contain('Kunde');
    expect(code).to.equal(3);
    expect(stdout).to.contain('# Not imported: customer " \\u0001":');
    const manifests = manifestsOf(stdout);
    expect(manifests).to.have.length(COUNT + 3);
    for (let at = 0; at < manifests.length; at += 50) await Promise.all(manifests.slice(at, at + 50).map(apply));
    await eventually(async () => {
      expect(await syncedOf()).to.equal(COUNT);
    }, 90_000);
    expect(writes()).to.deep.equal([]);
    expect(await listed()).to.deep.equal(before);
    expect((await bed.user.getBudget('gold'))?.status?.lastChangeTime).to.equal(undefined);

    const again = await run([instance()]);
    expect(manifestsOf(again.stdout)).to.deep.equal([]);
    expect(again.stderr).to.contain(`${COUNT} skipped: a resource of the instance names them already`);

    // The spec is what the gateway has: an edit of it is applied.
    await bed.user.patch('customer-9', { spec: { alias: 'New' } });
    await bed.user.untilReason('customer-9', 'Updated');
    expect(await bed.admin.customerInfo('customer-9')).to.include({ alias: 'New' });
    await bed.user.delete('customer-9');
    await bed.user.untilGone('customer-9');
    expect(await bed.admin.customerInfo('customer-9')).to.include({ alias: 'New' });
  });

  it('imports resources that only observe', async () => {
    const { stdout } = await run([instance(), '--management-policy', 'Observe']);
    const customers = manifestsOf(stdout).filter(({ kind }) => kind === 'GatewayCustomer');
    for (const manifest of manifestsOf(stdout).filter(({ kind }) => kind === 'GatewayBudget')) await apply(manifest);
    for (const manifest of customers.slice(0, 20)) await apply(manifest);
    await eventually(async () => {
      expect(await syncedOf()).to.equal(20);
    });
    expect((await bed.user.list()).map(({ status }) => status?.ownership)).to.deep.equal(
      Array.from({ length: 20 }, () => 'Observed'),
    );
    expect(writes()).to.deep.equal([]);
  });

  it('names an instance that does not exist', async () => {
    const { code, stderr } = await run(['--instance=default/none']);
    expect(code).to.equal(1);
    expect(stderr).to.match(/^GatewayInstance default\/none does not exist\. Create/);
  });

  it('names a namespace that the instance does not allow', async () => {
    const { code, stderr } = await run([instance(), '--namespace=elsewhere']);
    expect(code).to.equal(1);
    expect(stderr).to.contain('does not allow customers of namespace elsewhere.');
  });

  it('says what is wrong with a gateway or its key', async () => {
    await bed.user.instance('gone', {
      endpoint: 'http://127.0.0.1:9',
      masterKeySecretRef: { name: 'main', key: 'key' },
    });
    const gone = await run([`--instance=${bed.user.namespace}/gone`]);
    expect(gone).to.include({ code: 1, stdout: '' });
    expect(gone.stderr).to.match(/^The gateway is unreachable \(GET \/customer\/list\): [^\n]*\.\n$/);
    await bed.user.instance('keyless', { endpoint: bed.proxy.url });
    expect((await run([`--instance=${bed.user.namespace}/keyless`])).stderr).to.match(/^Secret keyless does not exist/);
    await bed.user.secret('wrong', 'sk-wrong');
    await bed.user.instance('wrong', { endpoint: bed.proxy.url });
    const wrong = await run([`--instance=${bed.user.namespace}/wrong`]);
    expect(wrong.code).to.equal(1);
    expect(wrong.stderr).to.contain('GET /customer/list').and.to.not.contain('sk-wrong');
    for (const body of ['<html></html>', '[{"user_id":"a"}', '{}']) {
      bed.proxy.fault = ({ path }) => (path.startsWith('/customer/list') ? answer(200, body) : undefined);
      const broken = await run([instance()]);
      expect(broken.code).to.equal(1);
      expect(broken.stderr).to.match(/^The gateway returned an unexpected body for GET \/customer\/list\. [^\n]*\n$/);
    }
  });

  it('ends at SIGINT, and says that the manifests are incomplete', async () => {
    let called = (): void => undefined;
    const asked = new Promise<void>((resolve) => (called = resolve));
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('[{"user_id":"a"},');
      called();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await bed.user.instance('slow', { endpoint, masterKeySecretRef: { name: 'main', key: 'key' } });
      const end = await runProcess([`--instance=${bed.user.namespace}/slow`], asked);
      expect(end.code).to.equal(130);
      expect(end.stderr).to.equal(
        'The import was interrupted, or its output was closed. The manifests are incomplete.\n',
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
