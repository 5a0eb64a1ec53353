import type { EntityType } from './contract.ts';

/**
 * The longest value that one pseudonym stands for, in UTF-16 code units. Names, places and addresses are far shorter. A
 * detector takes a run of names for one name, however long, and an answer that repeats its pseudonym grows by the length
 * of the value each time.
 */
export const MAX_ENTITY = 256;

/** Types with longer values. */
const LONGER: Partial<Record<EntityType, number>> = {
  // What servers and browsers take as the address of a request.
  URL: 8192,
  // A private key: 16,384 characters between its marker lines, with line ends written as escapes. Tokens are shorter.
  API_KEY: 16_640,
  PRIVATE_KEY: 16_640,
};

interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly type: EntityType;
}

/**
 * A place as one that is short enough, or as several: each holds a value of its own, and nothing but white space stands
 * between them. A run of names becomes the single names, where they repeat.
 */
export function shortEnough<P extends Stretch>(text: string, place: P): readonly P[] {
  const longest = LONGER[place.type] ?? MAX_ENTITY;
  if (place.end - place.start <= longest) return [place];
  const pieces: P[] = [];
  for (const { start, end } of runsIn(text, place, longest)) {
    for (let from = start; from < end;) {
      const to = Math.min(from + longest, end);
      const cut = to < end && splitsPair(text, to) ? to - 1 : to;
      pieces.push({ ...place, start: from, end: cut });
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
 * Words in runs no longer than `longest`, unless a single word is. A run ends where its first word comes again: so
 * "Anna Schmidt Anna Schmidt" is the same name twice.
 */
function runsIn(text: string, { start, end }: Stretch, longest: number): Run[] {
  const runs: Run[] = [];
  let run: Run | undefined;
  let first = '';
  const word = /\S+/g;
  word.lastIndex = start;
  for (let found = word.exec(text); found && found.index < end; found = word.exec(text)) {
    const to = Math.min(found.index + found[0].length, end);
    const said = text.slice(found.index, to);
    if (run && said !== first && to - run.start <= longest) run.end = to;
    else {
      run = { start: found.index, end: to };
      runs.push(run);
      first = said;
    }
  }
  return runs;
}

/** Whether a place lies between the two halves of a character. */
function splitsPair(text: string, place: number): boolean {
  return (text.charCodeAt(place - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(place) & 0xfc00) === 0xdc00;
}
