import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ChangelogError, changesOf, unreleasedChanges, withRelease } from './changelog.ts';

const TEXT = `# Changelog

Words.

## Unreleased

### Added

- A field.

## 0.1.0 - 2026-01-31

- The first version.
`;
const EMPTY = TEXT.replace('### Added\n\n- A field.\n', '');

describe('the change log', () => {
  it('has changes of each version, and of none yet', () => {
    expect(changesOf(TEXT, '0.1.0')).to.equal('- The first version.\n');
    expect(unreleasedChanges(TEXT)).to.equal('### Added\n\n- A field.\n');
  });

  it('of the project can be released', () => {
    const own = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
    // Just after a release, there is no change.
    const text = own.replace('\n## Unreleased\n', '$&\n- A change.\n');
    const released = withRelease(text, '999.0.0', '2026-01-31');
    expect(changesOf(released, '999.0.0')).to.equal(unreleasedChanges(text));
  });

  it('moves unreleased changes to a version, and keeps everything else', () => {
    const released = withRelease(TEXT, '0.2.0', '2026-02-28');
    expect(released).to.equal(TEXT.replace('## Unreleased\n', '## Unreleased\n\n## 0.2.0 - 2026-02-28\n'));
    expect(changesOf(released, '0.2.0')).to.equal(unreleasedChanges(TEXT));
    expect(changesOf(released, '0.1.0')).to.equal(changesOf(TEXT, '0.1.0'));
  });

  for (const [what, act, message] of [
    ['a version without a section', () => changesOf(TEXT, '0.2.0'), /no changes of 0\.2\.0.*--set-version/],
    ['a version that has a section', () => withRelease(TEXT, '0.1.0', '2026-01-31'), /0\.1\.0 already/],
    ['a version without changes', () => withRelease(EMPTY, '0.2.0', '2026-01-31'), /nothing to release/],
    [
      'a log without unreleased changes',
      () => withRelease('# Changelog\n', '0.2.0', '2026-01-31'),
      /nothing to release/,
    ],
  ] as const) {
    it(`reports ${what}`, () => {
      expect(act).to.throw(ChangelogError, message);
    });
  }
});
