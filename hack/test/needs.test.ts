import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { importedPaths, Needs } from './needs.ts';

const root = join(import.meta.dirname, '../..');

describe('what test files need', () => {
  it('is read off what a module loads, not off types, packages, comments and texts', () => {
    const text = `
      import './a.ts';
      import b from "./b.ts";
      import { type B, c } from './c.ts';
      import { type D } from './d.ts';
      export * from '../e.ts';
      export { f } from './f.ts';
      import type { G } from './types.ts';
      export type { H } from './types.ts';
      import { expect } from 'chai';
      // import './comment.ts';
      const text = "import './text.ts'";
      async function later(): Promise<void> { await import('./i.ts'); await import(text); }`;
    expect(importedPaths(text)).to.deep.equal(['./a.ts', './b.ts', './c.ts', './d.ts', '../e.ts', './f.ts', './i.ts']);
  });

  const needs = new Needs();
  for (const [file, expected] of [
    ['operator/gateway/rateLimit.test.ts', []],
    ['hack/test/needs.test.ts', []],
    ['operator/main.cluster.test.ts', ['controlPlane']],
    // Through operator/runtime/testing/cluster.ts.
    ['operator/runtime/writers/finalizer.cluster.test.ts', ['controlPlane']],
    ['guardrail/store/store.redis.test.ts', ['redis']],
  ] as const) {
    it(`of ${file}: ${expected.join(', ') || 'nothing'}`, () => {
      expect([...needs.of(join(root, file))]).to.deep.equal(expected);
    });
  }

  it('covers every test file that starts something by itself', () => {
    const files = ['operator', 'guardrail', 'hack'].flatMap((folder) =>
      globSync(`${folder}/**/*.test.ts`, { cwd: root }),
    );
    for (const file of files) {
      const text = readFileSync(join(root, file), 'utf8');
      const found = needs.of(join(root, file));
      if (/\b(withControlPlane|startControlPlane)\(/.test(text)) expect(found, file).to.include('controlPlane');
      if (/\b(startRedis\w*|findRedisServer)\(/.test(text)) expect(found, file).to.include('redis');
    }
  });
});
