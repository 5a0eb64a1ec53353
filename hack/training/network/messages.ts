/** Whole messages with marks, from which the classifier and the network learn who is private. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { flags, type Gazetteer } from '../../../guardrail/detection/ner/gazetteer.ts';
import { wordHash } from '../../../guardrail/detection/ner/tokens.ts';
import { tokenClasses } from '../../../guardrail/detection/ner/tokenNetwork.ts';
import { fakerList } from '../faker.ts';
import type { ClassifierText, Knowledge } from '../spanExamples.ts';
import { namePools } from '../namePools.ts';
import type { Random } from '../random.ts';
import { Draft, type MarkedText } from './draft.ts';

/** A whole message with marks, as it is written. */
export interface Message {
  readonly language: string;
  readonly text: string;
}

const folder = join(import.meta.dirname, '..');

/** Stands within a name that no file of the project contains, such as that of a package registry. */
const JOINER = '\u2060';

/** The messages of all authors in `messages/`. */
export const allMessages = (): Message[] =>
  globSync(['messages/*.txt'], { cwd: folder })
    .sort()
    .flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split(/^---$/m)
        .map((text) => ({ language: basename(file).slice(0, 2), text: text.replaceAll(JOINER, '').trim() }))
        .filter(({ text }) => text !== ''),
    );

/** Whether a message is kept from training, to compare trainings. */
const isKept = ({ text }: Message): boolean => wordHash(text) % 12 === 0;

const messages = (): Message[] => allMessages().filter((message) => !isKept(message));

const cjk: Readonly<Record<string, { readonly family: readonly string[]; readonly given: readonly string[] }>> = {
  ja: { family: fakerList('ja', 'person', 'last_name'), given: fakerList('ja', 'person', 'first_name') },
  zh: {
    family: fakerList('zh_CN zh_TW', 'person', 'last_name'),
    given: fakerList('zh_CN zh_TW', 'person', 'first_name'),
  },
  ko: { family: fakerList('ko', 'person', 'last_name'), given: fakerList('ko', 'person', 'first_name') },
};

const pools = namePools.filter(({ given, family }) => given.length > 0 && family.length > 0);

/** Replaces names by others, words by words, as long as it writes one message. */
class OtherNames {
  private readonly random: Random;
  private readonly gazetteer: Gazetteer;
  private readonly language: string;
  private readonly others = new Map<string, string>();

  constructor(random: Random, gazetteer: Gazetteer, language: string) {
    this.random = random;
    this.gazetteer = gazetteer;
    this.language = language;
  }

  isName(word: string): boolean {
    const known = this.gazetteer.lookup(wordHash(word));
    return (known & (flags.given | flags.family)) !== 0 && (known & flags.ordinary) === 0;
  }

  /** @returns another name in place of each word of a name. */
  name(text: string): string {
    const { random } = this;
    const own = cjk[this.language];
    if (own && /^[\u3041-\uffdc]{2,5}$/u.test(text)) {
      const kept = this.others.get(text);
      if (kept !== undefined) return kept;
      const other =
        text.length > 2
          ? random.pick(own.family) + random.pick(own.given)
          : random.pick(random.chance(0.5) ? own.family : own.given);
      this.others.set(text, other);
      return other;
    }
    return text.replace(/[\p{L}\p{M}]{3,}/gu, (word) => this.word(word));
  }

  word(word: string): string {
    if (/[\u2e80-\uffff]/u.test(word)) return word;
    const key = word.toLowerCase();
    let other = this.others.get(key);
    if (other === undefined) {
      const known = this.gazetteer.lookup(wordHash(word));
      const isGiven = (known & flags.given) !== 0 && ((known & flags.family) === 0 || this.random.chance(0.5));
      const pool = this.random.weighted(pools);
      other = (isGiven ? this.random.pick(pool.given) : this.random.pick(pool.family)).toLowerCase();
      this.others.set(key, other);
    }
    if (word === key) return other;
    if (word === word.toUpperCase()) return other.toUpperCase();
    return other.replace(/(^|[ '’-])(\p{L})/gu, (_, before: string, first: string) => before + first.toUpperCase());
  }
}

/**
 * A message with marks. Its values get other digits and capitals, so that their forms are learned; in half of the draws, its names
 * are others, public ones too: the text decides, not the name.
 */
function fromMarks({ language, text }: Message, random: Random, gazetteer: Gazetteer): MarkedText {
  const draft = new Draft();
  const names = random.chance(0.5) ? new OtherNames(random, gazetteer, language) : undefined;
  const replacesPublic = names !== undefined && random.chance(0.5);
  const put = (part: string): void => {
    draft.put(
      replacesPublic
        ? part.replace(/\p{Lu}\p{Ll}{2,}/gu, (word) =>
            names.isName(word) && random.chance(0.7) ? names.word(word) : word,
          )
        : part,
    );
  };
  let last = 0;
  for (const { 0: whole, 1: word = '', 2: value = '', index } of text.matchAll(/\[([A-Z_]+) ([^\]]+)\]/g)) {
    const kind = word === 'P' ? 'PERSON' : tokenClasses.find((one) => one === word);
    put(text.slice(last, index));
    if (kind === 'PERSON') draft.value(names ? names.name(value) : value, kind);
    else {
      const other = value
        .replace(/\d/g, () => random.format('#'))
        .replace(/[A-Z](?![a-z])/g, (letter) => (random.chance(0.4) ? random.format('?') : letter));
      draft.value(kind === undefined || kind === 'ADDRESS' ? value : other, kind);
    }
    last = index + whole.length;
  }
  put(text.slice(last));
  return draft;
}

/** How often the classifier and the network see each message. */
const passes = { classifier: 6, network: 20 } as const;

const drawn = (messages: readonly Message[], times: number): Message[] =>
  Array.from({ length: Math.max(1, Math.round(times)) }).flatMap(() => messages);

/** The messages as the classifier learns them: only what is private has a label. @param share see `TrainingOptions` */
export const classifierMessages = (random: Random, { gazetteer }: Knowledge, share = 1): ClassifierText[] =>
  drawn(messages(), passes.classifier * share).map((message) => {
    const { text, spans } = fromMarks(message, random, gazetteer);
    const isName = ({ kind }: MarkedText['spans'][number]): boolean => kind === 'PERSON' || kind === 'ADDRESS';
    return {
      text,
      spans: spans.flatMap(({ start, end, kind }) =>
        kind === 'PERSON' || kind === 'ADDRESS' ? [{ start, end, kind, type: kind } as const] : [],
      ),
      values: spans.filter((span) => !isName(span)).map(({ start, end }) => ({ start, end })),
      source: text,
      hasOnlyPrivate: true,
    };
  });

/** The messages as the network learns them. @param share see `TrainingOptions` */
export const networkMessages = (random: Random, { gazetteer }: Knowledge, share: number): MarkedText[] =>
  drawn(messages(), passes.network * share).map((message) => fromMarks(message, random, gazetteer));
