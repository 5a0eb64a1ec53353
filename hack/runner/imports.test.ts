import { expect } from 'chai';
import { importedPaths } from './imports.ts';

describe('imports of a module', () => {
  it('are the files that it loads, without types, packages, comments and strings', () => {
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
});
