/** Reads the output of the recognition network: for each step along a line, the probability of each character. Pure. */
import type { TextWord } from './contract.ts';

/** A recognized line. Positions are shares of its width. */
export interface Recognized {
  readonly words: readonly TextWord[];
  /** The number of characters, without spaces. */
  readonly length: number;
  /** The mean probability of the characters, 0 without any. */
  readonly confidence: number;
  /** The longest stretch without a character, also before the first and after the last one, as a share of the width. */
  readonly gap: number;
}

/** Probabilities of steps, one after another: each step has one for each class. Class 0 stands for no new character. */
export interface Steps {
  readonly data: Float32Array;
  readonly classes: number;
  /** The first step of the line. */
  readonly first: number;
  /** The number of steps, which may contain a part. They can end in the padding after the line. */
  readonly count: number;
}

interface Character {
  readonly text: string;
  readonly step: number;
  readonly probability: number;
}

/** The most that a character extends to each side of its step, in steps. A step is a sixth of the height of a line. */
const HALF_CHARACTER = 2.5;
/** The share of the way to a space that belongs to a word. */
const SPACE_SHARE = 2 / 3;
/** The distance of two characters, in steps, from which they belong to two words, also without a space. */
const WIDE_GAP = 9;

/** @param characters by class; the first one is not used */
export function decode(steps: Steps, characters: readonly string[]): Recognized {
  const found = charactersOf(steps, characters);
  const printed = found.filter(({ text }) => text.trim() !== '');
  const sum = printed.reduce((total, { probability }) => total + probability, 0);
  const places = [0, ...printed.map(({ step }) => step), steps.count];
  const gap = Math.max(...places.slice(1).map((step, at) => step - (places[at] ?? 0)));
  return {
    gap: gap / steps.count,
    words: wordsOf(found, steps.count),
    length: printed.length,
    confidence: printed.length === 0 ? 0 : sum / printed.length,
  };
}

/** The best class of each step. A repeated class is the same character. */
function charactersOf({ data, classes, first, count }: Steps, characters: readonly string[]): Character[] {
  const found: Character[] = [];
  let before = 0;
  for (let step = 0; step < count; step += 1) {
    const start = (first + step) * classes;
    let best = 0;
    let probability = -1;
    for (let at = 0; at < classes; at += 1) {
      const value = data[start + at] ?? 0;
      if (value > probability) {
        probability = value;
        best = at;
      }
    }
    if (best !== 0 && best !== before) found.push({ text: characters[best] ?? '', step, probability });
    before = best;
  }
  return found;
}

function wordsOf(characters: readonly Character[], count: number): TextWord[] {
  const words: TextWord[] = [];
  let word: Character[] = [];
  const finish = (next: Character | undefined, before: Character | undefined): void => {
    const [head, last] = [word[0], word.at(-1)];
    if (head && last) {
      const reach = (distance: number): number => Math.min(HALF_CHARACTER, SPACE_SHARE * distance);
      // Beside the ends of the line there is no other word, so the mask extends to them.
      const from = before ? head.step - reach(head.step - before.step) : 0;
      const to = next ? last.step + reach(next.step - last.step) : count - 1;
      const share = (step: number): number => Math.min(1, Math.max(0, (step + 0.5) / count));
      words.push({
        text: word.map(({ text }) => text).join(''),
        from: before ? share(from) : 0,
        to: next ? share(to) : 1,
      });
    }
    word = [];
  };
  let before: Character | undefined;
  for (const [at, character] of characters.entries()) {
    const last = characters[at - 1];
    if (character.text.trim() === '') {
      finish(character, before);
      before = character;
    } else {
      if (last && word.length > 0 && character.step - last.step >= WIDE_GAP) {
        finish(character, before);
        before = last;
      }
      word.push(character);
    }
  }
  finish(undefined, before);
  return words;
}
