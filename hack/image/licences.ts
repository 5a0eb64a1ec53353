/** The licences of the packages in the image: which are allowed, where their texts are, and the notice that lists them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImagePackage } from './lockFile.ts';

/** Licences that allow distribution with this project under Apache-2.0. */
const ALLOWED = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'PSF-2.0', 'Unlicense']);

interface Exception {
  readonly name: RegExp;
  /** Licences that are allowed for this package only. */
  readonly allowed?: readonly string[];
  /** The package contains no licence file: these files of it, and these texts of this folder. */
  readonly files?: readonly string[];
  readonly texts?: readonly string[];
}

const EXCEPTIONS: readonly Exception[] = [
  {
    // A shared library, which users can replace. Its page lists the licences of the libraries in it.
    name: /^@img\/sharp-libvips-linux-(x64|arm64)$/,
    allowed: ['LGPL-3.0-or-later'],
    files: ['README.md', 'versions.json'],
    texts: ['LGPL-3.0.txt', 'GPL-3.0.txt', 'MPL-1.1.txt'],
  },
  { name: /^onnxruntime-(node|common)$/, texts: ['onnxruntime.txt'] },
  { name: /^(agent-base|https-proxy-agent)$/, files: ['README.md'] },
  { name: /^koa-compose$/, texts: ['koa-compose.txt'] },
  { name: /^tr46$/, texts: ['tr46.txt'] },
];

const LICENCE_FILE = /^(un)?licen[cs]e|^copying|^copyright|^notice|^third[-_]?party/i;
const TEXTS = join(import.meta.dirname, 'texts');

/** A file for the image. */
export interface LicenceText {
  readonly name: string;
  readonly text: string;
}

/** Whether a package's SPDX expression allows its distribution. */
export function isAllowed({ name, licence }: Pick<ImagePackage, 'name' | 'licence'>): boolean {
  const extra = EXCEPTIONS.flatMap((exception) => (exception.name.test(name) ? (exception.allowed ?? []) : []));
  const one = (id: string): boolean => ALLOWED.has(id) || extra.includes(id);
  return licence
    .replace(/[()]/g, '')
    .split(' AND ')
    .every((part) => part.split(' OR ').some((id) => one(id.trim())));
}

/**
 * The licence texts of a package: its own files, or those that stand in for missing ones.
 * @param root the folder that contains `node_modules`
 */
export function licenceTexts(root: string, { path, name }: Pick<ImagePackage, 'path' | 'name'>): LicenceText[] {
  const folder = join(root, path);
  const own = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name))
    .map((entry) => entry.name);
  const exception = EXCEPTIONS.find((candidate) => candidate.name.test(name));
  return [
    ...[...own, ...(exception?.files ?? [])].map((file) => ({
      name: file,
      text: readFileSync(join(folder, file), 'utf8'),
    })),
    ...(exception?.texts ?? []).map((file) => ({
      name: file.replace(/.*\//, ''),
      text: readFileSync(join(TEXTS, file), 'utf8'),
    })),
  ].filter(({ text }) => text.trim() !== '');
}

/** What keeps packages out of an image, one sentence each. */
export function licenceProblems(root: string, packages: readonly ImagePackage[]): string[] {
  return packages.flatMap((found) => [
    ...(isAllowed(found)
      ? []
      : [
          `${found.name}@${found.version} has the licence ${found.licence || '(none)'}, which hack/image/licences.ts does not allow.`,
        ]),
    ...(licenceTexts(root, found).length > 0
      ? []
      : [
          `${found.name}@${found.version} contains no licence text. Add one to hack/image/texts and to hack/image/licences.ts.`,
        ]),
  ]);
}

/** The folder of a package's texts in the image. */
export function licenceFolder({ name, version }: Pick<ImagePackage, 'name' | 'version'>): string {
  return `${name}@${version}`;
}

/** The notice for the image: the project's own, and the list of all packages. */
export function imageNotice(own: string, packages: readonly ImagePackage[]): string {
  const lines = packages.map((found) => `- ${found.name} ${found.version}: ${found.licence}`);
  return [
    own.trimEnd(),
    '',
    'This image contains these packages. The folder /licenses/NAME@VERSION contains the licence texts of each.',
    '',
    ...[...new Set(lines)],
    '',
    'libvips and the libraries in it are used under the GNU Lesser General Public License 3.0 or later, as a shared library in',
    '/app/node_modules/@img, which you can replace. Its source: https://github.com/lovell/sharp-libvips.',
    '',
    'The files of the base image have their licences in /usr/share/doc. libatomic is part of GCC, under the GNU General Public',
    'License 3.0 with the GCC Runtime Library Exception: /licenses/libatomic1.',
    '',
  ].join('\n');
}
