/**
 * Scores finds against gold spans, both in code points. The measures are those of pseudonymization benchmarks: finds of the
 * correct type and, for any type, leaked values and over-masked text.
 */

export interface EvalSpan {
  readonly start: number;
  readonly end: number;
  readonly type: string;
  readonly score?: number;
}

export interface EvalText {
  readonly id: string | number;
  readonly text: string;
  readonly spans: readonly EvalSpan[];
  /** What kind of text it is, if the set tells. */
  readonly kind?: string;
}

export interface TypeScore {
  readonly gold: number;
  readonly precision: number;
  readonly recall: number;
  /** F-score that weighs recall twice as much as precision. */
  readonly f2: number;
  /** Share of values of which at most a tenth remains readable, with any type. */
  readonly masked: number;
}

export interface Score {
  readonly types: ReadonlyMap<string, TypeScore>;
  readonly all: Omit<TypeScore, 'masked'> & {
    /** Share of the letters and digits of gold values that stay readable. */
    readonly leakedCharacters: number;
    /** Share of gold values of which more than a tenth stays readable. */
    readonly leakedValues: number;
    /** Share of the letters and digits outside gold values that were masked. */
    readonly overmasked: number;
    /** Finds that touch no gold span, per 1,000 words. */
    readonly falsePer1000Words: number;
  };
}

/** Other names of the scored types. */
const synonyms = new Map(
  Object.entries({
    GPE: 'LOCATION',
    LOC: 'LOCATION',
    ADDRESS: 'LOCATION',
    STREET_ADDRESS: 'LOCATION',
    ZIP_CODE: 'LOCATION',
    ORG: 'ORGANIZATION',
    DOMAIN_NAME: 'URL',
    EMAIL: 'EMAIL_ADDRESS',
    PHONE: 'PHONE_NUMBER',
    US_ITIN: 'US_SSN',
    CRYPTO: 'API_KEY',
    US_DRIVER_LICENSE: 'ID',
    US_BANK_NUMBER: 'ID',
    US_PASSPORT: 'ID',
    MEDICAL_LICENSE: 'ID',
    UK_NHS: 'ID',
    UUID: 'ID',
  }),
);

/** Types that are scored by default. */
export const scoredTypes: readonly string[] =
  'PERSON LOCATION ORGANIZATION EMAIL_ADDRESS PHONE_NUMBER CREDIT_CARD IBAN_CODE IP_ADDRESS US_SSN URL API_KEY MAC_ADDRESS ID'.split(
    ' ',
  );

/** A find matches a value if their intersection is at least this share of their union. */
const sameFrom = 0.5;

interface Placed {
  readonly start: number;
  readonly end: number;
  readonly type: string;
  readonly score: number;
}

/** The scored type of a label. An address is a place, unless addresses are scored on their own. */
const nameIn = (types: ReadonlySet<string>, type: string): string =>
  type === 'ADDRESS' && types.has(type) ? type : (synonyms.get(type) ?? type);

function scored(spans: readonly EvalSpan[], types: ReadonlySet<string>): Placed[] {
  return spans
    .map(({ start, end, type, score = 1 }) => ({ start, end, type: nameIn(types, type), score }))
    .filter(({ type }) => types.has(type));
}

function overlap(a: Placed, b: Placed): number {
  const shared = Math.min(a.end, b.end) - Math.max(a.start, b.start);
  return shared <= 0 ? 0 : shared / (Math.max(a.end, b.end) - Math.min(a.start, b.start));
}

/**
 * Removes finds inside other finds, such as a URL inside an e-mail address. Of equal spans, the one with the higher score
 * stays, or the first.
 */
function withoutNested(spans: readonly Placed[]): Placed[] {
  return spans.filter(
    (span, at) =>
      !spans.some((other, index) => {
        if (index === at || other.start > span.start || other.end < span.end) return false;
        const isLonger = other.end - other.start > span.end - span.start;
        return isLonger || other.score > span.score || (other.score === span.score && index < at);
      }),
  );
}

const ratio = (part: number, whole: number): number => (whole === 0 ? NaN : part / whole);
const f2 = (precision: number, recall: number): number =>
  precision > 0 && recall > 0 ? (5 * precision * recall) / (4 * precision + recall) : 0;

interface TypeCounts {
  /** Labelled values, those found with their type, and those that are masked. */
  gold: number;
  hit: number;
  masked: number;
  /** Found spans, and those that match a labelled value of their type. */
  found: number;
  truePositives: number;
}

/** Sums the counts over the texts of a set. */
class Tally {
  readonly types = new Map<string, TypeCounts>();
  private readonly sums = { characters: 0, leaked: 0, values: 0, leakedValues: 0, innocent: 0, altered: 0, falseFinds: 0, words: 0 }; // prettier-ignore

  add({ text, spans }: EvalText, finds: readonly EvalSpan[], types: ReadonlySet<string>): void {
    const isWord = Array.from(text, (character) => /[\p{L}\p{N}]/u.test(character));
    const gold = scored(spans, types);
    const found = withoutNested(scored(finds, types));
    const covered = painted(isWord.length, found);
    const personal = painted(isWord.length, spans);
    for (const value of gold) this.addValue(value, found, isWord, covered);
    for (const find of found) this.addFind(find, gold, spans);
    isWord.forEach((word, at) => {
      if (!word || personal[at]) return;
      this.sums.innocent++;
      this.sums.altered += covered[at] ?? 0;
    });
    this.sums.words += text.split(/\s+/).filter((word) => word !== '').length;
  }

  private addValue(value: Placed, found: readonly Placed[], isWord: readonly boolean[], covered: Uint8Array): void {
    const counts = this.countsOf(value.type);
    counts.gold++;
    counts.hit += Number(found.some((find) => find.type === value.type && overlap(find, value) >= sameFrom));
    let total = 0;
    let open = 0;
    for (let at = value.start; at < value.end; at++) {
      if (!isWord[at]) continue;
      total++;
      open += covered[at] ? 0 : 1;
    }
    const isLeak = open > 0.1 * total;
    this.sums.characters += total;
    this.sums.leaked += open;
    this.sums.values++;
    this.sums.leakedValues += Number(isLeak);
    counts.masked += Number(!isLeak);
  }

  private addFind(find: Placed, gold: readonly Placed[], spans: readonly EvalSpan[]): void {
    const counts = this.countsOf(find.type);
    counts.found++;
    counts.truePositives += Number(gold.some((value) => find.type === value.type && overlap(find, value) >= sameFrom));
    this.sums.falseFinds += Number(
      !spans.some(({ start, end }) => Math.min(find.end, end) > Math.max(find.start, start)),
    );
  }

  private countsOf(type: string): TypeCounts {
    let counts = this.types.get(type);
    if (!counts) this.types.set(type, (counts = { gold: 0, hit: 0, masked: 0, found: 0, truePositives: 0 }));
    return counts;
  }

  score(): Score {
    const { characters, leaked, values, leakedValues, innocent, altered, falseFinds, words } = this.sums;
    const rows = [...this.types.values()];
    const total = (key: keyof TypeCounts): number => rows.reduce((sum, row) => sum + row[key], 0);
    const precision = ratio(total('truePositives'), total('found'));
    const recall = ratio(total('hit'), total('gold'));
    return {
      types: new Map(
        [...this.types]
          .filter(([, { gold }]) => gold > 0)
          .sort(([, a], [, b]) => b.gold - a.gold)
          .map(([type, row]) => {
            const p = ratio(row.truePositives, row.found);
            const r = ratio(row.hit, row.gold);
            return [
              type,
              { gold: row.gold, precision: p, recall: r, f2: f2(p, r), masked: ratio(row.masked, row.gold) },
            ];
          }),
      ),
      all: {
        gold: total('gold'),
        precision,
        recall,
        f2: f2(precision, recall),
        leakedCharacters: ratio(leaked, characters),
        leakedValues: ratio(leakedValues, values),
        overmasked: ratio(altered, innocent),
        falsePer1000Words: ratio(1000 * falseFinds, words),
      },
    };
  }
}

/**
 * Scores the spans that a detector found.
 * @param finds finds by text id. A text without an entry has none.
 * @param types see {@link scoredTypes}.
 */
export function score(
  texts: readonly EvalText[],
  finds: ReadonlyMap<string | number, readonly EvalSpan[]>,
  types: ReadonlySet<string> = new Set(scoredTypes),
): Score {
  const tally = new Tally();
  for (const text of texts) tally.add(text, finds.get(text.id) ?? [], types);
  return tally.score();
}

function painted(length: number, spans: readonly { readonly start: number; readonly end: number }[]): Uint8Array {
  const cells = new Uint8Array(length);
  for (const { start, end } of spans) cells.fill(1, start, Math.min(end, length));
  return cells;
}
