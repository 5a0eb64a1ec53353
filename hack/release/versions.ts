/**
 * The places that name the version of the project. `package.json` states it, and all others follow. The Helm chart is
 * generated from it.
 */

const IMAGE = 'gateway-guardrail-operator';
const VERSION = String.raw`\d+\.\d+\.\d+(?:-[0-9A-Za-z]+(?:[.-][0-9A-Za-z]+)*)?`;

/** Matches a version after one text and before another. */
function between(before: string, after = ''): RegExp {
  return new RegExp(`(?<=${before})${VERSION}${after && `(?=${after})`}`, 'gm');
}

/** Files that must name the version, and how. */
const PLACES: readonly { readonly file: string; readonly pattern: RegExp }[] = [
  { file: 'package.json', pattern: between('^ {2}"version": "', '"') },
  { file: 'package-lock.json', pattern: between('^ {2}"version": "', '"') },
  // The project as one of the packages.
  { file: 'package-lock.json', pattern: between(`^ {4}"": \\{\\n {6}"name": "${IMAGE}",\\n {6}"version": "`, '"') },
  { file: 'Dockerfile', pattern: between('image\\.version="', '"') },
  { file: 'operator/manifests/kustomization.yaml', pattern: between('^ {4}newTag: ', '$') },
];

/** How manifests and documents name an image of the project, or a revision of its repository, and label its objects. */
const MENTION = between(`/${IMAGE}:|\\?ref=v|app\\.kubernetes\\.io/version: ['"]?`);
const MENTIONING = /\.(md|ya?ml)$/;
/** What these say about earlier versions stays, and the chart is generated. */
const OTHER_VERSIONS = /^(CHANGELOG\.md$|docs\/upgrading\.md$|operator\/manifests\/chart\/)/;

/** The texts of files by path. */
export type Files = ReadonlyMap<string, string>;

/** Whether a file of the project may name its version. */
export function mayNameVersion(path: string): boolean {
  return PLACES.some(({ file }) => file === path) || mentions(path);
}

/** What does not follow the version, one sentence each. */
export function versionProblems(files: Files, version: string): string[] {
  const missing = PLACES.filter(({ file, pattern }) => (files.get(file) ?? '').search(pattern) === -1);
  const different = [...files].flatMap(([file, text]) =>
    patternsOf(file)
      .flatMap((pattern) => text.match(pattern) ?? [])
      .filter((found) => found !== version)
      .map((found) => `${file} names the version ${found}. package.json has ${version}.`),
  );
  return [...missing.map(({ file }) => `${file} does not name the version where it must.`), ...new Set(different)];
}

/** The files that change when the project gets a version. */
export function withVersion(files: Files, version: string): Files {
  const replaced = [...files].map(([file, text]): [path: string, text: string] => [
    file,
    patternsOf(file).reduce((changed, pattern) => changed.replace(pattern, version), text),
  ]);
  return new Map(replaced.filter(([file, text]) => files.get(file) !== text));
}

/** Whether a text is a version of this project, without a leading v. */
export function isVersion(text: string): boolean {
  return new RegExp(`^${VERSION}$`).test(text);
}

function patternsOf(file: string): RegExp[] {
  const own = PLACES.filter((place) => place.file === file).map(({ pattern }) => pattern);
  return mentions(file) ? [...own, MENTION] : own;
}

function mentions(file: string): boolean {
  return MENTIONING.test(file) && !OTHER_VERSIONS.test(file);
}
