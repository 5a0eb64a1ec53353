import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { kindNames } from './ner/labels.ts';
import { recognizedTypes } from './recognizers/recognizers.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/detection.md'), 'utf8');

/** The code blocks of the page whose info string matches, named by the first capture group. */
const blocks = (first: RegExp): { readonly name: string; readonly code: string }[] =>
  Array.from(page.matchAll(/^```(.*)\n([^]*?)^```$/gm), ([, head = '', code = '']) => ({ head, code })).flatMap(
    ({ head, code }) => {
      const found = first.exec(head);
      return found ? [{ name: found[1] ?? '', code }] : [];
    },
  );

describe('docs/detection.md', () => {
  it('lists each entity type', () => {
    const table = page.slice(page.indexOf('## Entity types'), page.indexOf('## Add a recognizer'));
    const listed = Array.from(table.matchAll(/`([A-Z][A-Z_]+)`/g), ([, type]) => type);
    const types = [...recognizedTypes(), ...kindNames, 'PUBLIC_PERSON'];
    expect([...new Set(listed)].sort()).to.deep.equal([...new Set(types)].sort());
  });

  describe('its example', () => {
    let folder = '';
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'detection-docs-'));
      const isExcluded = (path: string): boolean => /\btraining\b|\.test\.ts$/.test(relative(root, path));
      for (const part of ['guardrail', 'package.json', 'tsconfig.json'])
        cpSync(join(root, part), join(folder, part), { recursive: true, filter: (path) => !isExcluded(path) });
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
      for (const { name, code } of blocks(/^ts file=(.+)$/)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), code);
      }
      for (const { name, code } of blocks(/^ts line=(.+)$/)) {
        // An entry of a list, and the import that it may need.
        const [, importLine = '', entry = ''] = /^(import .*\n)?([^]*)$/.exec(code) ?? [];
        const list = readFileSync(join(folder, name), 'utf8');
        writeFileSync(
          join(folder, name),
          importLine + list.replace(/(\] = \[|: readonly \w+\[\] = \[)\n/, (start) => start + entry),
        );
      }
    });
    after(() => {
      rmSync(folder, { recursive: true });
    });

    it('finds the spans that the page shows', () => {
      const lines = blocks(/^(text)$/).flatMap(({ code }) => code.trimEnd().split('\n'));
      const texts = lines.map((line) => line.split(' => ')[0]);
      const program = `
        import { createAnalyzer, createBuiltinDetector } from './guardrail/detection/detection.ts';
        const analyzer = createAnalyzer({ detectors: [createBuiltinDetector({ languages: ['is'] })] });
        for (const text of ${JSON.stringify(texts)}) {
          const [found = []] = await analyzer.analyze([text], { team: undefined, signal: new AbortController().signal });
          console.log(text + ' => ' + found.map(({ type, start, end }) => type + ' ' + text.slice(start, end)).join(', '));
        }`;
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(lines).to.have.length.above(3);
      expect(stdout.trimEnd().split('\n'), stderr).to.deep.equal(lines);
    }).timeout(30_000);

    it('compiles', () => {
      const files = blocks(/^ts (?:file|line)=(.+)$/).map(({ name }) => name);
      const options = [
        '--noEmit',
        '--strict',
        '--module',
        'nodenext',
        '--target',
        'esnext',
        '--allowImportingTsExtensions',
      ];
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      const { stdout } = spawnSync(process.execPath, [tsc, ...options, '--types', 'node', '--skipLibCheck', ...files], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(stdout).to.equal('');
    }).timeout(60_000);
  });
});
