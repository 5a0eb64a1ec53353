/** Explanations for people and for programs. Pure. */
import { atWord, type ExplainedFinding, type Explanation } from './explanation.ts';
import type { ModelEvidence } from './trace.ts';

type Candidate = Explanation['dropped'][number];

/** Lines of a policy that change what happens to a value. */
type Lines = (value: string, candidate: Candidate) => readonly string[];

const deny: Lines = (value, { type }) => [`deny: [{ value: ${value}, type: ${type} }]`];
const pseudonymize: Lines = (_value, { type }) => [`entities: { ${type}: { action: pseudonymize } }`];
const none: Lines = () => [];

/** Why a candidate is no find, and what makes it one. */
const outcomes: Readonly<Record<Candidate['by'], readonly [reason: string, lines: Lines]>> = {
  falseName: ['a word of this kind is no name of a person', deny],
  ordinaryWord: ['the name is found elsewhere, but these messages have it as an ordinary word, too', deny],
  structure: ['it is a key, the title of a field or a part of a constant', deny],
  product: ['it is the name of a thing', deny],
  month: ['it is the month of a date', deny],
  modelThreshold: ['the model is not sure enough', (...candidate) => ['recall: thorough', ...deny(...candidate)]],
  joined: ['it is a part of another value', none],
  overlap: ['another value has its place', none],
  allowList: ['the allow list of the policy has it', (value) => [`# Remove ${value} from allow.`]],
  policyThreshold: [
    'its score is below the threshold of the policy',
    (_value, { type, score }) => [`entities: { ${type}: { threshold: ${Math.floor(score * 100) / 100} } }`],
  ],
  profile: ['the profile of the policy leaves this type', pseudonymize],
  ignored: ['the policy ignores this type', pseudonymize],
  notRequested: ['the request asks for other types', deny],
};

/** Why a candidate is no find, in one sentence without a full stop. */
export function reasonOf({ by, lostTo, score, threshold }: Candidate): string {
  const scores = threshold === undefined ? '' : `: ${score.toFixed(2)} of ${threshold.toFixed(2)}`;
  return `${outcomes[by][0]}${lostTo === undefined ? scores : `, by the rule ${lostTo}`}`;
}

/** Lines of a policy that change what happens to a value, to copy. */
export function policyLines(text: string, place: ExplainedFinding | Candidate): readonly string[] {
  const value = JSON.stringify(text.slice(place.start, place.end));
  if ('by' in place) return outcomes[place.by][1](value, place);
  // The deny list takes precedence over the allow list.
  if (place.detector === 'deny-list') return [`# Remove ${value} from deny.`];
  return [`allow: [{ value: ${value} }]`, `entities: { ${place.type}: { action: ignore } }`];
}

/**
 * The explanation in blocks of lines, one for each find and each dropped candidate.
 * @param why only what touches this word. Empty: everything
 */
export function explanationText(text: string, { findings, dropped }: Explanation, why = ''): string {
  const finds = why === '' ? findings : atWord(text, why, findings);
  const candidates = why === '' ? dropped : atWord(text, why, dropped);
  const blocks = [
    ...finds.map((find) =>
      block(text, find, [
        `is ${find.action === 'block' ? 'refused' : 'hidden'} as ${find.type}, score ${find.score.toFixed(2)}.`,
        ...lines('words', find.words.map(({ start, end }) => JSON.stringify(text.slice(start, end))).join(', ')),
      ]),
    ),
    ...candidates.map((candidate) =>
      block(text, candidate, [
        `is not hidden as ${candidate.type}, score ${candidate.score.toFixed(2)}: ${reasonOf(candidate)}.`,
      ]),
    ),
  ];
  if (blocks.length > 0) return blocks.join('');
  if (why === '') return 'Nothing is hidden, and nothing was a candidate.\n';
  const isIn = text.includes(why);
  return isIn ? uncandidate(why) : `The text does not contain ${JSON.stringify(why)}.\n`;
}

const uncandidate = (word: string): string =>
  `${JSON.stringify(word)} is not hidden: no rule takes it for a value.\n  policy  deny: [${JSON.stringify(word)}]\n`;

function block(text: string, place: ExplainedFinding | Candidate, [sentence = '', ...more]: readonly string[]): string {
  const all = [
    `${JSON.stringify(text.slice(place.start, place.end))} at ${place.start} ${sentence}`,
    ...lines('rule', place.rule),
    ...more,
    ...lines('model', modelText(place.model)),
    ...policyLines(text, place).flatMap((line) => lines('policy', line)),
  ];
  return `${all.join('\n')}\n`;
}

const lines = (name: string, content: string): readonly string[] =>
  content === '' ? [] : [`  ${name.padEnd(6)}  ${content}`];

const modelText = (model: ModelEvidence | undefined): string =>
  (model?.features ?? [])
    .map(({ name, weight }) => `${weight < 0 ? '−' : '+'}${Math.abs(weight).toFixed(1)} ${name}`)
    .join('; ');

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

/** Where a find or a dropped candidate stands, and what proposed it. Words of the text stand only in the names of features. */
interface PlaceJson {
  start: number;
  end: number;
  type: string;
  score: number;
  rule: string;
  model: { features: { name: string; weight: number }[] } | null;
}

/** A find and why it is one, as JSON. */
interface FindingJson extends PlaceJson {
  action: 'pseudonymize' | 'block';
  words: { start: number; end: number }[];
}

/** A candidate that is no find and why, as JSON. */
interface DroppedJson extends PlaceJson {
  by: Candidate['by'];
  lost_to: string | null;
  threshold: number | null;
}

/** Converts an offset in UTF-16 code units. */
type Converter = (offset: number) => number;
const asItIs: Converter = (offset) => offset;

/** @param at converts the offsets. Default: as they are */
export const findingJson = (find: ExplainedFinding, at = asItIs): FindingJson => ({
  ...placeJson(find, at),
  action: find.action,
  words: find.words.map(({ start, end }) => ({ start: at(start), end: at(end) })),
});

/** @param at converts the offsets. Default: as they are */
export const droppedJson = (candidate: Candidate, at = asItIs): DroppedJson => ({
  ...placeJson(candidate, at),
  by: candidate.by,
  lost_to: candidate.lostTo ?? null,
  threshold: candidate.threshold ?? null,
});

function placeJson({ start, end, type, score, rule, model }: ExplainedFinding | Candidate, at: Converter): PlaceJson {
  const features = model?.features.map(({ name, weight }) => ({ name, weight: rounded(weight) }));
  return { start: at(start), end: at(end), type, score: rounded(score), rule, model: features ? { features } : null };
}
