import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Imports } from './imports.ts';
import { allTests, isNeeded, kindOf, type Server, testsIn } from './suites.ts';

const root = join(import.meta.dirname, '../..');

describe('test files', () => {
  for (const [file, kind] of [
    ['operator/a.test.ts', 'unit'],
    ['operator/cluster.test.ts', 'unit'],
    ['operator/a.slow.test.ts', 'slow'],
    ['operator/a.redis.test.ts', 'redis'],
    ['operator/a.cluster.test.ts', 'cluster'],
    ['operator/a.all.test.ts', 'all'],
  ] as const) {
    it(`${file} is of the kind ${kind}`, () => {
      expect(kindOf(file)).to.equal(kind);
    });
  }

  it('need a server only if their name says so', () => {
    expect(isNeeded('controlPlane', ['a.test.ts', 'a.slow.test.ts', 'a.redis.test.ts'])).to.equal(false);
    expect(isNeeded('redis', ['a.test.ts', 'a.slow.test.ts', 'a.cluster.test.ts'])).to.equal(false);
    expect(isNeeded('controlPlane', ['a.test.ts', 'a.cluster.test.ts'])).to.equal(true);
    expect(isNeeded('redis', ['a.test.ts', 'a.redis.test.ts'])).to.equal(true);
  });

  it('are found by file and by folder', () => {
    expect(testsIn(root, join(root, 'hack/runner'))).to.include('hack/runner/suites.test.ts');
    expect(testsIn(root, import.meta.filename)).to.deep.equal(['hack/runner/suites.test.ts']);
    expect(() => testsIn(root, 'nowhere')).to.throw('nowhere does not exist.');
    expect(() => testsIn(root, join(root, 'crds'))).to.throw('contains no test file');
  });

  describe('are named after the servers that they start', () => {
    const imports = new Imports();
    const starters: Record<Server, string> = {
      controlPlane: join(root, 'hack/harness/controlplane.ts'),
      redis: join(root, 'hack/harness/redis.ts'),
    };
    const calls: Record<Server, RegExp> = {
      controlPlane: /\b(withControlPlane|startControlPlane|startServers)\(/,
      redis: /\b(startRedis\w*|findRedisServer)\(/,
    };
    const files = allTests(root);

    for (const server of ['controlPlane', 'redis'] as const) {
      it(`(${server}): a file whose name says nothing imports no code that starts it`, () => {
        expect(existsSync(starters[server])).to.equal(true);
        const wrong = files.filter(
          (file) =>
            !isNeeded(server, [file]) &&
            (imports.of(join(root, file)).has(starters[server]) ||
              calls[server].test(readFileSync(join(root, file), 'utf8'))),
        );
        expect(wrong).to.deep.equal([]);
      });

      it(`(${server}): a file whose name says it does so`, () => {
        const kind = { controlPlane: 'cluster', redis: 'redis' }[server];
        const wrong = files.filter(
          (file) => kindOf(file) === kind && !imports.of(join(root, file)).has(starters[server]),
        );
        expect(wrong).to.deep.equal([]);
      });
    }
  });
});
