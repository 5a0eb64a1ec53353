import { join } from 'node:path';
import { expect } from 'chai';
import packageJson from '../../package.json' with { type: 'json' };
import { installedPackages, reducedLock } from './lockFile.ts';
import { completed, createSbom, type Component, type Sbom } from './sbom.ts';

const root = join(import.meta.dirname, '../..');

describe('the SBOM of the image', function () {
  this.timeout(30_000);
  let text = '';
  let sbom: Sbom;
  before(() => {
    text = createSbom(root);
    sbom = JSON.parse(text) as Sbom;
  });
  const named = (name: RegExp): Component => {
    const found = sbom.components.find((component) => name.test(component.name));
    if (found === undefined) throw new Error(`The SBOM has no component ${String(name)}.`);
    return found;
  };

  it('is a CycloneDX document about the project', () => {
    expect(sbom).to.include({ bomFormat: 'CycloneDX', version: 1 });
    expect(sbom.serialNumber).to.match(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    const { name, version } = packageJson;
    expect(sbom.metadata.component).to.include({ type: 'application', name, version });
  });

  it('lists the installed packages, and no other', () => {
    const expected = installedPackages(root).map(({ name, version }) => `${name}@${version}`);
    expect(sbom.components.map((component) => component['bom-ref'])).to.have.members([...new Set(expected)]);
    // Development tools use them too.
    for (const name of ['zod', 'js-yaml', 'entities']) expect(expected.join(' ')).to.include(` ${name}@`);
  });

  it('states a licence and an address for every component', () => {
    for (const component of sbom.components) {
      expect(component.purl, component.name).to.match(/^pkg:npm\//);
      expect(component.licenses, component.name).to.have.length(1);
    }
  });

  it('lists the libraries in libvips, and identifies Node for scanners', () => {
    const libraries = named(/sharp-libvips/).components ?? [];
    expect(libraries.map(({ name }) => name)).to.include.members(['vips', 'rsvg', 'heif', 'xml2']);
    expect(named(/^node-(bin-)?(linux|darwin)-/).cpe).to.match(/^cpe:2\.3:a:nodejs:node\.js:\d+\.\d+\.\d+:/);
  });

  it('is the same for the same packages', () => {
    expect(createSbom(root)).to.equal(text);
  });

  it('lists a package that is installed without being needed', () => {
    const known: Component = { 'bom-ref': 'a@1', type: 'library', name: 'a', version: '1' };
    const before: Sbom = { metadata: { component: known }, components: [known] };
    const packages = [
      { path: 'node_modules/a', name: 'a', version: '1', licence: 'MIT' },
      { path: 'node_modules/@b/c', name: '@b/c', version: '2', licence: 'ISC' },
    ];
    const { components, metadata } = completed(before, { name: 'project', packages });
    expect(metadata.component.name).to.equal('project');
    expect(components.map((component) => component.purl ?? component.name)).to.deep.equal(['a', 'pkg:npm/%40b/c@2']);
  });

  it('has no development dependencies', () => {
    const lock = {
      packages: {
        '': { devDependencies: { d: '1' }, version: '0' },
        'node_modules/a': { version: '1' },
        'node_modules/d': { version: '1', dev: true },
      },
    };
    const a = { path: 'node_modules/a', name: 'a', version: '1', licence: 'MIT' };
    expect(reducedLock(lock, [a])).to.deep.equal({
      packages: { '': { version: '0' }, 'node_modules/a': { version: '1' } },
    });
  });
});
