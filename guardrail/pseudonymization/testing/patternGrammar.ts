/** The grammar of pseudonyms as two patterns: the specification that the reader of forms is compared with. */
import { TooManyValuesError } from '../../detection/detection.ts';
import type { Pseudonym } from '../../ids.ts';
import { MAX_FORM, type Grammar, type PseudonymMatch, type Unfinished } from '../grammar.ts';
import type { Label } from '../labels.ts';
import { CODE_LETTER, CODE_UNIT, MAX_CODE, MIN_CODE } from '../pseudonyms.ts';

const WS = '\\s{0,2}';
const HYPHEN = '[-\\u2010\\u2011\\u2013]';
/** Patterns of a separator and of its beginning. */
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
/** The form `opened` cannot begin inside a word or an escape such as `\n`. */
const WORD_START = '(?<![0-9a-z_\\\\])';

const ESCAPE_PART = '\\\\{1,4}(?:u(?:0(?:0(?:3)?)?)?)?';
const OPEN_PART = `(?:&(?:l(?:t)?)?|%3?|(?<!\\\\)${ESCAPE_PART})`;
const CLOSE_PART = `(?:&(?:g(?:t)?)?|%3?|${ESCAPE_PART})`;
const CODE_PART = `(?:${CODE_UNIT}{0,${MAX_CODE - 1}}|${CODE_CHECK}${CODE_UNIT}{${MAX_CODE}})`;
const CLOSING = new RegExp(`^${WS}${CLOSE_PART}?$`, 'i');

export function createPatternGrammar(labels: readonly Label[]): Grammar {
  return new PatternGrammar(trieOf(labels));
}

/** Implements the grammar by two patterns: complete forms, and beginnings of forms at the end of a text. */
class PatternGrammar implements Grammar {
  private readonly forms: RegExp;
  private readonly beginnings: RegExp;

  constructor(trie: Trie) {
    this.forms = formsPattern(trie);
    this.beginnings = beginningsPattern(trie);
  }

  find(text: string, from = 0): PseudonymMatch[] {
    const { forms } = this;
    const matches: PseudonymMatch[] = [];
    // matchAll compiles a new pattern for each text, which costs more than the search.
    forms.lastIndex = from;
    for (let found = forms.exec(text); found; found = forms.exec(text)) {
      matches.push(readForm(found));
      TooManyValuesError.check(matches.length);
    }
    return matches;
  }

  unfinished(text: string, matches: readonly PseudonymMatch[], from = 0): Unfinished[] {
    const { beginnings } = this;
    const places: Unfinished[] = [];
    const last = matches.at(-1);
    if (last?.open) {
      if (last.end === text.length && last.after === '') return [beingWritten(last.start, last.pseudonym)];
      const rest = restAfter(last, text);
      // Only a closing bracket of the same kind removes the opening one. CLOSE removes only itself.
      const place = last.open === 'half' && rest.trim() === '' ? last.start : last.end;
      if (place < text.length && CLOSING.test(rest)) places.push({ from: place, onlyIfKnown: last.pseudonym });
    }
    beginnings.lastIndex = Math.max(last?.end ?? from, text.length - MAX_FORM);
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

  settled(text: string, matches: readonly PseudonymMatch[], from = 0): number {
    const last = matches.at(-1);
    if (last?.open && CLOSING.test(restAfter(last, text))) return last.start;
    return this.unfinished(text, matches, from)[0]?.from ?? text.length;
  }
}

function restAfter({ end }: PseudonymMatch, text: string): string {
  return text.slice(end, end + MAX_FORM);
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

/** A pseudonym at the end of the text. A code below the maximum length can continue and become another code. */
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

/** The labels as a prefix tree, so that the patterns stay small and fast with many labels. */
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

/** The pattern of the rest of a label. Tries longer labels first, so that their end is not read as a code. */
function labelPattern(node: Trie, sep: Separator): string {
  const ways = Array.from(node.next, ([unit, next]) => (unit === '_' ? sep.whole : unit) + labelPattern(next, sep));
  return ways.length === 0 ? '' : `(?:${ways.join('|')})${node.isLabel ? '?' : ''}`;
}

/** The patterns of all beginnings of the rest of a label and its code. */
function partialPatterns(node: Trie, sep: Separator): string[] {
  const ways = Array.from(node.next, ([unit, next]) => {
    const rest = `(?:${partialPatterns(next, sep).join('|')})?`;
    return unit === '_' ? `${sep.whole}${rest}|${sep.part}` : `${unit}${rest}`;
  });
  return node.isLabel ? [...ways, `${sep.whole}${CODE_PART}`, sep.part] : ways;
}
