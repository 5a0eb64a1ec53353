import { TooManyValuesError, type EntityType } from './contract.ts';

/**
 * The longest value of one pseudonym, in UTF-16 code units. Names, places and addresses are far shorter. A detector can
 * mistake a long run of names for one name. A response that repeats the pseudonym of such a name would grow by its
 * length each time.
 */
export const MAX_ENTITY = 256;

/** Types with longer values. */
const LONGER: Partial<Record<EntityType, number>> = {
  // The longest request address that servers and browsers accept.
  URL: 8192,
  // A private key: 16,384 characters between its marker lines, with escaped line ends. Tokens are shorter.
  API_KEY: 16_640,
  PRIVATE_KEY: 16_640,
};

interface TextRange {
  readonly start: number;
  readonly end: number;
  readonly type: EntityType;
}

function longestOf({ type }: TextRange): number {
  return LONGER[type] ?? MAX_ENTITY;
}

function isTooLong(span: TextRange): boolean {
  const length = span.end - span.start;
  return length > MAX_ENTITY && length > longestOf(span);
}

/**
 * Splits each span that is too long into several spans with one value each. Only white space separates them. A repeated run
 * of names becomes single names. Most texts have no such span, and their list is not copied.
 */
export function splitLongEntities<P extends TextRange>(text: string, spans: readonly P[]): readonly P[] {
  return spans.some(isTooLong) ? spans.flatMap((span) => splitLongEntity(text, span)) : spans;
}

function splitLongEntity<P extends TextRange>(text: string, span: P): readonly P[] {
  if (!isTooLong(span)) return [span];
  const longest = longestOf(span);
  const pieces: P[] = [];
  for (const { start, end } of runsIn(text, span, longest)) {
    for (let from = start; from < end;) {
      const to = Math.min(from + longest, end);
      const cut = to < end && splitsPair(text, to) ? to - 1 : to;
      pieces.push({ ...span, start: from, end: cut });
      from = cut;
    }
  }
  return pieces;
}

interface Run {
  readonly start: number;
  end: number;
}

/**
 * Groups the words of a range into runs of at most `longest` code units; a single word may be longer. A run ends before
 * its first word occurs again: "Anna Schmidt Anna Schmidt" is the same name twice.
 * @throws TooManyValuesError if there are more than a call may have: a text of megabytes can be one range
 */
function runsIn(text: string, { start, end }: TextRange, longest: number): Run[] {
  const runs: Run[] = [];
  let run: Run | undefined;
  let first = '';
  const word = /\S+/g;
  word.lastIndex = start;
  for (let found = word.exec(text); found && found.index < end; found = word.exec(text)) {
    const to = Math.min(found.index + found[0].length, end);
    const current = text.slice(found.index, to);
    if (run && current !== first && to - run.start <= longest) run.end = to;
    else {
      run = { start: found.index, end: to };
      runs.push(run);
      TooManyValuesError.check(runs.length);
      first = current;
    }
  }
  return runs;
}

/** Whether an offset cuts a surrogate pair. */
function splitsPair(text: string, offset: number): boolean {
  return (text.charCodeAt(offset - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(offset) & 0xfc00) === 0xdc00;
}
