import type { Span } from './contract.ts';
import { contextWords } from './languages/languages.ts';
import { smallWords } from './languages/smallWords.ts';
import { countedDevices, fieldNames, systemFolders } from './words/code.ts';

/** How much of a line is read on both sides of a find, in UTF-16 code units. */
const WIDTH = 120;

/** A find, and its line on both sides. */
interface Place {
  readonly value: string;
  readonly before: string;
  readonly after: string;
}

/** Pattern of what a find is, and of what stands on both sides of it. Each that is given must match. */
interface Rule {
  readonly value?: RegExp;
  readonly before?: RegExp;
  readonly after?: RegExp;
}

const matches = ({ value, before, after }: Rule, place: Place): boolean =>
  (value === undefined || value.test(place.value)) &&
  (before === undefined || before.test(place.before)) &&
  (after === undefined || after.test(place.after));

/** The parties of a case, before the decision: "Brown v. Board of Education, ". */
const versus = / vs?\. [^\n,]{1,80}, $/;

/** Where names of persons are none. */
const noPerson: readonly Rule[] = [
  // A month within a date of digits: `12-Sep-2026`, `[20/Sep/2026:08:15:30`.
  { value: /^\p{L}+$/u, before: /\d[/.-]$/, after: /^[/.-]\d/ },
  // A product before its version: `Edg/120.0.0.0`.
  { value: /^\p{Lu}\p{L}*$/u, after: /^\/v?\d/ },
  // Numbers in hexadecimal digits: `deadbeef cafebabe`.
  { value: /^[\da-f]{8}(?: [\da-f]{8})*$/ },
  // The end of an abbreviation: ".S.C." of "42 U.S.C. § 1983".
  { value: /^\.(?:\p{Lu}\.)+$/u },
  // The method of a request: `"POST /login HTTP/2"`.
  { value: /^[A-Z]+$/, after: /^ \/\S* HTTP\// },
  // The label of a number, in capitals: "CVV 123".
  { value: /^[BCDFGHJKLMNPQRSTVWXZ]{3,5}$/, after: /^:? ?\d/ },
  // The second party of a case: "Miranda v. Arizona, 384 U.S. 436".
  { before: / vs?\. $/, after: /^, \d{1,4} \p{Lu}\./u },
  // The first folder of a path.
  { value: new RegExp(`^(?:${systemFolders})$`), before: /(?<![\p{L}\p{N}/.~])\/$/u, after: /^\// },
  // A key of YAML.
  { value: new RegExp(`^(?:${fieldNames})$`), before: /^[\s-]*$/, after: /^:(?:\s|$)/ },
  // A part of an identifier that a function takes: `from_pretrained("bert-base-cased")`.
  { value: /^[a-z\d-]+$/, before: /[\w)]\(\s?["'](?:[a-z\d]+-)*$/, after: /^-[a-z\d-]+["']/ },
  // What a thing is: "the secret ingredient is cinnamon".
  {
    value: /^\p{Ll}+$/u,
    before: new RegExp(String.raw`(?<!\p{L})(?:${smallWords('impersonalThing')}) (?:${contextWords('is')}) $`, 'iu'),
  },
];

/** Where addresses and places are none. */
const noAddress: readonly Rule[] = [
  // The end of a number with dots: "113.7 port 52344" of an IP address and its port.
  { value: /^\d/, before: /\d\.$/ },
  // "S3 via SNS": streets begin with the word, and have a number.
  { value: /^\S[^\n]* via [^\d\n]*$/ },
  // The number of a machine or of a part of one: "Rack 12", "port 52344 ssh2".
  { value: new RegExp(String.raw`^(?:${countedDevices}) #?\d`, 'i') },
  { value: new RegExp(`^(?:${countedDevices})$`, 'i'), after: /^ #?\d/ },
  // A list of names with digits: "S3, EC2, Route 53".
  { value: /^[A-Z]{1,4}\d{1,2}, [A-Z]{1,4}\d{1,2}(?:,|$)/ },
  // A decision in a collection of them: "347 U.S. 483", "410 F.3d 12".
  { value: /^\d{1,4} \p{Lu}\./u, before: versus },
];

/** An entry of a list that is the code of a thing: "S3", "EC2". */
const code = /^(?:[^\n]* |\s*)[A-Z]{1,4}\d{1,2}(?:\s|$)/;
const separator = new RegExp(String.raw`[,;]| (?:${contextWords('and')}) `);
const listed = new RegExp(String.raw`(?:[,;]| (?:${contextWords('and')})) $`);
const MOST_WORDS = 3;
const LEAST_CODES = 2;

/** Whether a name is an entry of a list of technical names: "S3, EC2, Lambda, Polly". */
function isAmongCodes({ before, value, after }: Place): boolean {
  if (/\s/.test(value) || !(listed.test(before) || after.startsWith(','))) return false;
  const list = `${before.split(/[;:]/).at(-1) ?? ''}${value}${after}`;
  const entries = list.split(separator);
  return (
    entries.length > MOST_WORDS &&
    entries.filter((entry) => code.test(entry)).length >= LEAST_CODES &&
    entries.slice(1, -1).every((entry) => entry.trim().split(/\s+/).length <= MOST_WORDS)
  );
}

/** Whether a find of the model in code, logs, configuration and texts about them is neither a person nor a place. */
export function isTechnical(text: string, { start, end, type }: Pick<Span, 'start' | 'end' | 'type'>): boolean {
  const isPerson = type === 'PERSON';
  if (!isPerson && type !== 'ADDRESS' && type !== 'LOCATION') return false;
  const place: Place = {
    value: text.slice(start, end),
    before:
      text
        .slice(Math.max(0, start - WIDTH), start)
        .split('\n')
        .at(-1) ?? '',
    after: text.slice(end, end + WIDTH).split('\n', 1)[0] ?? '',
  };
  return (isPerson ? noPerson : noAddress).some((rule) => matches(rule, place)) || (isPerson && isAmongCodes(place));
}
