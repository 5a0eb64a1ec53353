import { createAutomaton } from '../../automaton/automaton.ts';
import { foldedOf } from '../text/characters.ts';

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

const byWord = Map.groupBy(
  (Object.keys(words) as Announced[]).flatMap((by) =>
    words[by].split(' ').map((word) => ({ by, word: word.replaceAll('|', ' ') })),
  ),
  ({ word }) => word,
);
const lists = Array.from(byWord.values(), (entries) => entries.map(({ by }) => by));
/** All words at once, in one pass that ignores case and accents. */
const automaton = createAutomaton([...byWord.keys()], foldedOf);

type Begins = Record<Announced, number[]>;

/** Where the words of each list begin, in order. */
function findBegins(text: string): Readonly<Begins> {
  const found: Begins = { secret: [], cloudSecret: [], login: [], card: [], plate: [] };
  automaton.scan(text, anywhere, (begin, _end, word) => {
    for (const by of lists[word] ?? []) insert(found[by], begin);
    return false;
  });
  return found;
}

const anywhere = (): boolean => true;

/** A longer word may end after one that begins within it. */
function insert(begins: number[], begin: number): void {
  let at = begins.length;
  while (at > 0 && (begins[at - 1] ?? 0) > begin) at--;
  if (begins[at - 1] !== begin) begins.splice(at, 0, begin);
}

/** The words that announce values in one text, looked for when the first list is asked for. */
export class Announcements {
  private readonly text: string;
  private found: Readonly<Record<Announced, readonly number[]>> | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Where words begin that announce something, in order. */
  of(what: Announced): readonly number[] {
    return (this.found ??= findBegins(this.text))[what];
  }
}
