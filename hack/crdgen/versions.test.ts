import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import packageJson from '../../package.json' with { type: 'json' };
import { VERSIONED_MANIFESTS, withVersion } from './versions.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('the version in manifests', () => {
  it('replaces the label and the tag of the image, and nothing else', () => {
    const manifest = (version: string, tag: string): string =>
      `labels:\n  app.kubernetes.io/name: a-0.1.0\n  app.kubernetes.io/version: ${version}\nimages:\n  - name: a\n    newTag: ${tag}\n`;
    expect(withVersion(manifest("'0.1.0'", '0.1.0'), '1.0')).to.equal(manifest("'1.0'", '1.0'));
  });

  it('is that of package.json in every manifest that is written by hand', () => {
    for (const path of VERSIONED_MANIFESTS) {
      const text = readFileSync(join(ROOT, path), 'utf8');
      expect(text, path).to.include(`app.kubernetes.io/version: '${packageJson.version}'`);
      expect(withVersion(text), path).to.equal(text);
    }
  });

  it('is missing from no list of these manifests', () => {
    const all = globSync(['operator/manifests/**/*.yaml', 'hack/dashboards/*.yaml'], {
      cwd: ROOT,
      exclude: ['operator/manifests/chart/**'],
    });
    const versioned = all.filter((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return text.includes('app.kubernetes.io/version') && !text.startsWith('# Generated');
    });
    expect(versioned).to.have.members(VERSIONED_MANIFESTS);
  });
});
