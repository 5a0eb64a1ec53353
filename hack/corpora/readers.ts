/** Extracts texts from the file formats of the packages. All functions are pure. */
import { parse } from 'yaml';

/** All strings in a JSON or YAML value, in order. */
export function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsOf);
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(stringsOf) : [];
}

/**
 * The translations of a compiled message catalogue without its header. Plural forms are separate texts. Source: the gettext
 * manual.
 */
export function translationsOf(catalogue: Buffer): string[] {
  const isLittle = catalogue.readUInt32LE(0) === 0x950412de;
  const at = (offset: number): number => (isLittle ? catalogue.readUInt32LE(offset) : catalogue.readUInt32BE(offset));
  const textAt = (table: number): string => catalogue.toString('utf8', at(table + 4), at(table + 4) + at(table));
  const [count, originals, translations] = [at(8), at(12), at(16)];
  return Array.from({ length: count }, (_, index) =>
    textAt(originals + 8 * index) === '' ? [] : textAt(translations + 8 * index).split('\0'),
  ).flat();
}

/** The texts of a conversation file, and the lines on which they stand. */
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

/** The text of HTML, without tags. */
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

/** The paragraphs, items and descriptions of an HTML page: with entities decoded, and unchanged. */
export const paragraphsOf = (html: string): string[] =>
  html
    .split(
      /<\/?(?:p|li|dd|dt|h\d|ul|ol|dl|div|pre|script|td|tr|table|header|section|article|body|html|head|title)\b[^>]*>/i,
    )
    .flatMap((part) => [plainLine(withoutTags(part)), plainLine(part.replace(/<[^>]*>/g, ''))])
    .filter((text) => text !== '');

/** A text on one line, with ordinary spaces only. */
export const plainLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** A text on one line. Non-breaking spaces remain. */
export const oneLine = (text: string): string => text.replace(/[ \t\r\n\f]+/g, ' ').trim();

/** A text with a number in place of each placeholder. */
export const withNumbers = (text: string): string =>
  text.replace(/%(?:\([\w.]+\))?[-#0+]*\d*(?:\.\d+)?[sd]|\{[\w.]*\}/g, '3');

export const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?]) +/);

/** The non-blank lines of a file, without trailing white space. */
export const linesOf = (content: string): string[] =>
  content
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
