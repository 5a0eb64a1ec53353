/**
 * The figures of the shipped detector at `balanced`, and how much worse a change may make them: for each set, entity type and
 * language, and for names that are in no list. `npm run eval -- --write` writes them into `shippedFigures.json`.
 */
import { readFileSync } from 'node:fs';
import type { Profile } from '../../guardrail/detection/detection.ts';
import type { NameModels } from '../../guardrail/detection/ner/nameModels.ts';
import { kindNames } from '../../guardrail/detection/ner/labels.ts';
import { tokenClasses } from '../../guardrail/detection/ner/tokenNetwork.ts';
import type { SplitScore } from '../training/scores.ts';
import { builtinAnalyzer, findsOf } from './evaluate.ts';
import { heldOutSet } from './heldOut.ts';
import { messagesFile, messageTypes, readKinds } from './kinds.ts';
import { readManifest, type MeasuredSet } from './modelCard.ts';
import { profiles, scoreFor } from './profiles.ts';
import { modelsWithoutNamesOf } from './unlistedNames.ts';

export const shippedFile = new URL('./shippedFigures.json', import.meta.url);

/** A share: the lower, the better. */
export interface Figure {
  /** Set, profile, measure, type and language, separated by ` | `. */
  readonly name: string;
  readonly value: number;
  /** The number of values, words or texts in the set. */
  readonly of: number;
}

export interface ShippedFigure extends Figure {
  /** The standard deviation of the measured seeds. */
  readonly deviation?: number;
  /** The lowest value that has been shipped, if it is lower. */
  readonly best?: number;
}

export interface ShippedFigures {
  /** The seeds of the trainings that have been measured. 0 is that of the shipped weights. */
  readonly seeds: readonly number[];
  readonly figures: readonly ShippedFigure[];
}

/** The seeds from which the noise of the training is known. */
export const SEEDS = [0, 1, 2, 3, 4] as const;
/** Types that only patterns find: neither the classifier nor the network. No training changes their figures. */
const isPattern = (name: string): boolean => {
  const [, , , type = ''] = name.split(' | ');
  return type !== 'all' && ![...kindNames, ...tokenClasses].some((trained) => trained === type);
};

/** Reads what the last `npm run eval -- --write` wrote. */
export const readShipped = (): ShippedFigures => JSON.parse(readFileSync(shippedFile, 'utf8')) as ShippedFigures;

/**
 * How much worse a figure may become: two standard deviations between trainings with other seeds. As long as fewer than five
 * have been measured, the error of a share of so few values counts too. Where names are among the values, one of them may
 * always change.
 */
export function noiseOf({ name, value, of, deviation = 0 }: ShippedFigure, seeds: readonly number[]): number {
  const sampling = seeds.length < SEEDS.length ? (value * (1 - value)) / of : 0;
  return Math.max(2 * Math.sqrt(deviation ** 2 + sampling), isPattern(name) ? 0 : 1 / of);
}

/** One line for each figure that is worse than the shipped one and its noise, or that belongs to another set of texts. */
export function worseFigures({ seeds, figures }: ShippedFigures, measured: readonly Figure[]): string[] {
  const now = new Map(measured.map((figure) => [figure.name, figure]));
  return figures.flatMap((shipped) => {
    const figure = now.get(shipped.name);
    if (figure === undefined) return [`${shipped.name}: not measured`];
    const limit = Math.min(shipped.best ?? 1, shipped.value) + noiseOf(shipped, seeds);
    if (figure.of !== shipped.of) return [`${shipped.name}: of ${figure.of} instead of ${shipped.of}`];
    if (figure.value <= limit + 1e-9) return [];
    const [is, was, most] = [figure.value, shipped.best ?? shipped.value, limit].map((share) => share.toFixed(4));
    return [`${shipped.name}: ${is} instead of ${was}, at most ${most}`];
  });
}

/** The new figures, with the noise and the best values of the earlier ones. A set with other texts begins anew. */
export function updated({ seeds, figures }: ShippedFigures, measured: readonly Figure[]): ShippedFigures {
  const former = new Map(figures.map((figure) => [figure.name, figure]));
  return {
    seeds,
    figures: measured.map((figure) => {
      const known = former.get(figure.name);
      if (known?.of !== figure.of) return figure;
      const best = Math.min(known.best ?? 1, known.value);
      const { deviation } = known;
      return { ...figure, ...(deviation === undefined ? {} : { deviation }), ...(best < figure.value ? { best } : {}) };
    }),
  };
}

/** The shipped figures with the deviation between trainings. @param bySeed the figures of each seed */
export function withDeviations(
  shipped: ShippedFigures,
  bySeed: ReadonlyMap<number, readonly Figure[]>,
): ShippedFigures {
  const values = Map.groupBy([...bySeed.values()].flat(), ({ name }) => name);
  return {
    seeds: [...bySeed.keys()],
    figures: shipped.figures.map((figure) => {
      const all = (values.get(figure.name) ?? []).map(({ value }) => value);
      const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
      const variance = all.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (all.length - 1);
      return { ...figure, deviation: rounded(Math.sqrt(variance)) };
    }),
  };
}

const rounded = (value: number): number => Math.round(value * 1e5) / 1e5;
type Texts = MeasuredSet['texts'];
const wordsOf = (texts: Texts): number =>
  texts.reduce((sum, { text }) => sum + text.split(/\s+/).filter((word) => word !== '').length, 0);

/** The figures of a set: all languages, and each of several. */
async function setFigures(
  { title, texts, types, labelledFor = profiles }: MeasuredSet,
  models: NameModels | undefined,
): Promise<Figure[]> {
  const groups = Map.groupBy(texts, ({ language }) => language ?? 'all');
  const all: readonly (readonly [language: string, Texts])[] =
    groups.size > 1 ? [['all', texts], ...groups] : [['all', texts]];
  const figures: Figure[] = [];
  for (const profile of labelledFor) {
    const finds = await findsOf(builtinAnalyzer(profile, models && { models }), texts);
    for (const [language, group] of all) {
      const add = (measure: string, type: string, value: number, of: number): void => {
        if (of > 0)
          figures.push({ name: [title, profile, measure, type, language].join(' | '), value: rounded(value), of });
      };
      const { all: whole, types: byType } = scoreFor(profile, group, finds, types);
      const altered = group.filter(({ id }) => (finds.get(id) ?? []).length > 0).length;
      if (whole.gold === 0) add('texts altered', 'all', altered / group.length, group.length);
      add('leaked values', 'all', whole.leakedValues, whole.gold);
      add('1 − F2', 'all', 1 - whole.f2, whole.gold);
      for (const [type, { gold, masked, f2 }] of byType) {
        add('leaked values', type, 1 - masked, gold);
        add('1 − F2', type, 1 - f2, gold);
      }
      add('innocent text masked', 'all', whole.overmasked, wordsOf(group));
    }
  }
  return figures;
}

/** The scores of tagger and classifier alone, without a third of the names in the gazetteers: see `manifest.json`. */
function trainingFigures(): Figure[] {
  const { settings, languages, kinds } = readManifest().heldOut;
  const values = heldOutSet().flatMap(({ language, spans }) => spans.map(({ type }) => ({ language, type })));
  const of = (
    type: string,
    language: string,
    { leakedValues, f2 }: Pick<SplitScore, 'leakedValues' | 'f2'>,
  ): Figure[] => {
    const group = values.filter((one) => [one.type, 'all'].includes(type) && [one.language, 'all'].includes(language));
    const name = (measure: string): string =>
      `Held out, a third of the names in no list | all | ${measure} | ${type} | ${language}`;
    return [
      { name: name('leaked values'), value: leakedValues, of: group.length },
      { name: name('1 − F2'), value: rounded(1 - f2), of: group.length },
    ];
  };
  return [
    ...(settings.balanced ? of('all', 'all', settings.balanced) : []),
    ...Object.entries(languages).flatMap(([code, score]) => of('all', code, score)),
    ...Object.entries(kinds).flatMap(([kind, score]) => of(kind, 'all', score)),
  ];
}

/**
 * Measures all figures.
 * @param models of another training. Default: the shipped ones.
 */
export async function measuredFigures(sets: readonly MeasuredSet[], models?: NameModels): Promise<Figure[]> {
  const messages = readKinds(messagesFile).flatMap(({ language, texts }) =>
    texts.map((text) => ({ ...text, language })),
  );
  const personal: readonly Profile[] = ['personal'];
  const unlisted: MeasuredSet = {
    title: 'Development: realistic messages, their names in no list',
    texts: messages,
    types: messageTypes,
    labelledFor: personal,
  };
  const figures: Figure[] = [];
  for (const set of sets) figures.push(...(await setFigures(set, models)));
  figures.push(...(await setFigures(unlisted, modelsWithoutNamesOf(messages, models))));
  return models ? figures : [...figures, ...trainingFigures()];
}
