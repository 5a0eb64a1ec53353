import { contextWords } from '../../languages/languages.ts';
import { isList, partsOf } from '../numberRuns.ts';
import {
  aroundDigits,
  contextBefore,
  contextWidth,
  digitsOf,
  eachNumber,
  type Emit,
  type Match,
  type Recognizer,
} from '../recognizer.ts';
import type { DigitStats, DigitWindow } from '../textStats.ts';
import { codeIds, directlyBefore, UNVERIFIED } from './codes.ts';
import { numberIds, type NumberId } from './numbers.ts';
import { vatNumbers as vatRows } from './vat.ts';

const candidate = /(?:(?<![\p{L}\p{N}_/-]|\d\.)|(?<=(?:^|\n)-))\d(?:[ .\-+/]{0,2}\d){8,}(?![\p{L}\p{N}_]|[.-]\d)/gu;

/** The same directly behind a word: "ssn456-78-9012". */
const gluedCandidate = /(?<=\p{Ll})\d(?:[ .\-+/]?\d){8,14}(?![\p{Lu}\p{N}_]|[.-]\d)/gu;

const isLong = ({ digits }: DigitStats): boolean => digits >= 9;

const sizes = { least: 9, most: 15, word: 2 };
/** A longer run is a list. */
const longestNumber = 64;

const byLength = (ids: readonly NumberId[]): readonly (readonly NumberId[])[] =>
  Array.from({ length: sizes.most + 1 }, (_, length) => ids.filter(({ lengths }) => lengths.includes(length)));
const idsOfLength = byLength(numberIds);
/** Identifiers whose notation consists of several words. */
const spacedOfLength = byLength(numberIds.filter(({ format }) => format?.source.includes(' ')));

const labels = new Map<NumberId, RegExp>();
/** The context words of an identifier, directly before a number. */
function labelOf(id: NumberId): RegExp {
  let label = labels.get(id);
  if (label === undefined) labels.set(id, (label = directlyBefore(id.context)));
  return label;
}

/** One run of digits and separators, and the context words before it. */
class NumberRun {
  private readonly run: string;
  private readonly start: number;
  private readonly text: string;
  private readonly emit: Emit;
  private context: string | undefined;
  private contextOf: Map<NumberId, boolean> | undefined;

  constructor(run: string, start: number, text: string, emit: Emit) {
    this.run = run;
    this.start = start;
    this.text = text;
    this.emit = emit;
  }

  find(): void {
    const { run } = this;
    const mayBeOne = run.length < longestNumber;
    if (mayBeOne && this.emitFirst(0, run.length, idsOfLength[digitsOf(run).length])) return;
    if (mayBeOne && this.emitLabelled(idsOfLength[digitsOf(run).length])) return;
    if (!isList(run)) return;
    const parts = partsOf(run, sizes).filter(({ start, end }) => !mayBeOne || end - start < run.length);
    const single = parts.filter(({ words }) => words.length === 1);
    const found = single.filter(({ start, end, digits }) => this.emitFirst(start, end, idsOfLength[digits]));
    if (found.length > 0) return;
    for (const { start, end, digits, words } of parts) {
      if (words.length > 1) this.emitFirst(start, end, (start > contextWidth ? spacedOfLength : idsOfLength)[digits]);
    }
  }

  /** Emits the run as an identifier whose word stands directly before it, without a space. */
  findGlued(): void {
    this.emitLabelled(idsOfLength[digitsOf(this.run).length]);
  }

  /** Emits a part of the run as the first identifier that matches. */
  private emitFirst(start: number, end: number, ids: readonly NumberId[] = []): boolean {
    const written = this.run.slice(start, end);
    const digits = digitsOf(written);
    for (const id of ids) {
      if (!id.valid(digits)) continue;
      const hasContext = this.hasContext(id, start);
      if (!hasContext && !id.format?.test(written)) continue;
      this.emit(
        this.start + start,
        this.start + end,
        hasContext ? 0.98 : 0.85,
        id.type,
        hasContext ? 'nationalId.word' : 'nationalId',
      );
      return true;
    }
    return false;
  }

  /**
   * Emits the run as the identifier whose word stands directly before it, whatever its check digits: a number with a typing
   * error identifies nearly as well.
   */
  private emitLabelled(ids: readonly NumberId[] = []): boolean {
    for (const id of ids) {
      if (!this.hasContext(id, 0) || !labelOf(id).test(this.context ?? '')) continue;
      this.emit(this.start, this.start + this.run.length, UNVERIFIED, id.type, 'nationalId.label');
      return true;
    }
    return false;
  }

  /** Whether the text before the run contains a context word. It applies only to parts near the beginning of the run. */
  private hasContext(id: NumberId, start: number): boolean {
    if (start > contextWidth) return false;
    this.context ??= contextBefore(this.text, this.start);
    this.contextOf ??= new Map();
    let has = this.contextOf.get(id);
    if (has === undefined) this.contextOf.set(id, (has = id.context.test(this.context)));
    return has;
  }
}

/** National identifiers of digits only. All countries share one pass over the numbers of the text. */
const numbers: Recognizer = {
  type: 'ID',
  rule: 'nationalId',
  otherRules: ['nationalId.word', 'nationalId.label'],
  otherTypes: numberIds.map(({ type }) => type),
  needsDigit: true,
  mayMatch: isLong,
  find(text, emit, stats) {
    eachNumber(candidate, stats, isLong, ({ 0: run, index }, windowStart) => {
      new NumberRun(run, windowStart + index, text, emit).find();
    });
    eachNumber(gluedCandidate, stats, isLong, ({ 0: run, index }, windowStart) => {
      new NumberRun(run, windowStart + index, text, emit).findGlued();
    });
  },
};

const vatByCountry = new Map(vatRows.map((row) => [row.pattern.slice(0, 2), row]));
const vatPatterns = Array.from(vatByCountry.values(), ({ pattern }) => pattern);
const vatWord = new RegExp(contextWords('vat'));

/** The score of a VAT number; 0 if it is none. */
function vatScore(compact: string, { text, start }: Pick<Match, 'text' | 'start'>): number {
  const isValid = vatByCountry.get(compact.slice(0, 2))?.valid?.(digitsOf(compact));
  const hasContext = vatWord.test(contextBefore(text, start));
  if (isValid === false) return hasContext ? 0.6 : 0;
  return hasContext ? 0.98 : isValid ? 0.8 : 0;
}

const vatCountries = [...vatByCountry.keys()].join('|');
const vatCountry = new RegExp(vatCountries);
/** Each VAT number begins with the code of its country. */
const hasCountry = ({ text }: DigitWindow): boolean => vatCountry.test(text);

const vatNumbers = aroundDigits({
  type: 'VAT_NUMBER',
  rule: 'vat',
  pattern: new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${vatPatterns.join('|')})(?![\p{L}\p{N}])`, 'gu'),
  mayMatch: ({ digits }) => digits >= 7,
  mayContain: hasCountry,
  score: vatScore,
});

export const nationalIds: readonly Recognizer[] = [numbers, ...codeIds, vatNumbers];
