import { capitalized } from './words.ts';
import type { Fillers } from './fillers.ts';
import type { Random } from './random.ts';
import { justified, wrapped } from './typesetting.ts';

/** One program message. */
interface Entry {
  readonly text: string;
  /** An English message, for formats that also show the original. */
  readonly original: string;
  readonly key: string;
}

type Form = (entries: readonly Entry[]) => string;

/**
 * Writes program messages in the formats of translators, programs and manuals: catalogues, properties, JSON, XML, lists,
 * help texts, typeset pages. These texts contain no names, in any language.
 */
export class Catalogues {
  private readonly random: Random;
  private readonly fillers: Fillers;
  private readonly forms: readonly {
    readonly weight: number;
    readonly write: Form;
  }[];

  constructor(random: Random, fillers: Fillers) {
    this.random = random;
    this.fillers = fillers;
    this.forms = [
      { weight: 6, write: (entries) => this.gettext(entries) },
      { weight: 3, write: (entries) => this.properties(entries) },
      { weight: 3, write: (entries) => this.json(entries) },
      {
        weight: 1,
        write: (entries) => entries.map(({ key, text }) => `${key}: ${text}`).join('\n'),
      },
      { weight: 1, write: (entries) => this.markup(entries) },
      { weight: 2, write: (entries) => this.list(entries) },
      { weight: 3, write: (entries) => this.help(entries) },
      { weight: 5, write: (entries) => this.page(entries) },
    ];
  }

  /** @param messages messages of one language. */
  write(messages: readonly string[]): string {
    const entries = messages.map((message) => ({
      text: this.message(message),
      original: this.original(),
      key: this.key(),
    }));
    return this.random.weighted(this.forms).write(entries);
  }

  /** Returns a message or a few of its words. Some get an abbreviation or a placeholder for user input. */
  private message(message: string): string {
    const { random } = this;
    let words = message.split(' ');
    if (random.chance(0.3)) {
      const from = random.int(0, words.length - 1);
      words = words.slice(from, from + random.int(1, 4));
    }
    if (random.chance(0.12)) {
      const at = random.int(0, words.length - 1);
      const word = (words[at] ?? '').replace(/[^\p{L}]/gu, '');
      const other = random.pick([word.toUpperCase(), this.filled('acronym'), this.filled('tech'), this.letters()]);
      if (word.length > 2) words[at] = (words[at] ?? '').replace(word, other);
    }
    const text = words.join(' ');
    const look = random.next();
    return look < 0.08 ? capitalized(text) : look < 0.14 ? text.charAt(0).toLowerCase() + text.slice(1) : text;
  }

  private letters(): string {
    return this.random.format('?'.repeat(this.random.int(2, 5)));
  }

  private filled(name: string): string {
    return this.fillers.fill(name) ?? '';
  }

  private original(): string {
    const { random } = this;
    const noun = (): string => this.filled('noun');
    return random.pick([
      this.filled('Noun'),
      `${this.filled('Noun')} ${noun()}`,
      `${noun()} ${noun()}: %s`,
      `could not ${this.filled('verb')} ${noun()}`,
      `${this.filled('Verb')} the ${noun()}`,
      `  -${random.format('?').toLowerCase()}, --${noun()}  ${this.filled('verb')} ${noun()} and ${noun()}\\n`,
      `${this.filled('Adj')} ${noun()} '%s'\\n`,
    ]);
  }

  private key(): string {
    const { random } = this;
    return Array.from({ length: random.int(1, 3) }, () =>
      random.chance(0.8) ? this.filled('word8') : this.filled('ident'),
    ).join(random.pick(['.', '.', '_', '-']));
  }

  private gettext(entries: readonly Entry[]): string {
    const { random } = this;
    const quoted = (text: string): string => {
      const escaped = text.replaceAll('"', '\\"');
      if (!random.chance(0.3)) return `"${escaped}"`;
      const lines = wrapped(escaped, random.int(20, 60)).map((line, at, all) =>
        at < all.length - 1 ? `${line} ` : line,
      );
      const end = random.chance(0.4) ? '\\n' : '';
      return ['""', ...lines.map((line, at) => `"${line}${at === lines.length - 1 ? end : ''}"`)].join('\n');
    };
    return entries
      .map(({ original, text }) => {
        const head = random.chance(0.4)
          ? random.pick([
              `#: ${this.filled('file')}:${this.filled('num3')}\n`,
              '#, c-format\n',
              `#. ${this.filled('Noun')} ${this.filled('noun')}\n`,
              `msgctxt "${this.filled('noun')}"\n`,
              '#, fuzzy\n',
            ])
          : '';
        const end = original.endsWith('\\n') && !text.endsWith('\\n') ? '\\n' : '';
        return `${head}msgid ${quoted(original)}\nmsgstr ${quoted(text + end)}`;
      })
      .join('\n\n');
  }

  private properties(entries: readonly Entry[]): string {
    const between = this.random.pick(['=', '=', ' = ', ': ']);
    return entries.map(({ key, text }) => `${key}${between}${text}`).join('\n');
  }

  private json(entries: readonly Entry[]): string {
    const indent = this.random.pick(['  ', '    ', '\t']);
    const lines = entries.map(({ key, text }) => `${indent}"${key}": "${text.replaceAll('"', '\\"')}"`);
    return `{\n${lines.join(',\n')}\n}`;
  }

  private markup(entries: readonly Entry[]): string {
    const { random } = this;
    const wrap = random.pick<(entry: Entry) => string>([
      ({ key, text }) => `<string name="${key}">${text}</string>`,
      ({ original, text }) => `<source>${original}</source>\n<target>${text}</target>`,
      ({ text }) => `<li>${text}</li>`,
      ({ key, text }) => `<button id="${key}">${text}</button>`,
      ({ text, original }) => `<td>${original}</td><td>${text}</td>`,
    ]);
    return entries.map(wrap).join('\n');
  }

  private list(entries: readonly Entry[]): string {
    const { random } = this;
    const mark = random.pick(['- ', '* ', '• ', '', '', '# ', '// ']);
    const written = entries.map(({ text }, at) => (random.chance(0.1) ? `${at + 1}. ${text}` : `${mark}${text}`));
    return written.join(random.pick(['\n', '\n', '\n\n', ' | ', ' ']));
  }

  /** The options of a program, as `--help` prints them. */
  private help(entries: readonly Entry[]): string {
    const { random } = this;
    const width = random.int(16, 30);
    return entries
      .map(({ text, key }) => {
        const value = random.chance(0.4) ? `${random.pick(['=', ' '])}${this.placeholderOf(text)}` : '';
        const option = `  -${random.format('?').toLowerCase()}, --${key.replace(/[._]/g, '-')}${value}`;
        return `${option.padEnd(width)}  ${text}`;
      })
      .join('\n');
  }

  /** The longest word of a message in capitals, as help texts name arguments. */
  private placeholderOf(text: string): string {
    const [word = 'X'] = [...(text.match(/\p{L}+/gu) ?? [])].sort((a, b) => b.length - a.length);
    return word.slice(0, 10).toUpperCase();
  }

  /** A typeset page: indented, sometimes justified and hyphenated. */
  private page(entries: readonly Entry[]): string {
    const { random } = this;
    const width = random.int(50, 80);
    const indent = ' '.repeat(random.pick([4, 7, 7, 8, 14]));
    const isJustified = random.chance(0.6);
    const paragraph = (text: string): string =>
      wrapped(text, width, random.chance(0.5) ? random.pick(['‐', '-']) : undefined)
        .map((line, at, all) => indent + (isJustified && at < all.length - 1 ? justified(line, width) : line))
        .join('\n');
    const blocks = entries.map(({ text }) => paragraph(text));
    const running = paragraph(
      entries.map(({ text }) => `${capitalized(text)}${/[.:!?]$/.test(text) ? '' : '.'}`).join(' '),
    );
    const title = this.filled('word8').toUpperCase();
    const heading = this.placeholderOf(entries[0]?.text ?? '');
    return random.pick([
      running,
      running,
      `${heading}\n${running}`,
      `${title}(${random.int(1, 8)})  ${capitalized(this.filled('noun'))} ${capitalized(this.filled('noun'))}  ${title}(${random.int(1, 8)})\n\n${heading}\n${blocks.join('\n\n')}`,
      blocks.map((block) => `${indent.slice(4)}--${this.filled('package')}\n${block}`).join('\n\n'),
    ]);
  }
}
