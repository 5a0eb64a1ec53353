/**
 * The texts that check the detector. Their authors knew neither the detector nor its training texts, so they show how good it
 * is on text that nobody tuned it for. Everything here gives counts and shares only, never a text or a find in one: whoever
 * reads which values leak tunes the detector on them, and from then on they check nothing.
 */
import { readdirSync } from 'node:fs';
import { isInnocent, messageTypes, readKinds } from './kinds.ts';
import { scoreFor } from './profiles.ts';
import type { EvalSpan, EvalText, Score } from './score.ts';
import { alignColumns } from './textTable.ts';

export interface UnseenText extends EvalText {
  /** ISO 639-1 code. */
  readonly language: string;
  readonly kind: string;
}

/** From this number of code points on, a text is long. */
export const LONG_FROM = 300;

export const isLong = ({ text }: EvalText): boolean => Array.from(text).length >= LONG_FROM;

/** Messages, labelled for the profile `personal`. Nothing in those of the kind `innocent` is private. */
export const unseenMessages = (): UnseenText[] => textsIn('messages');

/** Prompts as people send them to an assistant, without anything private. */
export const unseenPrompts = (): UnseenText[] => textsIn('everyday');

/** The kind of all everyday prompts. */
const PROMPTS = 'prompts';

/** The texts of all authors. Each has a file, whose name is part of the ids of its texts. */
function textsIn(folder: 'messages' | 'everyday'): UnseenText[] {
  const files = new URL(`./unseen/${folder}/`, import.meta.url);
  return readdirSync(files)
    .sort()
    .flatMap((file) =>
      readKinds(new URL(file, files)).flatMap(({ name, language, texts }) =>
        texts.map((text) => ({ ...text, id: `${file}: ${text.id}`, language, kind: name })),
      ),
    );
}

/** Whether a type is a number of a person, a contract or a case, of one country or of none. */
const isIdentifier = (type: string): boolean => type === 'ID' || (/^[A-Z]{2}_/.test(type) && type !== 'IP_ADDRESS');

/** Tables of counts and shares: by language, kind and length, then by type. @param finds by text id */
export function unseenTables(
  texts: readonly UnseenText[],
  finds: ReadonlyMap<string | number, readonly EvalSpan[]>,
): string {
  const groups: readonly (readonly [name: string, texts: readonly UnseenText[]])[] = [
    ...Map.groupBy(texts, ({ language }) => language),
    ...Map.groupBy(texts, ({ kind }) => kind),
    ['short', texts.filter((text) => !isLong(text))],
    ['long', texts.filter(isLong)],
    ['all', texts],
  ];
  const head = ['', 'values', 'leak', 'ids', 'leak', 'innocent', 'altered', PROMPTS, 'altered'];
  const rows = groups.map(([name, group]) => {
    const { all, types } = scoreFor('personal', group, finds, messageTypes);
    const identifiers = [...types].filter(([type]) => isIdentifier(type)).map(([, score]) => score);
    const ids = identifiers.reduce((sum, { gold }) => sum + gold, 0);
    const readable = identifiers.reduce((sum, { gold, masked }) => sum + gold * (1 - masked), 0);
    const altered = (own: readonly UnseenText[]): string[] =>
      counted(own.length, own.filter(({ id }) => (finds.get(id) ?? []).length > 0).length);
    return [
      name,
      ...counted(all.gold, all.leakedValues * all.gold),
      ...counted(ids, readable),
      ...altered(group.filter(isInnocent)),
      ...altered(group.filter(({ kind }) => kind === PROMPTS)),
    ];
  });
  return `${alignColumns([head, ...rows])}\n\n${typeTable(scoreFor('personal', texts, finds, messageTypes))}`;
}

const typeTable = ({ types }: Score): string =>
  alignColumns([
    ['', 'values', 'leak'],
    ...Array.from(types, ([type, { gold, masked }]) => [type, ...counted(gold, gold * (1 - masked))]),
  ]);

/** How many there are, and the share of the `bad` ones. */
const counted = (all: number, bad: number): string[] => (all === 0 ? ['', ''] : [String(all), (bad / all).toFixed(3)]);
