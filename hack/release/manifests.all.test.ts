import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { ensureHelm } from '../harness/helm.ts';
import { buildKustomization } from '../harness/kustomize.ts';
import { writeChart, writeManifests } from './manifests.ts';
import { currentCommit, exportCommit } from './sources.ts';

const root = join(import.meta.dirname, '../..');
const REPOSITORY = 'registry.example.com/gateway-guardrail-operator';
const { version } = packageJson;

describe('the manifests of a release', function () {
  this.timeout(600_000);
  let work = '';
  let folder = '';
  before(async () => {
    work = mkdtempSync(join(tmpdir(), 'manifests-'));
    folder = join(work, 'sources');
    await exportCommit(root, await currentCommit(root), folder);
  });
  after(() => {
    rmSync(work, { recursive: true });
  });

  async function write(name: string): Promise<string> {
    const to = join(work, name);
    mkdirSync(to);
    const sources = { folder, work, repository: REPOSITORY, time: 1_700_000_000 };
    await writeManifests(sources, to);
    await writeChart(sources, to);
    return to;
  }
  const objects = (text: string): unknown[] => parseAllDocuments(text).map((document) => document.toJS() as unknown);

  it('install the version from the repository that is named, with kubectl and with Helm', async () => {
    const to = await write('first');
    const chart = `gateway-guardrail-operator-${version}.tgz`;
    expect(readdirSync(to)).to.have.members(['install.yaml', 'crds.yaml', chart]);
    const install = readFileSync(join(to, 'install.yaml'), 'utf8');
    const image = `${REPOSITORY}:${version}`;
    expect(install.match(/image: .*/g)).to.deep.equal([`image: ${image}`]);
    const helm = await ensureHelm();
    const rendered = await helm(['template', 'x', join(to, chart)]);
    expect(rendered.match(/image: .*/g)).to.deep.equal([`image: "${image}"`]);
    const named = [{ name: 'gateway-guardrail-operator', newName: REPOSITORY }];
    expect(objects(install)).to.deep.equal(objects(await buildKustomization({ resources: ['.'], images: named })));
    expect(objects(readFileSync(join(to, 'crds.yaml'), 'utf8'))).to.have.length(
      readdirSync(join(root, 'crds')).length - 1,
    );
  });

  it('are the same bytes each time', async () => {
    const [first, second] = [await write('once'), await write('again')];
    expect(() => execFileSync('diff', ['--brief', '--recursive', first, second], { encoding: 'utf8' })).not.to.throw();
    expect(readdirSync(second)).to.have.length(3);
  });
});
