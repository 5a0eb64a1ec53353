import { classBits, isEndState } from '../kernel/numbers.ts';
import { bytesAt, createKernel, KernelText } from '../kernelInstance.ts';
import { foldedOf } from '../text/characters.ts';
import { unitAt } from '../../unitAt.ts';

/** Calls `found` with the place and the index of each word in a text, in ascending order of the places where words end. */
export type WordFinder = (text: string, found: (start: number, word: number) => void) => void;

/** The length of a row in the table of states: a line of the processor's cache. */
const CLASSES = 1 << classBits;
/** The class of rare units of ASCII, and the class of all other units outside it. */
const RARE = CLASSES - 2;
const OTHER = CLASSES - 1;

/**
 * Creates a function that finds words in texts in one pass, ignoring case and accents (Aho and Corasick, 1975). Rare units share
 * a class, so the table has a third of the size that the alphabets of all languages would need, and the caches hold more of it.
 * Where its classes are found, a word is compared.
 * @param words without duplicates, in lower case and without accents, as `foldedOf` writes them
 */
export function createWordFinder(words: readonly string[]): WordFinder {
  const ofFolded = classesOf(words);
  const { next, ends } = statesOf(words.map((word) => unitsIn(word).map((unit) => ofFolded[unit] ?? 0)));
  const kernel = createKernel();
  kernel.reserveAutomaton(next.byteLength);
  bytesAt(kernel, kernel.classesAt, foldedOf.length).set(foldedOf.map((unit) => ofFolded[unit] ?? 0));
  new Uint16Array(kernel.memory.buffer, kernel.automatonAt.value, next.length).set(
    next.map((state) => (ends[state] === none ? state : state | isEndState)),
  );
  const kernelText = new KernelText(kernel);

  const isAt = (word: string, text: string, start: number): boolean => {
    let at = 0;
    while (at < word.length && foldedOf[unitAt(text, start + at)] === word.charCodeAt(at)) at++;
    return at === word.length;
  };

  return (text, found) => {
    kernelText.write(text);
    const count = kernel.scan(text.length);
    const { start: places, end: states } = kernelText;
    for (let hit = 0; hit < count; hit++) {
      for (const index of ends[states[hit] ?? 0] ?? none) {
        const word = words[index] ?? '';
        const start = (places[hit] ?? 0) + 1 - word.length;
        if (isAt(word, text, start)) found(start, index);
      }
    }
  };
}

const unitsIn = (word: string): number[] => Array.from({ length: word.length }, (_, at) => word.charCodeAt(at));

/**
 * The class of each folded unit; 0 for units that are in no word. A unit of ASCII has a class of its own unless it is rare, and
 * those of short words are not: they would be found too often.
 */
function classesOf(words: readonly string[]): Uint8Array {
  const weights = new Map<number, number>();
  for (const word of words) {
    for (const unit of unitsIn(word)) weights.set(unit, (weights.get(unit) ?? 0) + word.length ** -2);
  }
  const classes = new Uint8Array(foldedOf.length);
  let own = 0;
  for (const [unit] of Array.from(weights).sort(([, a], [, b]) => b - a)) {
    classes[unit] = unit < 0x80 ? Math.min(++own, RARE) : OTHER;
  }
  return classes;
}

/** The states of an automaton; 0 is the first one. */
interface States {
  /** The next state for each state and class. */
  readonly next: Uint16Array;
  /** For each state, the words that end there, longest first. */
  readonly ends: readonly (readonly number[])[];
}
const none: readonly number[] = [];

/** @param words the classes of their units */
function statesOf(words: readonly (readonly number[])[]): States {
  const next = new Uint16Array(CLASSES * (1 + words.reduce((sum, { length }) => sum + length, 0)));
  const ends = [none];
  for (const [index, classes] of words.entries()) {
    let state = 0;
    for (const own of classes) state = next[state * CLASSES + own] ||= ends.push(none) - 1;
    ends[state] = [...(ends[state] ?? none), index];
  }

  const failure = new Uint16Array(ends.length);
  const order = [0];
  // Breadth first: the failure state is nearer to the first one, and its row is complete.
  for (const state of order) {
    const failed = failure[state] ?? 0;
    const shorter = state === 0 ? none : (ends[failed] ?? none);
    if (shorter.length > 0) ends[state] = [...(ends[state] ?? none), ...shorter];
    for (let own = 0; own < CLASSES; own++) {
      const edge = state * CLASSES + own;
      const otherwise = state === 0 ? 0 : (next[failed * CLASSES + own] ?? 0);
      const child = next[edge] ?? 0;
      if (child === 0) next[edge] = otherwise;
      else {
        failure[child] = otherwise;
        order.push(child);
      }
    }
  }
  // In this order, the states of most characters share a few pages of the memory.
  const rank = new Uint16Array(ends.length);
  for (const [at, state] of order.entries()) rank[state] = at;
  const ranked = new Uint16Array(ends.length * CLASSES);
  for (const [at, state] of order.entries()) {
    for (let own = 0; own < CLASSES; own++) ranked[at * CLASSES + own] = rank[next[state * CLASSES + own] ?? 0] ?? 0;
  }
  return { next: ranked, ends: order.map((state) => ends[state] ?? none) };
}
