import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import packageJson from '../../package.json' with { type: 'json' };
import { contextFiles } from '../containers/context.ts';

const root = join(import.meta.dirname, '../..');

describe('the image', () => {
  const files = contextFiles(root);
  const stages = new Map(
    readFileSync(join(root, 'Dockerfile'), 'utf8')
      .split(/^FROM /m)
      .slice(1)
      .map((stage) => [/ AS (\S+)\n/.exec(stage)?.[1] ?? 'the last', stage]),
  );
  const stage = (name: string): string => {
    const found = stages.get(name);
    if (found === undefined) throw new Error(`The Dockerfile has no stage ${name}.`);
    return found;
  };

  it('has the programs, the words of each language and the CRDs', () => {
    expect(files).to.include.members(['operator/main.ts', 'guardrail/main.ts', 'package-lock.json']);
    expect(files).to.include('guardrail/detection/languages/de/de.ts');
    expect(files.filter((file) => file.startsWith('crds/'))).to.have.length.above(1);
  });

  it('has no tests, no test support and nothing of hack/, except what builds it', () => {
    const unwanted = /\.test\.ts$|(^|\/)testing\/|^hack\/(?!image\/)|^docs\//;
    expect(files.filter((file) => unwanted.test(file))).to.deep.equal([]);
    const using = [...stages].filter(([, text]) => text.includes('hack/')).map(([name]) => name);
    expect(using).to.deep.equal(['packages']);
    expect(stage('packages')).to.include('COPY hack/image hack/image\n');
  });

  it('has the licence texts that the build writes before it deletes files of packages', () => {
    const build = stage('packages');
    expect(build.indexOf('node hack/image/main.ts /out/licenses')).to.be.within(
      1,
      build.indexOf('rm -rf node_modules'),
    );
    expect(stage('program')).to.include('COPY --from=packages /out/licenses /licenses\n');
    expect(files).to.include.members(['LICENSE', 'NOTICE', 'hack/image/main.ts', 'hack/image/texts/LGPL-3.0.txt']);
  });

  it('has all labels of the OCI image specification that apply, also without a compile cache', () => {
    const last = stage('image');
    expect(stage('the last')).to.match(/^image\n/);
    const labels = new Map(
      [...last.matchAll(/org\.opencontainers\.image\.([a-z.]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );
    expect([...labels.keys()]).to.have.members([
      'title',
      'description',
      'version',
      'revision',
      'created',
      'authors',
      'vendor',
      'licenses',
      'url',
      'source',
      'documentation',
      'base.name',
    ]);
    expect(labels.get('version')).to.equal(packageJson.version);
    expect(labels.get('description')).to.equal(packageJson.description);
    expect(labels.get('licenses')).to.include(packageJson.license);
    // An argument has no value in a stage that does not declare it.
    for (const [, name = ''] of last.matchAll(/="\$(\w+)"/g)) expect(last).to.match(new RegExp(`^ARG ${name}\\b`, 'm'));
  });
});
