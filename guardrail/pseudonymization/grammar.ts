import { TooManyValuesError } from '../detection/detection.ts';
import type { Pseudonym } from '../ids.ts';
import {
  closeEnd,
  CoreReader,
  isCloseBracket,
  isClosePart,
  isOpenBracket,
  isOpenPart,
  isWordStart,
  NOWHERE,
  openEnd,
  spaceEnd,
  type Core,
} from './forms.ts';
import { formStart } from './formStart.ts';
import type { Label } from './labels.ts';
import { MAX_CODE } from './pseudonyms.ts';

/**
 * The grammar of pseudonyms in responses. Models change the case, spacing, separators and brackets of a pseudonym that
 * they repeat. The grammar accepts these changes, but must not accept prose. All forms, case-insensitive:
 *
 *     core    := label SEP code possessive?; SEP also joins the words of the label
 *     label   := an entity type of the vocabulary
 *     code    := 8 to 16 base-32 characters (no I, L, O, U), at least one digit and one letter,
 *                not followed by A-Z 0-9 _
 *     SEP     := "_" after up to 4 backslashes, or a hyphen; after OPEN also with ws around it, or 1 to 2 white space
 *     ws      := 0 to 2 white space
 *     possessive := ' or ’, with or without an s
 *     OPEN    := "<" "&lt;" "%3C" or "u003c" after 1 to 4 backslashes
 *     CLOSE   := ">" "&gt;" "%3E" or "u003e" after 1 to 4 backslashes
 *
 *     angled  := OPEN ws core (ws CLOSE)?              removes both brackets
 *     paired  := "(" ws core ws ")", or with [ and ]   removes both brackets
 *     half    := ("(" or "[") ws core (ws CLOSE)?      keeps the bracket, which belongs to the sentence; removes CLOSE
 *     opened  := core (CLOSE, or ")" or "]")           not after A-Z 0-9 _ \; keeps the bracket, removes CLOSE
 *
 * The possessive is always kept after the value. Each form has a bracket or an escaped bracket. No form has lost both its
 * separators and its angle brackets: "(ID 7F3A9C2E)" is prose.
 *
 * No form contains "<" after its beginning. So a match never combines a canonical pseudonym with the text around it: the
 * matches in a text with inserted pseudonyms are these pseudonyms and the matches in the text between them.
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
  /** In canonical form. */
  readonly pseudonym: Pseudonym;
  /** The parts of the match that stay before and after the value. */
  readonly before: string;
  readonly after: string;
  /** The spelling of the bracket: `escaped` is a JSON escape, `\u003c`; `square` is [ and ]. */
  readonly form: 'escaped' | 'square' | 'other';
  /** The kind of an opening bracket that has no closing one yet. */
  readonly open?: 'angled' | 'half';
}

/** Whether a text can contain a form: each has a bracket or an escaped one. Cheap, for texts that rarely have one. */
export function mayHavePseudonyms(text: string): boolean {
  return /[<>&%\\()[\]]/.test(text);
}

const BRACKET = /[<>&%\\()[\]]/g;

/** Upper bound of the length of a form. By the bounds above and those of labels, a form has at most 162 code units. */
export const MAX_FORM = 256;

export function createGrammar(labels: readonly Label[]): Grammar {
  return new FormGrammar(labels);
}

class FormGrammar implements Grammar {
  private readonly cores: CoreReader;

  constructor(labels: readonly Label[]) {
    this.cores = new CoreReader(labels);
  }

  find(text: string, from = 0): PseudonymMatch[] {
    const matches: PseudonymMatch[] = [];
    BRACKET.lastIndex = from;
    if (!BRACKET.test(text)) return matches;
    for (let start = formStart(text, from, false); start < text.length;) {
      const match = this.formAt(text, start);
      if (match) {
        matches.push(match);
        TooManyValuesError.check(matches.length);
      }
      start = formStart(text, match?.end ?? start + 1, false);
    }
    return matches;
  }

  unfinished(text: string, matches: readonly PseudonymMatch[], from = 0): Unfinished[] {
    const places: Unfinished[] = [];
    const last = matches.at(-1);
    if (last?.open) {
      if (last.end === text.length && last.after === '') return [beingWritten(last.start, last.pseudonym)];
      // Only a closing bracket of the same kind removes the opening one. CLOSE removes only itself.
      const place = last.open === 'half' && spaceEnd(text, last.end) === text.length ? last.start : last.end;
      if (place < text.length && isClosing(text, last.end)) places.push({ from: place, onlyIfKnown: last.pseudonym });
    }
    for (let at = formStart(text, Math.max(last?.end ?? from, text.length - MAX_FORM), true); at < text.length;) {
      const core = isWordStart(text, at) ? this.cores.read(text, at, false) : undefined;
      if (core && isClosePart(text, core.end)) {
        const pseudonym = pseudonymOf(text, core);
        if (core.codeEnd === text.length) return [...places, beingWritten(at, pseudonym)];
        places.push({ from: at, onlyIfKnown: pseudonym });
        at = formStart(text, core.end, true);
      } else if (this.isFormPart(text, at)) return [...places, { from: at }];
      else at = formStart(text, at + 1, true);
    }
    return places;
  }

  settled(text: string, matches: readonly PseudonymMatch[], from = 0): number {
    const last = matches.at(-1);
    if (last?.open && isClosing(text, last.end)) return last.start;
    return this.unfinished(text, matches, from)[0]?.from ?? text.length;
  }

  private formAt(text: string, start: number): PseudonymMatch | undefined {
    const end = openEnd(text, start);
    if (end !== NOWHERE) return this.angledAt(text, start, end);
    return isOpenBracket(text, start) ? this.halfAt(text, start) : this.openedAt(text, start);
  }

  private angledAt(text: string, start: number, openedEnd: number): PseudonymMatch | undefined {
    const core = this.cores.read(text, spaceEnd(text, openedEnd), true);
    if (!core) return undefined;
    const close = closeEnd(text, spaceEnd(text, core.end));
    const match: PseudonymMatch = {
      start,
      end: close === NOWHERE ? core.end : close,
      pseudonym: pseudonymOf(text, core),
      before: '',
      after: text.slice(core.codeEnd, core.end),
      form: text.startsWith('\\', start) ? 'escaped' : 'other',
    };
    return close === NOWHERE ? { ...match, open: 'angled' } : match;
  }

  /** The forms `paired` and `half`. */
  private halfAt(text: string, start: number): PseudonymMatch | undefined {
    const coreStart = spaceEnd(text, start + 1);
    const core = this.cores.read(text, coreStart, false);
    if (!core) return undefined;
    const space = spaceEnd(text, core.end);
    const isBracket = isCloseBracket(text, space);
    const close = isBracket ? space + 1 : closeEnd(text, space);
    const isSquare = text.startsWith('[', start);
    const isPaired = text.startsWith(isSquare ? ']' : ')', space);
    const keptEnd = isBracket && !isPaired ? close : core.end;
    return {
      start,
      end: close === NOWHERE ? core.end : close,
      pseudonym: pseudonymOf(text, core),
      before: isPaired ? '' : text.slice(start, coreStart),
      after: text.slice(core.codeEnd, keptEnd),
      form: isPaired && isSquare ? 'square' : 'other',
      ...(close === NOWHERE && { open: 'half' }),
    };
  }

  private openedAt(text: string, start: number): PseudonymMatch | undefined {
    const core = isWordStart(text, start) ? this.cores.read(text, start, false) : undefined;
    if (!core) return undefined;
    const isBracket = isCloseBracket(text, core.end);
    const end = isBracket ? core.end + 1 : closeEnd(text, core.end);
    if (end === NOWHERE) return undefined;
    const after = text.slice(core.codeEnd, isBracket ? end : core.end);
    return { start, end, pseudonym: pseudonymOf(text, core), before: '', after, form: 'other' };
  }

  /** Whether the text ends in the middle of a form. */
  private isFormPart(text: string, at: number): boolean {
    const end = openEnd(text, at);
    if (end !== NOWHERE) return this.isCorePart(text, end, true);
    if (isOpenBracket(text, at)) return this.isCorePart(text, at + 1, false);
    return isOpenPart(text, at) || (isWordStart(text, at) && this.cores.isPart(text, at, false));
  }

  /** Whether the text ends after a bracket and ws, or in the middle of the core after them. */
  private isCorePart(text: string, at: number, isLoose: boolean): boolean {
    const start = spaceEnd(text, at);
    return start === text.length || this.cores.isPart(text, start, isLoose);
  }
}

/** Whether the text ends before a closing bracket, or in the middle of it. */
function isClosing(text: string, at: number): boolean {
  return isClosePart(text, spaceEnd(text, at));
}

/** A pseudonym at the end of the text. A code below the maximum length can continue and become another code. */
function beingWritten(from: number, pseudonym: Pseudonym): Unfinished {
  const length = pseudonym.length - pseudonym.lastIndexOf('_') - 2;
  return length < MAX_CODE ? { from } : { from, onlyIfKnown: pseudonym };
}

function pseudonymOf(text: string, { label, codeStart, codeEnd }: Core): Pseudonym {
  return `<${label}_${text.slice(codeStart, codeEnd).toUpperCase()}>` as Pseudonym;
}
