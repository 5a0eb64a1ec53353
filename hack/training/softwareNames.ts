import type { DictionaryWords } from './dictionaryWords.ts';
import type { Random } from './random.ts';
import { capitalized } from './words.ts';

/** Generates identifiers, and names and versions of programs and packages. */
export class SoftwareNames {
  private readonly random: Random;
  private readonly words: DictionaryWords;
  private readonly verbs: readonly string[];

  constructor(random: Random, words: DictionaryWords, verbs: readonly string[]) {
    this.random = random;
    this.words = words;
    this.verbs = verbs;
  }

  identifier(): string {
    const { random } = this;
    const parts = [
      this.words.noun(8),
      random.chance(0.5) ? random.pick(this.verbs).slice(0, 8) : this.words.noun(8),
      this.words.noun(8),
    ].slice(0, random.int(1, 3));
    if (random.chance(0.35)) return parts.join('_');
    if (random.chance(0.1)) return parts.join('-');
    return parts.map((part, at) => (at === 0 ? part : capitalized(part))).join('');
  }

  /** A short run of letters that is not a word, like the abbreviations of programmers. */
  letters(): string {
    const { random } = this;
    if (random.chance(0.5))
      return this.words
        .noun(9)
        .replace(/(?<=.)[aeiou]/g, '')
        .slice(0, 4);
    return random.format('?'.repeat(random.int(2, 4))).toLowerCase();
  }

  /** A package name, as software distributions write it. */
  packageName(): string {
    const { random } = this;
    const stem = (): string => (random.chance(0.4) ? this.letters() : this.words.noun(8));
    const number = (): string => (random.chance(0.4) ? random.digits(1) : '');
    return random.pick([
      () => `lib${stem()}${number()}`,
      () =>
        `lib${stem()}${number()}-${random.pick(['dev', 'bin', 'common', 'perl', 'data', 'doc', 'core-dev', stem()])}`,
      () => `lib${stem()}-${stem()}-${random.pick(['perl', 'java', 'ruby', 'dev', 'cil'])}`,
      () => `${random.pick(['python3', 'golang', 'node', 'ruby', 'fonts', 'gir1.2', 'r-cran', 'x11'])}-${stem()}`,
      () => `golang-${stem()}-${stem()}-${stem()}-dev`,
      () =>
        `${stem()}-${random.pick(['dev', 'bin', 'common', 'utils', 'tools', 'data', 'core', 'doc', 'dbg', 'db', 'dbus', stem()])}`,
      () => stem() + number(),
    ])();
  }

  packageVersion(): string {
    const { random } = this;
    return random.format(
      random.pick([
        '#.##',
        '#:#.##.#-#',
        '#.#.#',
        '##.#-#+deb##u#',
        '#.##+dfsg-#',
        '#.#~rc#-#',
        '#.#.##+nmu#',
        '#.##-#ubuntu#',
        '#.#p#-#',
      ]),
    );
  }

  /** A coined program name. */
  program(): string {
    const { random } = this;
    const word = this.words.noun(8);
    const made = random.pick([word, word, word + this.letters(), this.letters() + word, `${word.charAt(0)}-${word}`]);
    return made.replace(/(?:^|-)./g, (first) => first.toUpperCase());
  }
}
