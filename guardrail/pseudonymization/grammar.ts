import { TooManyValuesError } from '../detection/detection.ts';
import type { Pseudonym } from '../ids.ts';
import type { Label } from './labels.ts';
import { CODE_LETTER, CODE_UNIT, MAX_CODE, MIN_CODE } from './pseudonyms.ts';

/**
 * The written grammar of what restoring accepts as a pseudonym. Models change case, spacing, separators and brackets of
 * what they repeat; prose must not be taken for it. All forms, case never matters:
 *
 *     core    := label SEP code possessive?, the words of the label joined by SEP as well
 *     label   := an entity type of the vocabulary
 *     code    := 8 to 16 base-32 characters (no I, L, O, U), at least one a digit and one a letter,
 *                followed by none of A-Z 0-9 _
 *     SEP     := "_" after up to 4 backslashes, or a hyphen; behind OPEN also with ws around it, or 1 to 2 white space
 *     ws      := 0 to 2 white space
 *     possessive := ' or ’, each with an s behind it or not
 *     OPEN    := "<" "&lt;" "%3C" or "u003c" after 1 to 4 backslashes
 *     CLOSE   := ">" "&gt;" "%3E" or "u003e" after 1 to 4 backslashes
 *
 *     angled  := OPEN ws core (ws CLOSE)?              brackets go
 *     paired  := "(" ws core ws ")", or with [ and ]   brackets go
 *     half    := ("(" or "[") ws core (ws CLOSE)?      the bracket is the sentence's own and stays, CLOSE goes
 *     opened  := core (CLOSE, or ")" or "]")           not behind A-Z 0-9 _ \; the bracket stays, CLOSE goes
 *
 * The possessive always stays, behind the value. There is no form without a bracket or an escape of one, and none that
 * has both its separators and its angle brackets lost: "(ID 7F3A9C2E)" is prose.
 *
 * Since OPEN's "<" stands nowhere inside a form, text before or between canonical pseudonyms can never grow together with
 * them: what is found in a text with pseudonyms inserted is these, and what is found in the stretches between them.
 */
export interface Grammar {
  /** All forms in a text, left to right, never overlapping. Time is linear in the text. @throws TooManyValuesError */
  find(text: string): PseudonymMatch[];
  /**
   * Where, at the end of a text, a form may be in the middle of being written: a longer text can read differently from
   * the first of these places on, and from no earlier one. In order. Looks at a bounded stretch at the end.
   * @param matches what {@link find} has found in the text
   */
  unfinished(text: string, matches: readonly PseudonymMatch[]): Unfinished[];
}

export interface Unfinished {
  readonly from: number;
  /** Counts only where this pseudonym stands for a value: an unknown one stays as it is, whatever comes. */
  readonly onlyIfKnown?: Pseudonym;
}

export interface PseudonymMatch {
  readonly start: number;
  readonly end: number;
  /** In canonical form. */
  readonly pseudonym: Pseudonym;
  /** What of the match stays before and behind the value. */
  readonly before: string;
  readonly after: string;
  /** What its form says besides: `escaped` has its bracket as a JSON escape, `\u003c`; `square` stands in [ and ]. */
  readonly form: 'escaped' | 'square' | 'other';
  /** It has an opening bracket of this kind and no closing one, as far as the text goes. */
  readonly open?: 'angled' | 'half';
}

const WS = '\\s{0,2}';
const HYPHEN = '[-\\u2010\\u2011\\u2013]';
/** A separator, and what one can begin with. */
interface Separator {
  readonly whole: string;
  readonly part: string;
}
const TIGHT: Separator = { whole: `(?:\\\\{0,4}_|${HYPHEN})`, part: '\\\\{0,4}' };
const LOOSE: Separator = {
  whole: `(?:${WS}${TIGHT.whole}${WS}|\\s{1,2})`,
  part: `${WS}${TIGHT.part}`,
};
const OPEN = '(?:<|&lt;|%3c|(?<!\\\\)\\\\{1,4}u003c)';
const CLOSE = '(?:>|&gt;|%3e|\\\\{1,4}u003e)';
const POSSESSIVE = "(?:['\\u2019](?:s(?![0-9a-z_]))?)?";
const CODE_CHECK = `(?=${CODE_UNIT}{0,${MAX_CODE - 1}}[0-9])(?=${CODE_UNIT}{0,${MAX_CODE - 1}}${CODE_LETTER})`;
const CODE = `${CODE_CHECK}${CODE_UNIT}{${MIN_CODE},${MAX_CODE}}(?![0-9a-z_])`;
/** `opened` may not begin inside a word or inside an escape such as `\n`. */
const WORD_START = '(?<![0-9a-z_\\\\])';

const ESCAPE_PART = '\\\\{1,4}(?:u(?:0(?:0(?:3)?)?)?)?';
const OPEN_PART = `(?:&(?:l(?:t)?)?|%3?|(?<!\\\\)${ESCAPE_PART})`;
const CLOSE_PART = `(?:&(?:g(?:t)?)?|%3?|${ESCAPE_PART})`;
const CODE_PART = `(?:${CODE_UNIT}{0,${MAX_CODE - 1}}|${CODE_CHECK}${CODE_UNIT}{${MAX_CODE}})`;
const CLOSING = new RegExp(`^${WS}${CLOSE_PART}?$`, 'i');

/** No form is longer, by the bounds above and those of labels: 162 code units at most. */
const MAX_FORM = 256;

export function createGrammar(labels: readonly Label[]): Grammar {
  return new PatternGrammar(trieOf(labels));
}

/** The grammar as two patterns: whole forms, and the beginnings of forms at the end of a text. */
class PatternGrammar implements Grammar {
  private readonly forms: RegExp;
  private readonly beginnings: RegExp;

  constructor(trie: Trie) {
    this.forms = formsPattern(trie);
    this.beginnings = beginningsPattern(trie);
  }

  find(text: string): PseudonymMatch[] {
    const { forms } = this;
    const matches: PseudonymMatch[] = [];
    // Not matchAll, which compiles a new pattern for each text: that costs more than the search.
    forms.lastIndex = 0;
    for (let found = forms.exec(text); found; found = forms.exec(text)) {
      matches.push(readForm(found));
      TooManyValuesError.check(matches.length);
    }
    return matches;
  }

  unfinished(text: string, matches: readonly PseudonymMatch[]): Unfinished[] {
    const { beginnings } = this;
    const places: Unfinished[] = [];
    const last = matches.at(-1);
    if (last?.open) {
      if (last.end === text.length && last.after === '') return [beingWritten(last.start, last.pseudonym)];
      const rest = text.slice(last.end, last.end + MAX_FORM);
      // Only a closing bracket of the same kind consumes the opening one; of CLOSE, only CLOSE itself goes.
      const from = last.open === 'half' && rest.trim() === '' ? last.start : last.end;
      if (from < text.length && CLOSING.test(rest)) places.push({ from, onlyIfKnown: last.pseudonym });
    }
    beginnings.lastIndex = Math.max(last?.end ?? 0, text.length - MAX_FORM);
    for (let found = beginnings.exec(text); found; found = beginnings.exec(text)) {
      const [whole, foundLabel, code, possessive = ''] = found;
      if (foundLabel === undefined || code === undefined) return [...places, { from: found.index }];
      const pseudonym = canonical(foundLabel, code);
      if (whole.endsWith(code)) return [...places, beingWritten(found.index, pseudonym)];
      places.push({ from: found.index, onlyIfKnown: pseudonym });
      beginnings.lastIndex = found.index + whole.lastIndexOf(code) + code.length + possessive.length;
    }
    return places;
  }
}

function formsPattern(trie: Trie): RegExp {
  return new RegExp(
    [
      `${OPEN}${WS}${corePattern(trie, LOOSE)}(${WS}${CLOSE})?`,
      `([[(])(${WS})${corePattern(trie, TIGHT)}(${WS}(?:${CLOSE}|[\\])]))?`,
      `${WORD_START}${corePattern(trie, TIGHT)}(${CLOSE}|[\\])])`,
    ].join('|'),
    'gi',
  );
}

function beginningsPattern(trie: Trie): RegExp {
  const beginning = (sep: Separator): string => `(?:${partialPatterns(trie, sep).join('|')})`;
  return new RegExp(
    [
      `${OPEN_PART}$`,
      `${OPEN}${WS}${beginning(LOOSE)}?$`,
      `[[(]${WS}${beginning(TIGHT)}?$`,
      `${WORD_START}${corePattern(trie, TIGHT)}${CLOSE_PART}?$`,
      `${WORD_START}${beginning(TIGHT)}$`,
    ].join('|'),
    'gi',
  );
}

function corePattern(trie: Trie, sep: Separator): string {
  return `(${labelPattern(trie, sep)})${sep.whole}(${CODE})(${POSSESSIVE})`;
}

/** The code is the last that is there: more of it may come, and be another's, unless it is as long as a code can be. */
function beingWritten(from: number, pseudonym: Pseudonym): Unfinished {
  const length = pseudonym.length - pseudonym.lastIndexOf('_') - 2;
  return length < MAX_CODE ? { from } : { from, onlyIfKnown: pseudonym };
}

type Form = [text: string, ...groups: (string | undefined)[]];

function readForm(match: RegExpExecArray): PseudonymMatch {
  const [text, ...groups] = match as unknown as Form;
  const [angledLabel, angledCode, angledPossessive = '', angledClose] = groups;
  const [bracket = '', space = '', halfLabel, halfCode, halfPossessive = '', halfClose] = groups.slice(4);
  const [openedLabel, openedCode, openedPossessive = '', openedClose = ''] = groups.slice(10);
  const start = match.index;
  const end = start + text.length;
  if (angledLabel !== undefined) {
    return {
      start,
      end,
      pseudonym: canonical(angledLabel, angledCode),
      before: '',
      after: angledPossessive,
      form: text.startsWith('\\') ? 'escaped' : 'other',
      ...(angledClose === undefined && { open: 'angled' }),
    };
  }
  if (halfLabel !== undefined) {
    const paired = halfClose?.endsWith(bracket === '(' ? ')' : ']');
    const stray = !paired && halfClose !== undefined && isBracket(halfClose);
    return {
      start,
      end,
      pseudonym: canonical(halfLabel, halfCode),
      before: paired ? '' : bracket + space,
      after: halfPossessive + (stray ? halfClose : ''),
      form: paired && bracket === '[' ? 'square' : 'other',
      ...(halfClose === undefined && { open: 'half' }),
    };
  }
  return {
    start,
    end,
    pseudonym: canonical(openedLabel, openedCode),
    before: '',
    after: openedPossessive + (isBracket(openedClose) ? openedClose : ''),
    form: 'other',
  };
}

function isBracket(close: string): boolean {
  return close.endsWith(')') || close.endsWith(']');
}

function canonical(label = '', code = ''): Pseudonym {
  const words = label.toUpperCase().split(/[^A-Z0-9]+/);
  return `<${words.join('_')}_${code.toUpperCase()}>` as Pseudonym;
}

/** Labels by their common beginnings: the patterns stay small and quick however many labels there are. */
interface Trie {
  readonly next: Map<string, Trie>;
  isLabel: boolean;
}

function trieOf(labels: readonly Label[]): Trie {
  const root: Trie = { next: new Map(), isLabel: false };
  for (const label of labels) {
    let node = root;
    for (const unit of label) {
      const next = node.next.get(unit) ?? { next: new Map<string, Trie>(), isLabel: false };
      node.next.set(unit, next);
      node = next;
    }
    node.isLabel = true;
  }
  return root;
}

/** A pattern of the rest of a label. The longer one goes first: no label is read as a shorter one with the rest for its code. */
function labelPattern(node: Trie, sep: Separator): string {
  const ways = Array.from(node.next, ([unit, next]) => (unit === '_' ? sep.whole : unit) + labelPattern(next, sep));
  return ways.length === 0 ? '' : `(?:${ways.join('|')})${node.isLabel ? '?' : ''}`;
}

/** Patterns of what the rest of a label, with its code behind it, can begin with. */
function partialPatterns(node: Trie, sep: Separator): string[] {
  const ways = Array.from(node.next, ([unit, next]) => {
    const rest = `(?:${partialPatterns(next, sep).join('|')})?`;
    return unit === '_' ? `${sep.whole}${rest}|${sep.part}` : `${unit}${rest}`;
  });
  return node.isLabel ? [...ways, `${sep.whole}${CODE_PART}`, sep.part] : ways;
}
