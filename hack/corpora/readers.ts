/** Takes texts out of the files that packages keep them in. Pure: what it is given is what a file holds. */
import { parse } from 'yaml';

/** All strings within a value of JSON or YAML, in order. */
export function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsOf);
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(stringsOf) : [];
}

/** The translations of a compiled message catalogue, plural forms apart, without its head. Source: gettext's manual. */
export function translationsOf(catalogue: Buffer): string[] {
  const isLittle = catalogue.readUInt32LE(0) === 0x950412de;
  const at = (offset: number): number => (isLittle ? catalogue.readUInt32LE(offset) : catalogue.readUInt32BE(offset));
  const textAt = (table: number): string => catalogue.toString('utf8', at(table + 4), at(table + 4) + at(table));
  const [count, originals, translations] = [at(8), at(12), at(16)];
  return Array.from({ length: count }, (_, index) =>
    textAt(originals + 8 * index) === '' ? [] : textAt(translations + 8 * index).split('\0'),
  ).flat();
}

/** What a conversation file says: its texts, and the lines that these stand on. */
export function conversationsOf(yaml: string): string[] {
  const { conversations } = parse(yaml, { uniqueKeys: false }) as { conversations?: unknown };
  const lines = yaml.split('\n').map((line) => line.trim().replace(/^(?:- ?)+/, ''));
  return [...stringsOf(conversations ?? []), ...lines, ...lines.map((line) => line.replace(/^['" ]+|['" ]+$/g, ''))];
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  rbrace: '}',
  shy: '\u00ad',
  nbsp: '\u00a0',
};

/** Text of HTML without its tags. */
export const withoutTags = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name = '') =>
      decimal
        ? String.fromCodePoint(Number(decimal))
        : hex
          ? String.fromCodePoint(parseInt(hex, 16))
          : (entities[String(name)] ?? whole),
    );

/** The paragraphs, items and descriptions of an HTML page, with the entities in them read and as they are. */
export const paragraphsOf = (html: string): string[] =>
  html
    .split(
      /<\/?(?:p|li|dd|dt|h\d|ul|ol|dl|div|pre|script|td|tr|table|header|section|article|body|html|head|title)\b[^>]*>/i,
    )
    .flatMap((part) => [plainLine(withoutTags(part)), plainLine(part.replace(/<[^>]*>/g, ''))])
    .filter((text) => text !== '');

/** A text on one line, with usual spaces alone. */
export const plainLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** A text on one line. Spaces that do not break are kept. */
export const oneLine = (text: string): string => text.replace(/[ \t\r\n\f]+/g, ' ').trim();

/** A text with a number wherever a program puts a value. */
export const withNumbers = (text: string): string =>
  text.replace(/%(?:\([\w.]+\))?[-#0+]*\d*(?:\.\d+)?[sd]|\{[\w.]*\}/g, '3');

/** The sentences of a text. */
export const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?]) +/);

/** The lines of a file that are not blank, without the white space at their ends. */
export const linesOf = (content: string): string[] =>
  content
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
