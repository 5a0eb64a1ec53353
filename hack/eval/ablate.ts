/**
 * What each recognizer, step, rule of evidence and list is worth: the figures without it, as differences from the figures with
 * all of them. `npm run eval -- --ablate` prints the table. A part that pays on no set that it was not written for can go.
 */
import { join } from 'node:path';
import type { BuiltinOptions } from '../../guardrail/detection/detection.ts';
import { detectorParts } from '../../guardrail/detection/builtinDetector.ts';
import { flags, Gazetteer } from '../../guardrail/detection/ner/gazetteer.ts';
import { loadNameModels, type NameModels } from '../../guardrail/detection/ner/nameModels.ts';
import { builtinAnalyzer, findsOf } from './evaluate.ts';
import { isInnocent, messagesFile, messageTypes, readKinds } from './kinds.ts';
import { developmentSets } from './modelCard.ts';
import { scoreFor } from './profiles.ts';
import { scoredTypes, type EvalText } from './score.ts';
import { readTexts } from './texts.ts';
import { modelsWithoutNamesOf } from './unlistedNames.ts';

/** The figures of one configuration: counts of leaked values and altered texts, and shares of innocent text in 1/10,000. */
type Figures = ReadonlyMap<string, number>;

/** Texts that are measured as one set. */
interface AblationSet {
  readonly title: string;
  readonly texts: readonly EvalText[];
  readonly types: Iterable<string>;
  /** Texts whose person names are in no list. Default: the shipped lists. */
  readonly unlisted?: readonly EvalText[];
}

const realisticTypes = [...scoredTypes, 'DATE_OF_BIRTH', 'USERNAME'];

async function setsIn(folder: string): Promise<AblationSet[]> {
  const realistic = await readTexts(join(folder, 'realistic_dev.jsonl'));
  const messages = readKinds(messagesFile).flatMap(({ texts }) => texts);
  const withValues = realistic.filter((text) => !isInnocent(text));
  return [
    { title: 'realistic_dev', texts: withValues, types: realisticTypes },
    { title: 'realistic_dev, innocent', texts: realistic.filter(isInnocent), types: realisticTypes },
    { title: 'realistic_dev, names in no list', texts: withValues, types: realisticTypes, unlisted: realistic },
    { title: 'realistic messages, names in no list', texts: messages, types: messageTypes, unlisted: messages },
    ...(await developmentSets(folder)).map(({ title, texts, types = scoredTypes }) => ({
      title: title.replace(/^Development: |`/g, ''),
      texts,
      types,
    })),
  ];
}

async function figuresOf(sets: readonly AblationSet[], options: BuiltinOptions): Promise<Figures> {
  const figures = new Map<string, number>();
  const before = process.cpuUsage();
  for (const { title, texts, types, unlisted } of sets) {
    const { models } = options;
    const finds = await findsOf(
      builtinAnalyzer('personal', {
        ...options,
        ...(unlisted ? { models: modelsWithoutNamesOf(unlisted, models) } : {}),
      }),
      texts,
    );
    const { all } = scoreFor('personal', texts, finds, types);
    if (all.gold > 0) figures.set(`${title}: leak`, Math.round(all.leakedValues * all.gold));
    else figures.set(`${title}: altered`, texts.filter(({ id }) => (finds.get(id) ?? []).length > 0).length);
    figures.set(`${title}: over`, Math.round(all.overmasked * 10_000));
  }
  return figures.set('ms', process.cpuUsage(before).user / 1000);
}

const lists = ['given', 'family', 'town', 'townPart', 'region', 'organization', 'street', 'ordinary'] as const;

/** The models, as if one list had nothing. */
function withoutList(list: (typeof lists)[number], models: NameModels): NameModels {
  return { ...models, gazetteer: new Gazetteer(models.gazetteer.entries.map((entry) => entry & ~flags[list])) };
}

const configurations = (): readonly (readonly [id: string, BuiltinOptions])[] => {
  const models = loadNameModels();
  return [
    ...detectorParts().map((id) => [id, { without: new Set([id]) }] as const),
    ...lists.map((list) => [`list ${list}`, { models: withoutList(list, models) }] as const),
    ['list of known names', { models: { ...models, knownNames: Gazetteer.of(new Map()) } }],
  ];
};

/** What differs between two configurations. Less time than a tenth is noise. */
export function difference(without: Figures, all: Figures): string {
  const changes = Array.from(all, ([name, value]) => [name, (without.get(name) ?? 0) - value] as const).filter(
    ([name, change]) => (name === 'ms' ? Math.abs(change) > 0.1 * (all.get(name) ?? 0) : change !== 0),
  );
  return changes.map(([name, change]) => `${name} ${change > 0 ? '+' : ''}${change.toFixed(0)}`).join('; ');
}

/**
 * Measures the detector without each of its parts.
 * @param folder see `evalFolder`
 * @param only ids of the parts. Default: all.
 * @param print receives one line for each part.
 */
export async function ablate(folder: string, only: readonly string[], print: (line: string) => void): Promise<void> {
  const sets = await setsIn(folder);
  await figuresOf(sets, {});
  const all = await figuresOf(sets, {});
  print(`with all parts: ${Array.from(all, ([name, value]) => `${name} ${value.toFixed(0)}`).join('; ')}`);
  for (const [id, options] of configurations())
    if (only.length === 0 || only.includes(id))
      print(`without ${id}: ${difference(await figuresOf(sets, options), all)}`);
}
