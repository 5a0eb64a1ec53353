import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import packageJson from '../../package.json' with { type: 'json' };
import { isVersion, mayNameVersion, versionProblems, withVersion } from './versions.ts';

const root = join(import.meta.dirname, '../..');

function projectFiles(): Map<string, string> {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
  const files = listed.filter((path) => mayNameVersion(path) && existsSync(join(root, path)));
  return new Map(files.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

describe('the version of the project', () => {
  const files = projectFiles();

  it('is the same in all files that name it', () => {
    expect(files.size).to.be.above(10);
    expect(versionProblems(files, packageJson.version)).to.deep.equal([]);
  });

  it('is set in all of them at once, and in no dependency', () => {
    const next = '9.8.7-rc.1';
    const changed = withVersion(files, next);
    expect([...changed.keys()]).to.include.members([
      'package.json',
      'package-lock.json',
      'Dockerfile',
      'operator/manifests/kustomization.yaml',
    ]);
    expect(versionProblems(new Map([...files, ...changed]), next)).to.deep.equal([]);
    const lock = JSON.parse(changed.get('package-lock.json') ?? '{}') as {
      version: string;
      packages: Record<string, { version: string }>;
    };
    const { '': project, ...dependencies } = lock.packages;
    expect([lock.version, project?.version]).to.deep.equal([next, next]);
    expect(Object.values(dependencies).filter(({ version }) => version === next)).to.deep.equal([]);
    // And back, without a trace.
    const back = withVersion(changed, packageJson.version);
    expect([...back]).to.deep.equal([...files].filter(([path]) => changed.has(path)));
  });

  it('that a file does not follow is reported', () => {
    const sample = 'image: registry.example.com/gateway-guardrail-operator:0.0.1\n';
    const labelled = "labels: {\n  app.kubernetes.io/version: '0.0.2',\n}\n";
    const problems = versionProblems(
      new Map([...files, ['sample.yaml', sample], ['labelled.yaml', labelled], ['Dockerfile', '']]),
      packageJson.version,
    );
    expect(problems).to.deep.equal([
      'Dockerfile does not name the version where it must.',
      `sample.yaml names the version 0.0.1. package.json has ${packageJson.version}.`,
      `labelled.yaml names the version 0.0.2. package.json has ${packageJson.version}.`,
    ]);
  });

  for (const [text, valid] of [
    ['0.2.0', true],
    ['1.0.0-rc.1', true],
    ['v1.0.0', false],
    ['1.0', false],
    ['1.0.0 ', false],
    ['1.0.0-', false],
  ] as const) {
    it(`${valid ? 'can' : 'cannot'} be ${JSON.stringify(text)}`, () => {
      expect(isVersion(text)).to.equal(valid);
    });
  }
});
