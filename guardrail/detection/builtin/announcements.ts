import { foldedOf } from './tagger/characters.ts';

/**
 * Words without which some values are never looked for, or their beginnings: small letters without accents. They are
 * rough, since whoever looks behind them judges what stands there exactly. `|` stands for a space within.
 */
const words = {
  secret:
    "pass pwd kennwort mot|de|passe contrasena wachtwoord losenord parola|d'ordine secret api access auth private client account encryption signing master sess jsess phpsess refresh csrf xsrf token bearer credential pin",
  cloudSecret: 'aws secret access',
  login: 'basic| |-u -user login|',
  card: 'cvc cvv cv2 csc csv cs2 security|code security|number verification|code verification|number pruf sicherheitscode cryptogramme codigo|de codice|di beveiliging exp valid good|thru gultig ablauf caduc vence scad vervalt geldig',
  plate: 'plat plaq kennz schild immatr matric targa kentek regist',
} as const;

export type Announced = keyof typeof words;

/** A word that ends in a state of the automaton. */
interface Ending {
  readonly by: Announced;
  readonly length: number;
}

/** All words at once in one pass, without regard to case and accents: an automaton after Aho and Corasick (1975). */
class Automaton {
  /** Of each ASCII character, its column; 0 for those of no word. */
  private readonly columns = new Uint8Array(128);
  private readonly width: number;
  /** Where a state leads by each column. */
  private readonly next: Uint16Array;
  private readonly endings: (readonly Ending[])[] = [];
  private readonly isEnd: Uint8Array;

  constructor(lists: Readonly<Record<Announced, string>>) {
    const all = (Object.keys(lists) as Announced[]).flatMap((by) =>
      lists[by].split(' ').map((word) => ({ by, word: word.replaceAll('|', ' ') })),
    );
    const characters = [...new Set(all.flatMap(({ word }) => Array.from(word)))];
    characters.forEach((character, at) => (this.columns[character.charCodeAt(0)] = at + 1));
    this.width = characters.length + 1;
    this.next = new Uint16Array((1 + all.reduce((sum, { word }) => sum + word.length, 0)) * this.width);
    const own: Ending[][] = [[]];
    for (const { by, word } of all) {
      let state = 0;
      for (let at = 0; at < word.length; at++) {
        const way = state * this.width + this.columnOf(word.charCodeAt(at));
        if (this.next[way] === 0) this.next[way] = own.push([]) - 1;
        state = this.next[way] ?? 0;
      }
      own[state]?.push({ by, length: word.length });
    }
    this.isEnd = new Uint8Array(own.length);
    this.complete(own);
  }

  /** Where no word goes on, another one may that began later: state by state, those of shorter beginnings first. */
  private complete(own: readonly (readonly Ending[])[]): void {
    const shorter = new Uint16Array(own.length);
    const states = [0];
    for (const state of states) {
      const endings = [...(own[state] ?? []), ...(state === 0 ? [] : (this.endings[shorter[state] ?? 0] ?? []))];
      this.endings[state] = endings;
      if (endings.length > 0) this.isEnd[state] = 1;
      for (let column = 1; column < this.width; column++) {
        const way = state * this.width + column;
        const other = state === 0 ? 0 : (this.next[(shorter[state] ?? 0) * this.width + column] ?? 0);
        const to = this.next[way] ?? 0;
        if (to === 0) this.next[way] = other;
        else {
          shorter[to] = other;
          states.push(to);
        }
      }
    }
  }

  private columnOf(code: number): number {
    const folded = foldedOf[code] ?? 0;
    return folded < 128 ? (this.columns[folded] ?? 0) : 0;
  }

  /** Where words of each list begin, in order. */
  find(text: string): Readonly<Record<Announced, readonly number[]>> {
    const found = { secret: [], cloudSecret: [], login: [], card: [], plate: [] } satisfies Record<Announced, number[]>;
    const { next, width, isEnd } = this;
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      state = next[state * width + this.columnOf(text.charCodeAt(at))] ?? 0;
      if (isEnd[state] !== 0) this.take(state, at + 1, found);
    }
    return found;
  }

  private take(state: number, end: number, found: Record<Announced, number[]>): void {
    for (const { by, length } of this.endings[state] ?? []) {
      const list = found[by];
      const begin = end - length;
      // A longer word may end after one that begins within it.
      let at = list.length;
      while (at > 0 && (list[at - 1] ?? 0) > begin) at--;
      if (list[at - 1] !== begin) list.splice(at, 0, begin);
    }
  }
}

const automaton = new Automaton(words);

/** The words that announce values in one text, looked for when the first list is asked for. */
export class Announcements {
  private readonly text: string;
  private found: Readonly<Record<Announced, readonly number[]>> | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Where words begin that announce something, in order. */
  of(what: Announced): readonly number[] {
    return (this.found ??= automaton.find(this.text))[what];
  }
}
