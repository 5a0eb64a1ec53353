/**
 * JSON inside text: pasted data, tool results, tool-call arguments, structured answers, and JSON inside the strings of
 * JSON. A value that stands inside a JSON string is written with JSON's escapes there, and has to be read and written
 * so, once for every string that it is nested in (its depth).
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
 * Reads text one UTF-16 code unit at a time and tells where it is in JSON. Text around JSON is prose; where what looked
 * like JSON turns out not to be, it is prose again from there. What it says of a place depends on nothing behind that
 * place, so it says the same of a text that is still growing.
 */
export class JsonReader {
  state: State = State.prose;
  /** How many JSON objects and arrays have begun, and how many of them have been closed, outermost ones only. */
  opened = 0;
  closed = 0;
  /** The code unit of string content that the last unit completed, or -1. */
  content = -1;
  private readonly inObject: boolean[] = [];
  private isKey = false;
  private literal = '';
  private hexDigits = '';

  get inString(): boolean {
    return this.state >= State.string && this.state <= State.hex;
  }

  feed(unit: number): void {
    this.content = -1;
    if (this.state === State.prose) {
      if (unit === 0x7b || unit === 0x5b) this.open(unit);
    } else if (this.state === State.string) {
      if (unit === 0x22) this.state = this.isKey ? State.colon : State.afterValue;
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
    // A pseudonym that stands for a number, as it goes to the model outside of tool calls.
    else if (char === '<') this.state = State.barePseudonym;
    else this.fail(unit);
  }

  private startString(isKey: boolean): void {
    this.isKey = isKey;
    this.state = State.string;
  }

  private completeEscape(unit: number): void {
    this.content = unit;
    this.state = State.string;
  }

  private open(unit: number): void {
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
