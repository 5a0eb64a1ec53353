import type { Span } from './contract.ts';
import { tokenGaps } from './ner/networkTokens.ts';
import { isStructure } from './ner/structure.ts';
import type { FoundClass, Thresholds } from './ner/thresholds.ts';
import type { TokenLabels } from './ner/tokenLabels.ts';
import { isIgnoredBy } from './policy/profiles.ts';
import { valueRules } from './rules.ts';
import { trimmed } from './spans.ts';
import type { Trace } from './trace.ts';

/** The longest value, in UTF-16 code units. The detector reads on where a piece of a text may cut off a value. */
const LONGEST = 80;
/** The least probability of a candidate that a trace shows. */
const SHOWN = 0.1;
/** The least mean probability of a value that is only words in small letters. */
const PLAIN = 0.5;
/** The least mean probability of words that marks join, if one of them is a value. */
const LEAST = 0.3;

/** The thresholds of values. */
type ValueThresholds = Pick<Thresholds, 'value' | 'values'>;

const foundClasses = Object.keys(valueRules) as readonly FoundClass[];

/** Whether a text can be a value of a class. */
const hasForm: Readonly<Record<FoundClass, (text: string) => boolean>> = {
  // A shorter number is often an index, and a shorter code a format ("MP3", "ssh2"). A number with two decimals is a measure or a
  // price, and one before an abbreviation the volume of a collection ("347 U.S. 483").
  ID: (text) =>
    (/\d/.test(text) &&
      !/^(?:\d{0,4}|\p{L}{2,4}\d|\d+[.,]\d{1,2})$|^\d{1,4} \p{Lu}\./u.test(text) &&
      text.length > 3) ||
    /^[A-Z]{6}$/.test(text),
  // Groups of digits after a word are a number that touches it: "model415-555-0142".
  USERNAME: (text) => text.length > 3 && !/(?:-\d+){2}$/.test(text),
  PASSWORD: (text) => text.length > 3,
  DATE_OF_BIRTH: (text) =>
    (/\d/.test(text) && /\w\W+\w|\d{6}|[年월년月]/.test(text)) ||
    /^(?:19|20)\d\d$|^[\u3400-\u9fff]{2,}[年月]/.test(text),
  PHONE_NUMBER: (text) => /\d\D?\d\D?\d\D?\d/.test(text) && !/.\+/.test(text),
  LICENSE_PLATE: (text) => /\d/.test(text) && text.length > 3,
};

/** Finds values after any label: an account, a member, a gate code. */
class ValueFinder {
  private readonly labels: TokenLabels;
  private readonly tokens: TokenLabels['tokens'];

  /** @param labels those of the text */
  constructor(labels: TokenLabels) {
    this.labels = labels;
    this.tokens = labels.tokens;
  }

  /** @param limits without the means of classes: all candidates. */
  find(text: string, { value: threshold, values }: Pick<Thresholds, 'value'> & Partial<ValueThresholds>): Span[] {
    const { tokens } = this;
    const found: Span[] = [];
    for (let at = 0; at < tokens.count; at++) {
      if (!this.isValue(at, threshold)) continue;
      let last = at;
      while (this.isValue(last + 1, threshold) && (tokens.gap[last + 1] ?? 0) <= tokenGaps.space) last++;
      const [from, to] = this.wholeWords(text, at, last);
      const start = tokens.start[from] ?? 0;
      const end = tokens.end[to] ?? 0;
      const { type, score } = this.decision(at, last);
      at = Math.max(last, to);
      const isWhole = this.decision(from, to).score >= Math.min(LEAST, threshold);
      const isSure = values === undefined || score >= values[type];
      // An escape, such as "\\u00e9" or "%20", is a letter. What stands for a value is none: a pseudonym, "<TOKEN>", "{token}".
      const [before, following] = [text[start - 1], text[end]];
      const isOther =
        before === '\\' ||
        before === '%' ||
        (before === '<' && following === '>') ||
        (before === '{' && following === '}') ||
        (score < PLAIN && this.labels.arePlain({ start, end }));
      if (!isWhole || !isSure || isOther || end - start > LONGEST) continue;
      if (hasForm[type](text.slice(start, end)) && !isStructure(text, { start, end }))
        found.push({ start, end, type, score, detector: 'builtin', rule: valueRules[type] });
    }
    return found;
  }

  private isValue(at: number, threshold: number): boolean {
    if (at >= this.tokens.count || 1 - this.labels.of(at, 'O') < threshold) return false;
    return this.decision(at, at).score >= threshold;
  }

  /** The most likely class of the words and numbers from one token to another, and the mean probability that they are a value. */
  private decision(from: number, to: number): { readonly type: FoundClass; readonly score: number } {
    const { tokens, labels } = this;
    let type: FoundClass = 'ID';
    let [most, total, words] = [0, 0, 0];
    for (let at = from; at <= to; at++) if (from === to || !tokens.isMark(at)) words++;
    for (const kind of foundClasses) {
      let own = 0;
      for (let at = from; at <= to; at++) if (from === to || !tokens.isMark(at)) own += labels.of(at, kind);
      total += own;
      if (own > most) [type, most] = [kind, own];
    }
    return { type, score: words === 0 ? 0 : total / words };
  }

  /** A value is no part of a longer number, as "02-01" of "2024-02-01": extends it over marks that join words and numbers. */
  private wholeWords(text: string, first: number, last: number): readonly [from: number, to: number] {
    const { tokens } = this;
    const isGlued = (at: number): boolean => tokens.gap[at] === tokenGaps.none;
    const joins = (at: number): boolean => {
      if (!isGlued(at) || !isGlued(at + 1) || !tokens.isWord(at - 1) || !tokens.isWord(at + 1)) return false;
      const mark = text[tokens.start[at] ?? 0] ?? '';
      return /[-./_+]/.test(mark) || (mark === ':' && tokens.hasDigit[at - 1] === 1 && tokens.hasDigit[at + 1] === 1);
    };
    let [from, to] = [first, last];
    while (from < to && tokens.isMark(from)) from++;
    while (to > from && tokens.isMark(to)) to--;
    while (from > 1 && joins(from - 1)) from -= 2;
    while (to + 2 < tokens.count && joins(to + 1)) to += 2;
    return [from, to];
  }
}

/** The values after any label that the network finds in a text. */
export interface LabelledValues {
  readonly limits: ValueThresholds;
  readonly found: readonly Span[];
  /** Candidates that are too unlikely. Only for a trace. */
  readonly doubtful: readonly Span[];
}

/**
 * @param labels those of the text
 * @param limits what a value needs
 * @param isTraced whether to collect candidates
 */
export function labelledValues(
  text: string,
  labels: TokenLabels,
  limits: ValueThresholds,
  isTraced = false,
): LabelledValues {
  const finder = new ValueFinder(labels);
  return { limits, found: finder.find(text, limits), doubtful: isTraced ? finder.find(text, { value: SHOWN }) : [] };
}

/**
 * Adds the values after any label where nothing else is found. It changes no other find.
 * @param trace collects the candidates that are too unlikely.
 */
export function withLabelledValues(
  text: string,
  spans: readonly Span[],
  { found, doubtful, limits }: LabelledValues,
  trace?: Trace,
): readonly Span[] {
  const added = found.flatMap((value) => freePartsOf(text, value, spans));
  const all = added.length === 0 ? spans : [...spans, ...added];
  for (const candidate of trace ? doubtful : [])
    if (!all.some(({ start, end }) => start < candidate.end && end > candidate.start))
      trace?.drop(candidate, 'modelThreshold', { threshold: limits.values[candidate.type as FoundClass] });
  return all;
}

/**
 * The parts of a value that no other find covers. A find that a profile leaves in the text covers nothing. What remains of a
 * value without a digit is a label.
 */
function freePartsOf(text: string, value: Span, spans: readonly Span[]): Span[] {
  let parts: Span[] = [value];
  for (const { start, end, type } of spans) {
    if (end <= value.start || start >= value.end || isIgnoredBy('personal', type)) continue;
    parts = parts.flatMap((part) =>
      end <= part.start || start >= part.end
        ? [part]
        : [
            { ...part, end: Math.max(part.start, start) },
            { ...part, start: Math.min(part.end, end) },
          ],
    );
  }
  const isPart = (part: Span): boolean => part === value || /\d/.test(text.slice(part.start, part.end));
  return parts.filter(isPart).flatMap((part) => trimmed(text, part) ?? []);
}
