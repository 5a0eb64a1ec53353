/** Completes finds by what is written around them, and decides what they are by it. */
import type { EntityType, RuleId, Span } from './contract.ts';
import { contextWords } from './languages/languages.ts';
import { smallWords } from './languages/smallWords.ts';
import { byEnding } from './text/ending.ts';
import { courtesyTitle } from './titles.ts';

/** A pattern around a find, and what the find is beside it. */
interface ContextRule {
  /** The types of the finds that it decides about. */
  readonly of: readonly EntityType[];
  /** Tested where the find begins: it looks back from there. What its group `part` matches belongs to the find. */
  readonly at?: RegExp;
  /** Tested where the find ends. What its group `part` matches belongs to the find. */
  readonly behind?: RegExp;
  /** What the find itself must match. */
  readonly within?: RegExp;
  /** Another find that the text must have: its types, and how far from this one it may stand, in UTF-16 code units. */
  readonly beside?: { readonly types: ReadonlySet<EntityType>; readonly distance: number };
  /** What the find is then. Default: what it was, with more words. */
  readonly as?: { readonly type: EntityType; readonly rule: RuleId };
  /** Whether the part is a find of its own. Default: it belongs to the find. */
  readonly isApart?: true;
}

const persons = ['PERSON', 'PUBLIC_PERSON'];
/** Values beside which any name is that of a private person. */
const contact = {
  types: new Set(['EMAIL_ADDRESS', 'ID', 'PHONE_NUMBER', 'USERNAME']),
  distance: Infinity,
};
const person = { types: new Set(['PERSON']), distance: Infinity };
const personNear = { ...person, distance: 300 };

/** A word and its end, without the beginning of a longer word before it. */
const word = (words: string): string => String.raw`(?<![\p{L}\p{N}])(?:${byEnding(words)})`;
const wordEnd = String.raw`(?![\p{L}\p{N}])`;
/** A pattern that is tested at one place of a text. */
const placed = (source: string, flags: string): RegExp => new RegExp(source, `${flags}y`);
/** A pattern that looks back from a find. */
const after = (source: string, flags = 'iu'): RegExp => placed(`(?<=${source})`, flags);

const labelOf = (words: string): RegExp => after(String.raw`(?<![\p{L}\p{N}.])(?:${words})["']?\s?[:=]\s?["']?`);
/** Before the name of a private person in a field. */
const personLabel = labelOf(`${contextWords('personName')}|${contextWords('personLabel')}`);

const homePreposition = contextWords('homePreposition');
/** Words before a preposition and a place. A date of birth may stand between them. */
const beforePlace = (purpose: 'home' | 'ownHome' | 'self', width: number): RegExp =>
  after(String.raw`${word(contextWords(purpose))}${wordEnd}[^!?\n]{0,${width}}${word(homePreposition)}\s?`);

/**
 * A particle, often with a capital, as family names without a given name have it: "mevrouw De Vries". Without `(?i:…)`, which
 * loses its effect in a process with very many patterns (Node 26.10).
 */
const PARTICLE = `(?:${smallWords('inName').replace(/(?<=^|\|)\p{L}/gu, (letter) => `[${letter}${letter.toUpperCase()}]`)})`;
const nameWord = String.raw`\p{Lu}[\p{L}\p{M}'’-]{1,24}`;
const title = String.raw`(?<![\p{L}\p{N}])${courtesyTitle}\.? `;

const introduced: ContextRule = { of: ['PUBLIC_PERSON'], as: { type: 'PERSON', rule: 'introduction' } };
const home: ContextRule = { of: ['LOCATION'], as: { type: 'ADDRESS', rule: 'home' } };

/** The rules in their order: each needs what the ones before it have decided. */
const contextRules: readonly ContextRule[] = [
  // "Hi, I'm Bob Dylan, my order never came"
  { ...introduced, at: after(String.raw`(?<![\p{L}\p{N}])(?:${contextWords('selfIntroduction')})[\s:,]{1,2}`) },
  // "Patient: Bob Dylan"
  { ...introduced, at: personLabel },
  // The header of a mail, with one name or a list of names.
  {
    ...introduced,
    at: after(String.raw`(?:^|\n)(?:${contextWords('mailHeader')}): ["']?`),
    behind: /["']?\s*(?:[<,;]|\n|$)/y,
  },
  // The label of any name: it is that of a private person beside other values of this person.
  { ...introduced, at: labelOf(contextWords('name')), beside: contact },
  // The other initials directly before a name: "J." of "J.P. van der Meulen".
  { of: persons, at: after(String.raw`(?<![\p{L}\p{N}.])(?<part>(?:\p{Lu}\.){1,3})`, 'u') },
  // A name can begin with the full stop of the first initial: ".K. Halvorsen".
  { of: persons, at: after(String.raw`(?<![\p{L}\p{N}.])(?<part>(?:\p{Lu}\.){0,2}\p{Lu})`, 'u'), within: /^\./ },
  // The beginning of "O'Brien" and "D'Angelo". What was found begins with the apostrophe, or after it.
  { of: persons, at: after(String.raw`(?<![\p{L}\p{N}])(?<part>[OD](?:['’](?!['’])|(?=['’])))`, 'u') },
  // The name before a patronymic that was found alone: "Fatima bint" of "Fatima bint Khalid".
  {
    of: persons,
    at: after(String.raw`(?<![\p{L}\p{N}])(?<part>(?:${nameWord} )?${nameWord} (?:${smallWords('patronymic')}) )`, 'u'),
  },
  // A family name with a particle: with the title, "Van Houten" is a person and not the cocoa. "Mr. Bean" stays public.
  {
    of: persons,
    at: placed(`(?<=${title}(?<part>(?:${PARTICLE} ){1,3}))|(?<=${title})(?=${PARTICLE} |[ODL]['’])`, 'u'),
    as: { type: 'PERSON', rule: 'familyName' },
  },
  // "I come from Hove". The tagger can count these words to the place.
  {
    ...home,
    at: placed(
      String.raw`(?<=${word(contextWords('ownPlace'))}(?:\s|(?<=['’])))|(?=(?:${contextWords('ownPlace')})\s)`,
      'iu',
    ),
  },
  // "Home town: Graz"
  { ...home, at: after(String.raw`${word(contextWords('town'))}["']?\s?[:=>]\s?["']?`), beside: personNear },
  // "My flat in Hove"
  { ...home, at: beforePlace('ownHome', 16) },
  // "We fly from Hilo, where we live"
  {
    ...home,
    at: beforePlace('self', 40),
    behind: placed(String.raw`,? (?:${contextWords('homeAfter')})${wordEnd}`, 'iu'),
  },
  // "Anna, born 9 Sept. 1996 in Leeds"
  { ...home, at: beforePlace('home', 40), beside: personNear },
  // The number of a district after a town: "from Praha 5". A word after the number would mean a count of something.
  {
    of: ['LOCATION', 'ADDRESS'],
    at: after(String.raw`(?<![\p{L}\p{N}])(?:${homePreposition}) `, 'u'),
    behind: placed(
      String.raw`(?<part> \d{1,2})(?=\s{0,2}(?:[.,;:!?)"'\]](?!\d)|$|\n)| (?:${homePreposition}) \p{Lu})`,
      'u',
    ),
    within: /^\D*$/,
    beside: person,
    as: { type: 'ADDRESS', rule: 'dwelling.district' },
  },
  // The dwelling of a person directly after the name: "Mr Price, flat 9", "bei Holzapfel im 2. OG".
  {
    of: ['PERSON'],
    behind: placed(
      String.raw`,? (?:(?:${contextWords('dwellingPreposition')}) )?\(?(?<part>${contextWords('dwelling')})(?![\p{L}\p{N}]|[.,:]\d)`,
      'iu',
    ),
    as: { type: 'ADDRESS', rule: 'dwelling' },
    isApart: true,
  },
];

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** Whether a name is the value of a field for private persons: "Patient: Nat". */
export const isLabelledPerson = (text: string, { start }: Pick<Span, 'start'>): boolean =>
  matchAt(personLabel, text, start) !== null;

/** The rules as steps, by the rule that the finds have then. */
export const contextSteps = contextRules.map((rule) => ({
  id: rule.as?.rule ?? 'namePart',
  apply: (text: string, spans: readonly Span[]): readonly Span[] => applied(rule, text, spans),
}));

function applied(rule: ContextRule, text: string, spans: readonly Span[]): readonly Span[] {
  const { of, beside, isApart } = rule;
  const others = beside && spans.filter(({ type }) => beside.types.has(type));
  if (others?.length === 0) return spans;
  const isNear = (one: Span, other: Span): boolean =>
    Math.max(other.start - one.end, one.start - other.end) <= (beside?.distance ?? Infinity);
  let decided: Map<Span, Span> | undefined;
  for (const span of spans) {
    const found = of.includes(span.type) ? decidedBy(rule, text, span) : undefined;
    if (found && others?.some((other) => isNear(span, other)) !== false) (decided ??= new Map()).set(span, found);
  }
  if (decided === undefined) return spans;
  if (isApart) return [...spans, ...decided.values()];
  // Where the other part ends of a name that was found in two: "Dr O" of "Dr O'Conner".
  const taken = new Set<number>();
  for (const [{ start }, name] of decided) for (let at = name.start + 1; at <= start; at++) taken.add(at);
  return spans.flatMap((span) => (of.includes(span.type) && taken.has(span.end) ? [] : (decided.get(span) ?? span)));
}

/** What a find is by what is written around it; undefined if the rule says nothing about it. */
function decidedBy({ at, behind, within, as, isApart }: ContextRule, text: string, span: Span): Span | undefined {
  const before = at && matchAt(at, text, span.start);
  if (before === null) return undefined;
  const following = behind && matchAt(behind, text, span.end);
  if (following === null || (within && !within.test(text.slice(span.start, span.end)))) return undefined;
  const added = following?.groups?.part === undefined ? 0 : following[0].length;
  const part = (isApart ? following : before)?.groups?.part?.length ?? 0;
  const end = span.end + added;
  return { ...span, ...as, start: (isApart ? end : span.start) - part, end };
}
