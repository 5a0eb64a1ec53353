/** The sections of CHANGELOG.md, one for each version. */

const UNRELEASED = 'Unreleased';

/** The change log does not contain what a release needs. The message says what to do. */
export class ChangelogError extends Error {
  override readonly name = 'ChangelogError';
}

interface Section {
  /** `Unreleased`, or a version. */
  readonly name: string;
  readonly start: number;
  readonly body: string;
}

function sections(text: string): Section[] {
  const headings = [...text.matchAll(/^## (\S+).*\n/gm)];
  return headings.map((heading, index) => {
    const end = headings[index + 1]?.index ?? text.length;
    return { name: heading[1] ?? '', start: heading.index, body: text.slice(heading.index + heading[0].length, end) };
  });
}

/**
 * The changes of a version.
 * @throws ChangelogError if there are none
 */
export function changesOf(text: string, version: string): string {
  const body = sections(text)
    .find(({ name }) => name === version)
    ?.body.trim();
  if (body === undefined || body === '') {
    throw new ChangelogError(
      `CHANGELOG.md has no changes of ${version}. Run npm run release -- --set-version VERSION, which makes a section of ` +
        `those under ${UNRELEASED}.`,
    );
  }
  return `${body}\n`;
}

/** The changes that belong to no version yet. @throws ChangelogError if there are none */
export function unreleasedChanges(text: string): string {
  return changesOf(text, UNRELEASED);
}

/**
 * Makes a section for a version of the unreleased changes.
 * @param date the day of the release: `2026-01-31`
 * @throws ChangelogError if the version has a section, or if nothing has changed
 */
export function withRelease(text: string, version: string, date: string): string {
  const all = sections(text);
  if (all.some(({ name }) => name === version)) {
    throw new ChangelogError(`CHANGELOG.md has a section ${version} already. Choose a newer version.`);
  }
  const unreleased = all.find(({ name }) => name === UNRELEASED);
  if (unreleased === undefined || unreleased.body.trim() === '') {
    throw new ChangelogError(`CHANGELOG.md has no changes under ${UNRELEASED}. There is nothing to release.`);
  }
  const heading = `## ${UNRELEASED}\n\n## ${version} - ${date}\n`;
  const before = text.slice(0, unreleased.start);
  const after = text.slice(unreleased.start).replace(/^.*\n/, '');
  return before + heading + after;
}
