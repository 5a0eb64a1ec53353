import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { anchors, linkTargets } from './readme.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const documents = globSync(['*.md', 'docs/*.md', 'operator/**/*.md', 'guardrail/**/*.md', 'hack/**/*.md'], {
  cwd: root,
});
const folders = (parent: string): string[] =>
  readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

describe('documents', () => {
  it('are found', () => {
    expect(documents).to.include.members(['README.md', 'CONTRIBUTING.md', 'docs/architecture.md', 'docs/glossary.md']);
  });

  for (const document of documents) {
    it(`${document} links to files, headings and anchors that exist`, () => {
      const broken = linkTargets(read(document)).filter((target) => {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? document : join(dirname(document), path);
        if (!existsSync(join(root, file))) return true;
        return anchor !== undefined && !anchors(read(file)).includes(anchor);
      });
      expect(broken).to.deep.equal([]);
    });
  }

  for (const document of documents) {
    it(`${document} has each anchor once`, () => {
      const all = anchors(read(document));
      expect(all.filter((anchor, at) => all.indexOf(anchor) !== at)).to.deep.equal([]);
    });
  }

  it('README.md links to each page of docs/', () => {
    const linked = linkTargets(read('README.md'));
    const pages = documents.filter((document) => document.startsWith('docs/'));
    expect(pages.filter((page) => !linked.includes(page))).to.deep.equal([]);
  });

  it('README.md has at most 150 lines', () => {
    expect(read('README.md').trimEnd().split('\n').length).to.be.at.most(150);
  });

  for (const program of ['operator', 'guardrail']) {
    it(`docs/architecture.md names each room of ${program}/, and no other`, () => {
      const table = read('docs/architecture.md').split(`| Room of \`${program}/\``)[1]?.split('\n\n')[0] ?? '';
      const named = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name);
      expect(named).to.have.members(folders(program));
    });
  }

  it('hack/README.md has a row for each folder of hack/, with a command that exists', () => {
    const rows = [...read('hack/README.md').matchAll(/^\| \[`(\w+)\/`\]\(\1\) *\| \S.* \| +(`.*`) *\|$/gm)];
    expect(rows.map(([, folder = '']) => folder)).to.have.members(folders('hack'));
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> };
    const isCommand = (command: string): boolean => {
      const [program, ...args] = command.split(' ');
      const [name = '', ...paths] = args.filter((arg) => !['run', '--'].includes(arg));
      const files = paths.filter((path) => path.includes('/'));
      return (
        (program === 'npm' ? name in scripts : existsSync(join(root, name))) &&
        files.every((path) => existsSync(join(root, path)))
      );
    };
    const commands = rows.flatMap(([, , cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text));
    expect(commands.filter((command) => !isCommand(command))).to.deep.equal([]);
  });

  it('docs/architecture.md and CONTRIBUTING.md name files that exist', () => {
    for (const document of ['docs/architecture.md', 'CONTRIBUTING.md']) {
      const named = [...read(document).matchAll(/`((?:operator|guardrail|hack|docs|crds)\/[\w./]*)`/g)];
      const missing = named.map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)));
      // The example of a command.
      expect(named, document).to.have.length.above(10);
      expect(missing, document).to.deep.equal([]);
    }
  });
});
