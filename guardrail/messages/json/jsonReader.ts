import { MAX_NESTING } from '../contract.ts';

/**
 * Reads JSON inside text: pasted data, tool results, tool-call arguments, structured output, and JSON inside JSON strings.
 * A value inside a JSON string has JSON escapes, once for each string that it is nested in (its depth).
 */

export const State = {
  prose: 0,
  objectStart: 1,
  key: 2,
  colon: 3,
  value: 4,
  arrayStart: 5,
  afterValue: 6,
  string: 7,
  escape: 8,
  hex: 9,
  number: 10,
  literal: 11,
  barePseudonym: 12,
} as const;
export type State = (typeof State)[keyof typeof State];

const LITERALS: Partial<Record<string, string>> = { t: 'rue', f: 'alse', n: 'ull' };
export const ESCAPES: Partial<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Reads text one UTF-16 code unit at a time and tracks the position in JSON. Text around JSON is prose. At the first
 * character that is not valid JSON, or at a bracket that is nested too deeply, the text becomes prose again. The state at a
 * place depends only on the text before it, so a stream gives the same states.
 */
export class JsonReader {
  state: State = State.prose;
  /** Number of outermost JSON objects and arrays that were opened, and that were closed. */
  opened = 0;
  closed = 0;
  /** The code unit of string content that the last unit completed, or -1. */
  content = -1;
  private readonly inObject: boolean[] = [];
  private isKey = false;
  private literal = '';
  private hexDigits = '';
  /** Whether the last unit of prose is a quotation mark. */
  private isAfterQuote = false;
  /**
   * JSON in a string that is no JSON itself, such as one in double quotes of a shell, begins with an escaped quotation mark. What
   * the string has before this mark; empty after it was taken.
   */
  private beginning = '';

  /** @param saved the state from which to continue, as JSON */
  static of(saved: object): JsonReader {
    return Object.assign(new JsonReader(), saved);
  }

  get inString(): boolean {
    return this.state >= State.string && this.state <= State.hex;
  }

  /** What the string that begins has before its first escape. */
  takeBeginning(): string {
    const { beginning } = this;
    this.beginning = '';
    return this.inObject.length === 0 ? beginning : '';
  }

  feed(unit: number): void {
    this.content = -1;
    if (this.state === State.prose) {
      if (unit === 0x7b || unit === 0x5b) {
        this.beginning = this.isAfterQuote ? String.fromCharCode(unit) : '';
        this.open(unit);
      }
      this.isAfterQuote = unit === 0x22;
    } else if (this.state === State.string) {
      if (unit === 0x22) this.endString();
      else if (unit === 0x5c) this.state = State.escape;
      else if (unit < 0x20) this.fail(unit);
      else this.content = unit;
    } else this.feedRare(unit);
  }

  private feedRare(unit: number): void {
    const char = String.fromCharCode(unit);
    if (this.state === State.escape || this.state === State.hex) this.feedEscape(unit, char);
    else if (this.state === State.literal) this.feedLiteral(unit, char);
    else if (this.state === State.barePseudonym) {
      if (char === '>') this.state = State.afterValue;
      else if (!/[A-Za-z0-9_]/.test(char)) this.fail(unit);
    } else if (this.state === State.number && /[0-9.eE+-]/.test(char)) return;
    else {
      if (this.state === State.number) this.state = State.afterValue;
      if (!/[ \t\n\r]/.test(char)) this.feedStructure(unit, char);
    }
  }

  private feedEscape(unit: number, char: string): void {
    const escaped = ESCAPES[char];
    if (this.state === State.hex) {
      this.hexDigits += char;
      if (!/[0-9a-fA-F]/.test(char)) this.fail(unit);
      else if (this.hexDigits.length === 4) this.completeEscape(parseInt(this.hexDigits, 16));
    } else if (char === 'u') {
      this.state = State.hex;
      this.hexDigits = '';
    } else if (escaped === undefined) this.fail(unit);
    else this.completeEscape(escaped.charCodeAt(0));
  }

  private feedLiteral(unit: number, char: string): void {
    if (!this.literal.startsWith(char)) this.fail(unit);
    else {
      this.literal = this.literal.slice(1);
      if (this.literal === '') this.state = State.afterValue;
    }
  }

  private feedStructure(unit: number, char: string): void {
    const { state } = this;
    if ((state === State.objectStart || state === State.key) && char === '"') this.startString(true);
    else if (char === '\\' && this.beginning !== '' && this.isStart) this.startQuoted();
    else if (state === State.objectStart && char === '}') this.close();
    else if (state === State.colon && char === ':') this.state = State.value;
    else if (state === State.arrayStart && char === ']') this.close();
    else if (state === State.value || state === State.arrayStart) this.startValue(unit, char);
    else if (state === State.afterValue && char === ',') this.state = this.inObject.at(-1) ? State.key : State.value;
    else if (state === State.afterValue && char === (this.inObject.at(-1) ? '}' : ']')) this.close();
    else this.fail(unit);
  }

  private startValue(unit: number, char: string): void {
    const literal = LITERALS[char];
    if (char === '"') this.startString(false);
    else if (char === '{' || char === '[') this.open(unit);
    else if (/[0-9-]/.test(char)) this.state = State.number;
    else if (literal !== undefined) {
      this.state = State.literal;
      this.literal = literal;
    }
    // A pseudonym that replaced a number, as sent to the model outside of tool calls.
    else if (char === '<') this.state = State.barePseudonym;
    else this.fail(unit);
  }

  private startString(isKey: boolean): void {
    this.isKey = isKey;
    this.state = State.string;
  }

  private endString(): void {
    if (this.inObject.length === 0) this.state = State.prose;
    else this.state = this.isKey ? State.colon : State.afterValue;
  }

  /** Whether nothing follows the bracket of the outermost object or array. */
  private get isStart(): boolean {
    return this.inObject.length === 1 && (this.state === State.objectStart || this.state === State.arrayStart);
  }

  private startQuoted(): void {
    this.inObject.length = 0;
    this.state = State.escape;
  }

  private completeEscape(unit: number): void {
    this.content = unit;
    this.state = State.string;
  }

  private open(unit: number): void {
    if (this.inObject.length === MAX_NESTING) {
      this.fail(unit);
      return;
    }
    if (this.inObject.length === 0) this.opened++;
    this.inObject.push(unit === 0x7b);
    this.state = unit === 0x7b ? State.objectStart : State.arrayStart;
  }

  private close(): void {
    this.inObject.pop();
    this.state = State.afterValue;
    if (this.inObject.length > 0) return;
    this.closed++;
    this.state = State.prose;
  }

  private fail(unit: number): void {
    this.inObject.length = 0;
    this.state = State.prose;
    this.feed(unit);
  }
}
