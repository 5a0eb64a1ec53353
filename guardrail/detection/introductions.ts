import type { Span } from './contract.ts';
import { contextWords } from './languages/languages.ts';

/** How far before a name these words may stand, in UTF-16 code units. */
const WIDTH = 48;

const introduction = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${contextWords('selfIntroduction')})[\s:,]{1,2}$`, 'u');

const labelOf = (words: string): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}.])(?:${words})["']?\s?[:=]\s?["']?$`, 'u');
/** The label of a field. */
const label = labelOf(`${contextWords('personName')}|${contextWords('personLabel')}`);
/** The header of a mail, with one name or a list of names. */
const mailHeader = new RegExp(String.raw`\n(?:${contextWords('mailHeader')}): ["']?$`, 'u');
const afterName = /^["']?\s*(?:[<,;]|\n|$)/;
/** The label of any name: it is that of a private person beside other values of this person. */
const nameLabel = labelOf(contextWords('name'));
const contactTypes: ReadonlySet<string> = new Set(['EMAIL_ADDRESS', 'ID', 'PHONE_NUMBER', 'USERNAME']);

/** The text before a name, in lower case, with a line break before the beginning of the text. */
function textBefore(text: string, start: number): string {
  const isBeginning = start <= WIDTH;
  return `${isBeginning ? '\n' : ''}${text.slice(isBeginning ? 0 : start - WIDTH, start)}`.toLowerCase();
}

/** Whether a name is the value of a field for private persons: "Patient: Nat". */
export const isLabelledPerson = (text: string, { start }: Pick<Span, 'start'>): boolean =>
  label.test(textBefore(text, start));

/**
 * Makes a public person private where the name introduces who writes ("Hi, I'm Bob Dylan, my order never came"), or is in a field
 * for private persons ("Patient: Bob Dylan").
 */
export function withIntroductions(text: string, spans: readonly Span[]): readonly Span[] {
  if (!spans.some(({ type }) => type === 'PUBLIC_PERSON')) return spans;
  const hasContact = spans.some(({ type }) => contactTypes.has(type));
  const introduces = ({ start, end }: Span): boolean => {
    const before = textBefore(text, start);
    if (introduction.test(before) || label.test(before)) return true;
    if (mailHeader.test(before)) return afterName.test(text.slice(end, end + WIDTH));
    return hasContact && nameLabel.test(before);
  };
  return spans.map((span) =>
    span.type === 'PUBLIC_PERSON' && introduces(span) ? { ...span, type: 'PERSON', rule: 'introduction' } : span,
  );
}
