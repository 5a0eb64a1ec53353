/** Where a value stands in a text, and how it is written there: in JSON strings, and in code blocks of other languages. */
import { createStepCounter, STEP_UNITS, type Steps } from '../eventLoop.ts';
import { escapeJson, JsonStrings, type SavedStrings } from '../messages/messages.ts';

/** One character: the number of JSON strings that contain the place, or one of {@link WRITERS}. */
export type Context = string;

export const NO_CONTEXT: Context = '0';

/** How a value is written in each context, besides JSON strings. */
const WRITERS: Readonly<Record<Context, (value: string) => string>> = {
  // In single quotes of SQL and YAML.
  s: (value) => value.replaceAll("'", "''"),
  // In double quotes of CSV.
  c: (value) => value.replaceAll('"', '""'),
  // In double and in single quotes of a shell.
  d: (value) => value.replace(/["\\$`]/g, '\\$&'),
  q: (value) => value.replaceAll("'", "'\\''"),
  // In texts and in attributes of HTML and XML.
  h: (value) => value.replace(/[&<>]/g, entityOf),
  a: (value) => inHtml(value),
};

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const entityOf = (char: string): string => ENTITIES[char] ?? char;

/** For texts and attributes of HTML and XML. */
export function inHtml(value: string): string {
  return value.replace(/[&<>"']/g, entityOf);
}

/** The number of JSON strings that contain a place. */
export function depthOf(context: Context): number {
  return WRITERS[context] ? 0 : Number(context);
}

/** Writes a value in a context. @param ascii also escapes every character outside ASCII, in JSON strings */
export function writeIn(context: Context, value: string, ascii = false): string {
  const write = WRITERS[context];
  return write ? write(value) : escapeJson(value, Number(context), ascii);
}

/** Whether a value is written the same way in every context. */
export function isPlain(text: string): boolean {
  return !/["'\\&<>$`\u0000-\u001f\ud800-\udfff]/.test(text);
}

/** A language of code blocks: the context in each kind of quotes, and what begins a comment. */
interface Language {
  readonly quotes: Readonly<Record<string, Context>>;
  readonly comment?: string;
  readonly hasBackslashes?: boolean;
  readonly isMarkup?: boolean;
  /** Whether quotes begin only a field, and end with the line at the latest. */
  readonly isInLines?: boolean;
}

const SHELL: Language = { quotes: { '"': 'd', "'": 'q' }, comment: '#', hasBackslashes: true };
const MARKUP: Language = { quotes: { '"': 'a', "'": 'a' }, isMarkup: true };
const YAML: Language = { quotes: { '"': '1', "'": 's' }, comment: '#', hasBackslashes: true, isInLines: true };
const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ['sql', { quotes: { "'": 's' }, comment: '--' }],
  ['csv', { quotes: { '"': 'c' }, isInLines: true }],
  ...['sh', 'bash', 'shell', 'zsh'].map((name) => [name, SHELL] as const),
  ...['yaml', 'yml'].map((name) => [name, YAML] as const),
  ...['html', 'xml', 'svg', 'xhtml'].map((name) => [name, MARKUP] as const),
]);

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([\w+-]*)/;
/** What begins a text that is a document as a whole. */
const DOCUMENT = /^\s*<(?:!doctype html|html|\?xml|svg)[\s>]$/i;
/** The beginning of a line that can be one of these. */
const MAY_DECIDE = /^\s*(?:$|[`~<])/;
/** More of a line decides nothing. */
const MAX_LINE = 40;

/** Reads code blocks of Markdown, and documents of HTML and XML, one code unit at a time. */
class BlockReader {
  private line = '';
  /** Whether the line can still begin or end a block. */
  private isOpen = true;
  /** Whether nothing but white space was before the line. */
  private isFirst = true;
  private fence = '';
  private language = '';
  private quote = '';
  private isEscaped = false;
  private isComment = false;
  private isTag = false;
  private last = '';

  static of(saved: object): BlockReader {
    return Object.assign(new BlockReader(), saved);
  }

  get context(): Context {
    const language = LANGUAGES.get(this.language);
    if (!language || this.isComment) return NO_CONTEXT;
    if (language.isMarkup && !this.isTag) return 'h';
    return language.quotes[this.quote] ?? NO_CONTEXT;
  }

  feedAll(text: string): void {
    for (let at = 0; at < text.length; at++) {
      // Most lines of most texts can neither begin nor end a block.
      if (!this.isOpen && this.language === '') at = text.indexOf('\n', at);
      if (at < 0) return;
      this.feed(text.charAt(at));
    }
  }

  private feed(char: string): void {
    if (char === '\n') {
      this.endLine();
      return;
    }
    const language = LANGUAGES.get(this.language);
    if (language) this.feedCode(char, language);
    if (!this.isOpen) return;
    this.line += char;
    this.isOpen = this.line.length < MAX_LINE && MAY_DECIDE.test(this.line);
    if (this.isFirst && this.fence === '' && DOCUMENT.test(this.line)) this.beginDocument(char !== '>');
  }

  private beginDocument(isTag: boolean): void {
    [this.fence, this.language, this.isTag] = ['document', 'html', isTag];
  }

  private endLine(): void {
    this.isFirst &&= this.line.trim() === '';
    const [, fence = '', name = ''] = FENCE.exec(this.line) ?? [];
    const isEnd = this.fence !== '' && name === '' && fence.startsWith(this.fence);
    const isBeginning = this.fence === '' && fence !== '';
    if (isEnd) [this.fence, this.language] = ['', ''];
    if (isBeginning) [this.fence, this.language] = [fence, name.toLowerCase()];
    if (isEnd || isBeginning) [this.quote, this.isTag] = ['', false];
    if (LANGUAGES.get(this.language)?.isInLines) this.quote = '';
    [this.line, this.isOpen, this.last, this.isComment, this.isEscaped] = ['', true, '\n', false, false];
  }

  private feedCode(char: string, language: Language): void {
    const before = this.last;
    this.last = char;
    if (this.isComment) return;
    if (this.isEscaped) this.isEscaped = false;
    else if (char === '\\' && language.hasBackslashes && this.quote !== "'") this.isEscaped = true;
    else if (this.quote !== '') this.quote = char === this.quote ? '' : this.quote;
    else if (language.isMarkup) this.feedMarkup(char, before);
    else if (char in language.quotes && (!language.isInLines || before === char || /[\s,;:[{]/.test(before)))
      this.quote = char;
    else this.isComment = isComment(language.comment, before, char);
  }

  private feedMarkup(char: string, before: string): void {
    if (!this.isTag) this.isTag = before === '<' && /[a-z/!?]/i.test(char);
    else if (char === '>') this.isTag = false;
    else if (char === '"' || char === "'") this.quote = char;
  }
}

function isComment(mark: string | undefined, before: string, char: string): boolean {
  if (mark === undefined) return false;
  return mark.length === 1 ? char === mark && /\s/.test(before) : before + char === mark;
}

/** The state of {@link Contexts}. */
export interface SavedContexts {
  readonly strings: SavedStrings;
  readonly blocks: object;
}

/** Reads a text, and knows the context of what follows. That depends only on what was read. */
export class Contexts {
  private readonly strings: JsonStrings;
  private readonly blocks: BlockReader;

  /** @param saved the state from which to continue, as JSON */
  constructor(saved?: SavedContexts) {
    this.strings = new JsonStrings(undefined, saved?.strings);
    this.blocks = saved ? BlockReader.of(saved.blocks) : new BlockReader();
  }

  /** @returns the state, which can be written as JSON */
  save(): SavedContexts {
    return { strings: this.strings.save(), blocks: this.blocks };
  }

  feedAll(text: string): void {
    this.strings.feedAll(text);
    this.blocks.feedAll(text);
  }

  get context(): Context {
    const { depth } = this.strings;
    return depth > 0 ? String(depth) : this.blocks.context;
  }
}

/** The contexts of places of a text, which ascend. */
export function* readingContexts(text: string, places: readonly number[]): Steps<Context[]> {
  const contexts = new Contexts();
  const found: Context[] = [];
  const isStep = createStepCounter();
  let at = 0;
  for (const place of places) {
    for (; at + STEP_UNITS < place; at += STEP_UNITS) {
      contexts.feedAll(text.slice(at, at + STEP_UNITS));
      yield;
    }
    if (isStep(place - at)) yield;
    contexts.feedAll(text.slice(at, place));
    at = place;
    found.push(contexts.context);
  }
  return found;
}
