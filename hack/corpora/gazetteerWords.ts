/**
 * The rule for words of languages that only the gazetteer uses. Their lists contain many names in lower case, from
 * addresses of web pages. The inflected forms tell names and words apart.
 */
import { longestOrdinary } from '../training/vocabulary.ts';
import { split } from '../training/words.ts';
import { Forms, type GazetteerLanguage, type WordLists } from './wordLists.ts';

/** Replaces an ending. Its result is another form of the same word. */
type Inflection = readonly [ending: RegExp, other: string];

interface Rule {
  /** Forms that names hardly have: mostly plurals, or the singular of one. */
  readonly plurals: readonly Inflection[];
  /** Other forms that show a word, except for given names. */
  readonly cases: readonly Inflection[];
  /** Forms that a name has too. The list has those of names capitalized only. */
  readonly nameCases: readonly Inflection[];
  /** Short given names that no list of names has. */
  readonly shortNames: readonly string[];
}

const withEndings = (cut: RegExp, endings: string): Inflection[] => split(endings).map((ending) => [cut, ending]);

const polishCases = [
  ...withEndings(/(?:ie|[aeiouyąę])?$/, 'em iem owi ę ię ą iego'),
  ...withEndings(/ek$/, 'ku kiem kowi'),
];

const rules: Readonly<Record<GazetteerLanguage, Rule>> = {
  pt: {
    plurals: [
      [/(?<=[aeiouã])$/, 's'],
      [/(?<=[aeiou])s$/, ''],
      [/(?<=[rzs])$/, 'es'],
      [/l$/, 'is'],
      [/il$/, 'eis'],
      [/m$/, 'ns'],
      ...withEndings(/ão$/, 'ões ães ãos'),
    ],
    cases: withEndings(/[aeo]$/, 'ar er ir'),
    nameCases: [],
    shortNames: split(`
      Bia Tita Juca Paulinho Luizinho Joãozinho Carlinhos Toninho Zeca Cacá Duda Nando Dudu Juninho Zezinho
      Chico Tonho Lulu Guto Beto Betinho Marquinho`),
  },
  pl: {
    plurals: [
      ...withEndings(/[aoeyi]?$/, 'ami ach ów'),
      [/(?<=[yi])$/, 'mi'],
      [/ek$/, 'kami'],
      [/iec$/, 'cami'],
      [/el$/, 'lami'],
    ],
    cases: [
      ...polishCases,
      [/iec$/, 'cem'],
      [/el$/, 'lem'],
      [/ó(\p{L})$/u, 'o$1ą'],
      [/ó(\p{L})$/u, 'o$1em'],
      [/j$/, 'ć'],
    ],
    nameCases: polishCases,
    shortNames: split(`
      Krysia Jasiek Franek Staszek Ewka Mietek Irek Zosia Kasia Basia Asia Gosia Ania Marysia Wojtek Tomek
      Bartek Olek Zbyszek Jacek Jurek Kaśka Baśka Zośka Hanka Jasia Jaś Stasiek Stasia Zdzisiek Heniek Rysiek
      Maciek Grzesiek Krzysiek Witek Mirek Sławek Darek Czesiek Tadek Lolek Kubuś Wiesiek Zenek Leszek Ola Ela
      Iza Jola Aśka Gośka Jadzia Hania Frania Wiesia Zuzia Józek Janek Antek Felek Romek Edek Władek`),
  },
  sv: {
    plurals: [...withEndings(/$/, 'ar er arna erna'), [/a$/, 'or']],
    cases: [...withEndings(/$/, 'en n et t a'), ...withEndings(/(?:en|et|n|t)$/, '')],
    nameCases: [],
    shortNames: split(`
      Bosse Micke Jocke Kajsa Gittan Putte Pelle Nisse Lasse Kalle Sussie Frasse Ludde Hasse Janne Tobbe Affe
      Uffe Ulle Lollo Lisen`),
  },
};

const isWord = (word: string): boolean =>
  word.length >= 3 && /^\p{L}+$/u.test(word) && /[aeiouy]/.test(word.normalize('NFD'));

/**
 * Lower-case words of a language that are not English, as long as the gazetteer uses them. Given names of the language are
 * omitted, and so are words whose cases are always capitalized. Other names are omitted unless they are inflected like words;
 * a given name needs a plural.
 */
export function gazetteerWords(language: GazetteerLanguage, { lists, names, english }: WordLists): string[] {
  const { plurals, cases, nameCases, shortNames } = rules[language];
  const forms = new Forms(lists[language]);
  const ownGiven = new Set([...names.ownGiven[language], ...shortNames.map((name) => name.toLowerCase())]);
  const others = [names.allFamily, names.largeTowns, names.famous];
  const formsOf = (word: string, inflections: readonly Inflection[], list: ReadonlySet<string>): string[] =>
    inflections
      .filter(([ending]) => ending.test(word))
      .map(([ending, other]) => word.replace(ending, other))
      .filter((other) => list.has(other) && !names.given.has(other));
  const has = (word: string, inflections: readonly Inflection[]): boolean =>
    formsOf(word, inflections, forms.lowerCase).length > 0;
  const isName = (word: string): boolean => {
    if (ownGiven.has(word)) return true;
    if (has(word, plurals)) return false;
    if (names.given.has(word)) return true;
    if (has(word, cases)) return false;
    return (
      others.some((list) => list.has(word)) ||
      (forms.capitalized.has(word) && formsOf(word, nameCases, forms.capitalized).length > 0)
    );
  };
  return [...forms.lowerCase]
    .filter((word) => isWord(word) && word.length <= longestOrdinary(language) && !english.has(word) && !isName(word))
    .sort();
}
