import { TooManyValuesError } from '../detection/detection.ts';
import type { Pseudonym } from '../ids.ts';
import { closeEnd, openingAt, type Form, type Opening } from './brackets.ts';
import { anyCoreAt, CoreReader, isExact, isWordStart, standingAt, type Core, type Standing } from './forms.ts';
import { formStart } from './formStart.ts';
import type { Label } from './labels.ts';
import { MIN_CODE, pseudonymOf } from './pseudonyms.ts';
import { NOWHERE, Source } from './source.ts';

/**
 * The grammar of pseudonyms in responses. Models change the case, spacing, separators and brackets of a pseudonym that
 * they repeat, and translate its label. The grammar accepts these changes, but must not accept prose.
 *
 * Common forms, which requests must not contain as text of the client. They are case-insensitive, and their label is one of the
 * vocabulary:
 *
 *     core    := label SEP code possessive?; SEP also joins the words of the label
 *     code    := 8 to 16 base-32 characters (no I, L, O, U), at least one digit and one letter,
 *                not followed by A-Z 0-9 _
 *     SEP     := "_" after up to 4 backslashes, or a hyphen; after OPEN also with ws around it, or 1 to 2 white space
 *     ws      := 0 to 2 white space
 *     possessive := ' or ’, with or without an s
 *     OPEN    := "<" "&lt;" "%3C" or "u003c" after 1 to 4 backslashes
 *     CLOSE   := any spelling of ">"; after OPEN also with "/" before it
 *
 *     angled  := OPEN ws core (ws CLOSE)?              removes both brackets
 *     escaped := backslashes "<" ws core ws backslashes ">"   removes all; with a plain ">", the first backslashes stay
 *     paired  := "(" ws core ws ")", or with [ and ]   removes both brackets, but not those of a link: [core](
 *     half    := ("(" or "[") ws core (ws CLOSE)?      keeps the bracket, which belongs to the sentence; removes CLOSE
 *     opened  := core (CLOSE, or ")" or "]")           not after A-Z 0-9 _ \; keeps the bracket, removes CLOSE
 *
 * Rare forms have an exact code: in upper case, as pseudonyms are written. A code has 40 bits and is bound to its session, so an
 * exact one is evidence enough, with any label:
 *
 *     label   := 1 to 5 words of letters and digits of any script, joined as by SEP, 2 to 3 "_", or, after OPEN, ":",
 *                with an invisible character on both sides of these; at most 40 characters
 *     OPEN    := also "</", entities by number or of an entity, "%253C", "x3c" and "u{3c}" after backslashes
 *     paired  := also { }, {{ }} and other brackets that look like < >; see {@link file://./brackets.ts}
 *     bare    := core CLOSE?   without any bracket; a label that is not of the vocabulary has only capital letters, or
 *                stands after a quotation mark. The quotation mark stays.
 *
 * The possessive is always kept after the value. No form has lost both its separators and its angle brackets: "(ID 7F3A9C2E)"
 * is prose.
 *
 * No form contains "<" after its opening bracket, and no closing bracket has to follow the ">" of a canonical pseudonym. So a match
 * never combines a canonical pseudonym with the text around it: the matches in a text with inserted pseudonyms are these
 * pseudonyms and the matches in the text between them.
 */
export interface Grammar {
  /**
   * Finds all forms in a text, from left to right, without overlaps, in linear time.
   * @param from the place where the search begins; the character before it counts as context. Default: 0
   * @throws TooManyValuesError
   */
  find(text: string, from?: number): PseudonymMatch[];
  /**
   * Finds the places at the end of a text where a form may be incomplete, in order. A longer text can give other matches
   * from the first of these places on, but not before it. Reads only a bounded number of characters at the end.
   * @param matches the result of {@link find} for the text, from the same place
   */
  unfinished(text: string, matches: readonly PseudonymMatch[], from?: number): Unfinished[];
  /**
   * The place up to which a text is settled: a longer text has the same matches before it, and a search in the longer
   * text can begin there. It is at most {@link MAX_FORM} code units before the end of the text, and inside no match.
   * @param matches the result of {@link find} for the text, from the same place
   */
  settled(text: string, matches: readonly PseudonymMatch[], from?: number): number;
}

export interface Unfinished {
  readonly from: number;
  /** The place counts only if this pseudonym is known. An unknown pseudonym is never changed. */
  readonly onlyIfKnown?: Pseudonym;
}

export interface PseudonymMatch {
  readonly start: number;
  readonly end: number;
  /** In canonical form. Its label is empty if the text has one that is not of the vocabulary. */
  readonly pseudonym: Pseudonym;
  /** The parts of the match that stay before and after the value. */
  readonly before: string;
  readonly after: string;
  readonly form: Form;
  /** A form that a client's own text may have by chance. An unknown one is neither a guess nor counted. */
  readonly isRare?: true;
}

/** Whether a text can contain a form. Cheap, for texts that rarely have one. */
export function mayHavePseudonyms(text: string): boolean {
  return codeFrom(text, 0) !== NOWHERE;
}

/** What every form has: a separator, and a code after it. */
const CODE =
  /[-_:\s\u00ad\u2010-\u2013\u200b-\u200d\u2060\ufeff](?=[0-9]*[a-z])(?=[a-z]*[0-9])[0-9a-hj-km-np-tv-z]{8}/gi;

/** The place of the first separator, from a place on, that stands before a code. Most texts have none. */
function codeFrom(text: string, from: number): number {
  CODE.lastIndex = from;
  return CODE.test(text) ? CODE.lastIndex - MIN_CODE - 1 : NOWHERE;
}

/** What is read before a form: a quotation mark, and the character before it. */
export const LOOK_BACK = 3;

/** Upper bound of the length of a form. By the bounds above and those of labels, a form has at most 162 code units. */
export const MAX_FORM = 256;

export interface GrammarOptions {
  /** Whether only common forms count. Default: false */
  readonly commonOnly?: boolean;
}

export function createGrammar(labels: readonly Label[], { commonOnly = false }: GrammarOptions = {}): Grammar {
  return new FormGrammar(labels, commonOnly);
}

class FormGrammar implements Grammar {
  private readonly cores: CoreReader;
  private readonly commonOnly: boolean;

  constructor(labels: readonly Label[], commonOnly: boolean) {
    this.cores = new CoreReader(labels);
    this.commonOnly = commonOnly;
  }

  find(text: string, from = 0): PseudonymMatch[] {
    const matches: PseudonymMatch[] = [];
    const source = new Source(text);
    let code = codeFrom(text, from);
    for (let at = from; code !== NOWHERE;) {
      // A form begins before its code, and has a bounded length.
      const start = formStart(text, Math.max(at, code - MAX_FORM), false);
      const match = start <= code ? this.formAt(source, start) : undefined;
      if (match) {
        matches.push(match);
        TooManyValuesError.check(matches.length);
      }
      at = match?.end ?? (start <= code ? start + 1 : start);
      if (at > code) code = codeFrom(text, at);
    }
    return matches;
  }

  unfinished(text: string, matches: readonly PseudonymMatch[], from = 0): Unfinished[] {
    const places: Unfinished[] = [];
    const source = new Source(text);
    const last = matches.at(-1);
    if (last && this.isUndecided(source, last.start)) {
      // A code can continue, and become another code or a part of a label.
      if (last.end === text.length && last.after === '') return [{ from: last.start }];
      const place = mayLoseOpening(last, text) ? last.start : last.end;
      if (place < text.length) places.push({ from: place, onlyIfKnown: last.pseudonym });
    }
    for (let at = formStart(text, Math.max(last?.end ?? from, text.length - MAX_FORM), true); at < text.length;) {
      const isUndecided = this.isUndecided(source, at);
      const core = isUndecided && isWordStart(source, at) ? this.cores.read(source, at, false) : undefined;
      if (core && core.codeEnd < text.length) {
        places.push({ from: at, onlyIfKnown: pseudonymAt(text, core) });
        at = formStart(text, core.end, true);
      } else if (isUndecided) return [...places, { from: at }];
      else at = formStart(text, at + 1, true);
    }
    return places;
  }

  settled(text: string, matches: readonly PseudonymMatch[], from = 0): number {
    const last = matches.at(-1);
    if (last && this.isUndecided(new Source(text), last.start)) return last.start;
    return this.unfinished(text, matches, from)[0]?.from ?? text.length;
  }

  /** Whether a longer text can have another form at a place, or one in place of none. */
  private isUndecided(source: Source, start: number): boolean {
    if (start < source.text.length - MAX_FORM) return false;
    source.begin();
    this.formAt(source, start);
    return source.isUndecided;
  }

  private formAt(source: Source, start: number): PseudonymMatch | undefined {
    const opening = openingAt(source, start);
    return opening ? this.bracketedAt(source, start, opening) : this.bareAt(source, start);
  }

  private bracketedAt(source: Source, start: number, opening: Opening): PseudonymMatch | undefined {
    const { text } = source;
    const { isAngle } = opening;
    const isEnding = isAngle && source.unit(opening.end) === SLASH;
    const coreStart = source.spaceEnd(isEnding ? opening.end + 1 : opening.end);
    const mayBeCommon = opening.isCommon && !isEnding;
    if (this.commonOnly && !mayBeCommon) return undefined;
    const common = this.cores.read(source, coreStart, opening.allowsSpace, !mayBeCommon);
    const isCommon = common !== undefined && mayBeCommon;
    const core = common ?? this.anyCoreAt(source, coreStart, opening.allowsSpace ? 'angled' : 'bracketed');
    if (!core) return undefined;
    const space = source.spaceEnd(core.end);
    const closed = opening.close(source, space);
    const isPaired = closed !== NOWHERE;
    const end = isPaired || isAngle ? closed : closeEnd(source, space);
    const match = {
      start,
      end: end === NOWHERE ? core.end : end,
      pseudonym: pseudonymAt(text, core),
      before: isPaired || isAngle ? '' : text.slice(start, opening.allowsSpace ? opening.keptEnd : coreStart),
      after: text.slice(core.codeEnd, core.end),
      form: isPaired || isAngle ? opening.form : 'other',
      ...(!isCommon && { isRare: true as const }),
    };
    const isLink = isPaired && opening.form === 'square' && source.unit(closed) === OPEN_ROUND;
    return isLink ? { ...match, before: '[', after: `${match.after}]`, form: 'other' } : match;
  }

  private bareAt(source: Source, start: number): PseudonymMatch | undefined {
    const common = isWordStart(source, start) ? this.cores.read(source, start, false) : undefined;
    const core = common ?? this.anyCoreAt(source, start, standingAt(source, start));
    if (!core) return undefined;
    const isBracket = isCloseBracket(source.unit(core.end));
    const close = isBracket ? core.end + 1 : closeEnd(source, core.end);
    const isCommon = common !== undefined && close !== NOWHERE;
    if (!isCommon && (this.commonOnly || !isExact(source, core))) return undefined;
    const end = close === NOWHERE ? core.end : close;
    const after = source.text.slice(core.codeEnd, isBracket ? end : core.end);
    const match = { start, end, pseudonym: pseudonymAt(source.text, core), before: '', after, form: 'other' } as const;
    return isCommon ? match : { ...match, isRare: true };
  }

  private anyCoreAt(source: Source, start: number, standing: Standing | undefined): Core | undefined {
    return standing && !this.commonOnly ? anyCoreAt(source, start, standing) : undefined;
  }
}

const [SLASH, OPEN_ROUND, CLOSE_ROUND, CLOSE_SQUARE] = [0x2f, 0x28, 0x29, 0x5d];

/** Whether more text can decide that the opening bracket of the last match goes, or that it stays. */
function mayLoseOpening({ before, form, end }: PseudonymMatch, text: string): boolean {
  if (form === 'square') return true;
  const rest = text.slice(end).trimStart();
  if (before.startsWith('{{')) return rest === '' || rest === '}';
  if (before.startsWith('\\')) return /^\\*$/.test(rest);
  return before !== '' && rest === '';
}

function isCloseBracket(unit: number): boolean {
  return unit === CLOSE_ROUND || unit === CLOSE_SQUARE;
}

function pseudonymAt(text: string, { label, codeStart, codeEnd }: Core): Pseudonym {
  const code = text.slice(codeStart, codeEnd).toUpperCase();
  return pseudonymOf(label, code);
}
