/**
 * Reads the cores of the forms in {@link file://./grammar.ts} at a place of a text: a label and its code. Each part can be read in
 * one way only, so that nothing is read twice. Patterns of all forms would have a hundred thousand characters, and V8 would
 * compile them while a call waits.
 */
import { unitAt } from '../unitAt.ts';
import { isInWord } from './boundaries.ts';
import type { Label } from './labels.ts';
import { MAX_CODE, MIN_CODE } from './pseudonyms.ts';
import { NOWHERE, type Source } from './source.ts';

/** A label and its code, with their possessive ending. */
export interface Core {
  /** Empty: it is not of the vocabulary. */
  readonly label: Label;
  readonly codeStart: number;
  readonly codeEnd: number;
  /** The end of the possessive ending. */
  readonly end: number;
}

const [BACKSLASH, UNDERSCORE, APOSTROPHE, RIGHT_QUOTE, COLON] = [0x5c, 0x5f, 0x27, 0x2019, 0x3a];
const MAX_BACKSLASHES = 4;
const MAX_UNDERSCORES = 3;
/** Bounds of a label that is not of the vocabulary. */
const [MAX_WORDS, MAX_LABEL] = [5, 40];

/** Whether a label of the vocabulary can begin here without a bracket: not inside a word or an escape such as `\n`. */
export function isWordStart(source: Source, at: number): boolean {
  const before = source.unit(at - 1);
  return !isWordUnit(before) && before !== BACKSLASH;
}

/** Reads the cores of pseudonyms with one set of labels. A `loose` separator may be, or contain, white space. */
export class CoreReader {
  private readonly root: Node;

  constructor(labels: readonly Label[]) {
    this.root = treeOf(labels);
  }

  /** Reads a core. The label is the longest one after which there is a code. @param isExactOnly whether its case counts */
  read(source: Source, at: number, isLoose: boolean, isExactOnly = false): Core | undefined {
    return coreAt(this.root, source, at, isLoose, isExactOnly);
  }
}

/**
 * Where a label that is not of the vocabulary stands: `angled` in angle brackets, `bracketed` in others, `quoted` after a quotation
 * mark, `bare` after anything else. A bare one has no small letters, and no letters of a script that writes no spaces, because
 * it could be the end of a sentence.
 */
export type Standing = 'angled' | 'bracketed' | 'quoted' | 'bare';

/** Reads a core with any label. Its code is written as pseudonyms are: in upper case. */
export function anyCoreAt(source: Source, start: number, standing: Standing): Core | undefined {
  let at = start;
  for (let word = 0; word < MAX_WORDS; word++) {
    const end = labelWordEnd(source, at, start + MAX_LABEL, standing);
    if (end === NOWHERE) return undefined;
    at = anySeparatorEnd(source, end, standing === 'angled');
    if (at === NOWHERE) return undefined;
    const core = codeAt('', source, at, true);
    if (core) return core;
  }
  return undefined;
}

/** Whether a code is written as pseudonyms are. */
export function isExact({ text }: Source, { codeStart, codeEnd }: Core): boolean {
  for (let at = codeStart; at < codeEnd; at++) if (unitAt(text, at) >= 0x61) return false;
  return true;
}

/** Where a core begins without a bracket that may have any label; undefined inside a word. */
export function standingAt(source: Source, at: number): Standing | undefined {
  const { text } = source;
  if (!isWordStart(source, at)) return undefined;
  if (isQuoted(text, at)) return 'quoted';
  return isInWord(text, at) ? undefined : 'bare';
}

/** Whether a quotation mark, or what emphasizes a word, begins before a place. An apostrophe does not. */
export function isQuoted(text: string, at: number): boolean {
  return at > 0 && '"\'`*“”„‘’「『【《'.includes(text.charAt(at - 1)) && !isInWord(text, at - 1);
}

/** A place in the labels. A label goes on with a letter or a digit, or with a separator and another word. */
interface Node {
  /** By the code unit, in upper case. */
  readonly next: Map<number, Node>;
  /** The label that ends here. */
  label: Label | undefined;
}

function treeOf(labels: readonly Label[]): Node {
  const root: Node = { next: new Map(), label: undefined };
  for (const label of labels) {
    let node = root;
    for (let at = 0; at < label.length; at++) {
      const unit = label.charCodeAt(at);
      const next = node.next.get(unit) ?? { next: new Map<number, Node>(), label: undefined };
      node.next.set(unit, next);
      node = next;
    }
    node.label = label;
  }
  return root;
}

function coreAt(from: Node, source: Source, start: number, isLoose: boolean, isExactOnly: boolean): Core | undefined {
  const { node, at } = wordAt(from, source, start);
  const another = node.next.get(UNDERSCORE);
  if (!another && node.label === undefined) return undefined;
  const end = separatorEnd(source, at, isLoose);
  if (end === NOWHERE) return undefined;
  const longer = another && coreAt(another, source, end, isLoose, isExactOnly);
  return longer ?? (node.label === undefined ? undefined : codeAt(node.label, source, end, isExactOnly));
}

/** Reads the letters and digits of a label up to a separator, or as far as they belong to a label. */
function wordAt(from: Node, source: Source, start: number): { readonly node: Node; readonly at: number } {
  let node = from;
  let at = start;
  for (;;) {
    const unit = upper(source.unit(at));
    const next = unit === UNDERSCORE ? undefined : node.next.get(unit);
    if (!next) return { node, at };
    node = next;
    at++;
  }
}

function separatorEnd(source: Source, at: number, isLoose: boolean): number {
  const start = isLoose ? source.spaceEnd(at) : at;
  const end = tightSeparatorEnd(source, start);
  if (end !== NOWHERE) return isLoose ? source.spaceEnd(end) : end;
  return start > at ? start : NOWHERE;
}

function tightSeparatorEnd(source: Source, at: number): number {
  if (isHyphen(source.unit(at))) return at + 1;
  const end = source.repeatedEnd(at, BACKSLASH, MAX_BACKSLASHES);
  return source.unit(end) === UNDERSCORE ? end + 1 : NOWHERE;
}

/**
 * The separators of {@link separatorEnd}, repeated underscores, and all of these with invisible characters around them. A loose one
 * may be a colon.
 */
function anySeparatorEnd(source: Source, at: number, isLoose: boolean): number {
  const skip = (from: number): number => {
    const end = isLoose ? source.spaceEnd(from) : from;
    return isInvisible(source.unit(end)) ? end + 1 : end;
  };
  const start = skip(at);
  if (isLoose && source.unit(start) === COLON) return skip(start + 1);
  let end = tightSeparatorEnd(source, start);
  if (end === NOWHERE) return isLoose && start > at ? start : NOWHERE;
  for (let more = 1; more < MAX_UNDERSCORES; more++) {
    const next = tightSeparatorEnd(source, end);
    if (next === NOWHERE) break;
    end = next;
  }
  return skip(end);
}

function labelWordEnd(source: Source, start: number, limit: number, standing: Standing): number {
  let at = start;
  while (at < limit && isLabelUnit(source.unit(at), standing, at === start)) at++;
  return at === start ? NOWHERE : at;
}

function isLabelUnit(unit: number, standing: Standing, isFirst: boolean): boolean {
  if (unit < 0x80) {
    const isDigitUnit = isDigit(unit);
    if (isFirst && isDigitUnit) return false;
    const isSmall = unit >= 0x61 && unit <= 0x7a;
    return unit !== UNDERSCORE && isWordUnit(unit) && (standing !== 'bare' || !isSmall);
  }
  const char = String.fromCharCode(unit);
  if (standing === 'bare') return /\p{Lu}/u.test(char);
  return isFirst ? /\p{L}/u.test(char) : /[\p{L}\p{M}\p{N}]/u.test(char);
}

function codeAt(label: Label, source: Source, codeStart: number, isExactOnly: boolean): Core | undefined {
  const codeEnd = codeUnitsEnd(source, codeStart, isExactOnly ? 0x5a : 0x7a);
  const length = codeEnd - codeStart;
  if (length < MIN_CODE || length > MAX_CODE || isWordUnit(source.unit(codeEnd))) return undefined;
  if (!isMixed(source, codeStart, codeEnd)) return undefined;
  return { label, codeStart, codeEnd, end: possessiveEnd(source, codeEnd) };
}

/** @returns the end of the units of a code, at most one unit behind the longest code */
function codeUnitsEnd(source: Source, at: number, last: number): number {
  let end = at;
  for (let unit = source.unit(at); end <= at + MAX_CODE && unit <= last && isCodeUnit(unit); unit = source.unit(end))
    end++;
  return end;
}

/** Whether a code has a digit and a letter. */
function isMixed({ text }: Source, from: number, to: number): boolean {
  let digits = 0;
  for (let at = from; at < to; at++) if (isDigit(unitAt(text, at))) digits++;
  return digits > 0 && digits < to - from;
}

function possessiveEnd(source: Source, at: number): number {
  const unit = source.unit(at);
  if (unit !== APOSTROPHE && unit !== RIGHT_QUOTE) return at;
  return upper(source.unit(at + 1)) === 0x53 && !isWordUnit(source.unit(at + 2)) ? at + 2 : at + 1;
}

/** 1: a digit; 2: a letter; 4: it can be in a code. */
const ASCII = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  const char = String.fromCharCode(unit);
  if (/[0-9]/.test(char)) return 1 | 4;
  if (/[a-z]/i.test(char)) return /[ilou]/i.test(char) ? 2 : 2 | 4;
  return 0;
});

export function isDigit(unit: number): boolean {
  return ((ASCII[unit] ?? 0) & 1) !== 0;
}

function isCodeUnit(unit: number): boolean {
  return ((ASCII[unit] ?? 0) & 4) !== 0;
}

export function isWordUnit(unit: number): boolean {
  return unit === UNDERSCORE || ((ASCII[unit] ?? 0) & 3) !== 0;
}

function isHyphen(unit: number): boolean {
  return unit === 0x2d || unit === 0x2010 || unit === 0x2011 || unit === 0x2013;
}

function isInvisible(unit: number): boolean {
  return unit === 0xad || (unit >= 0x200b && unit <= 0x200d) || unit === 0x2060 || unit === 0xfeff;
}

function upper(unit: number): number {
  return unit >= 0x61 && unit <= 0x7a ? unit - 0x20 : unit;
}
