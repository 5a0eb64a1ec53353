import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import lock from '../../package-lock.json' with { type: 'json' };
import { imageNotice, isAllowed, licenceFolder, licenceProblems, licenceTexts } from './licences.ts';
import { imagePackages, installedPackages } from './lockFile.ts';

const root = join(import.meta.dirname, '../..');
const libvips = { name: '@img/sharp-libvips-linux-arm64', licence: 'LGPL-3.0-or-later' };

describe('licences of the image', () => {
  const packages = installedPackages(root);

  it('are allowed, and have a text, for every package that is installed', () => {
    expect(packages).to.have.length.above(150);
    expect(licenceProblems(root, packages)).to.deep.equal([]);
  });

  it('are allowed for the packages of every platform of the image', () => {
    const foreign = /darwin|win32|musl|wasm|freebsd|linux-(arm|ppc64|riscv64|s390x)$/;
    const refused = imagePackages(lock).filter((found) => !foreign.test(found.name) && !isAllowed(found));
    expect(refused).to.deep.equal([]);
    expect(isAllowed(libvips)).to.equal(true);
  });

  for (const [licence, allowed] of [
    ['MIT', true],
    ['MIT AND ISC', true],
    ['(GPL-3.0-only OR MIT)', true],
    ['MIT AND GPL-3.0-only', false],
    ['GPL-3.0-only', false],
    ['LGPL-3.0-or-later', false],
    ['SEE LICENSE IN FILE', false],
    ['', false],
  ] as const) {
    it(`${allowed ? 'allow' : 'do not allow'} ${JSON.stringify(licence)}`, () => {
      expect(isAllowed({ name: 'example', licence })).to.equal(allowed);
    });
  }

  it('of libvips contain the LGPL, the GPL that it refers to, and the list of its libraries', () => {
    const found = packages.find(({ name }) => name.startsWith('@img/sharp-libvips-'));
    const texts = new Map(found && licenceTexts(root, found).map(({ name, text }) => [name, text]));
    expect(texts.get('LGPL-3.0.txt')).to.include('GNU LESSER GENERAL PUBLIC LICENSE');
    expect(texts.get('GPL-3.0.txt')).to.include('GNU GENERAL PUBLIC LICENSE');
    expect(texts.get('README.md')).to.include('| librsvg');
  });

  it('that are missing are reported, with what to do', () => {
    const folder = mkdtempSync(join(tmpdir(), 'licences-'));
    try {
      const path = 'node_modules/example';
      mkdirSync(join(folder, path), { recursive: true });
      const example = { path, name: 'example', version: '1.0.0', licence: 'AGPL-3.0-only' };
      // An empty file is no text.
      writeFileSync(join(folder, path, 'LICENSE'), '\n');
      writeFileSync(join(folder, path, 'README.md'), 'Licence: see elsewhere.');
      expect(licenceProblems(folder, [example])).to.deep.equal([
        'example@1.0.0 has the licence AGPL-3.0-only, which hack/image/licences.ts does not allow.',
        'example@1.0.0 contains no licence text. Add one to hack/image/texts and to hack/image/licences.ts.',
      ]);
      writeFileSync(join(folder, path, 'Licence.md'), 'All rights are granted.');
      expect(licenceProblems(folder, [{ ...example, licence: 'MIT' }])).to.deep.equal([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('are listed in the notice, once for each package', () => {
    const twice = { path: '', name: 'ms', version: '2.1.3', licence: 'MIT' };
    const notice = imageNotice('Own notice.\n', [twice, twice]);
    expect(notice).to.match(/^Own notice\.\n/);
    expect(notice.match(/^- ms 2\.1\.3: MIT$/gm)).to.have.length(1);
    expect(licenceFolder(twice)).to.equal('ms@2.1.3');
  });
});
