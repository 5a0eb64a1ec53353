import { expect } from 'chai';
import { expectLinearTime } from '../../hack/harness/linearTime.ts';
import type { Span } from './contract.ts';
import { withHomes } from './homes.ts';

/** Reads marks like `<Berlin|LOCATION>`, and returns the type of the last one. */
function lastType(marked: string): string | undefined {
  let text = '';
  const spans: Span[] = [];
  for (const part of marked.split(/(<[^<>]*\|[A-Z_]+>)/)) {
    const [, value, type] = /^<(.*)\|([A-Z_]+)>$/.exec(part) ?? [];
    if (value !== undefined && type !== undefined)
      spans.push({
        start: text.length,
        end: text.length + value.length,
        type,
        score: 1,
        detector: 'fixed',
        rule: 'fixed',
      });
    text += value ?? part;
  }
  return withHomes(text, spans).at(-1)?.type;
}

describe('withHomes', () => {
  for (const text of [
    'I live in <Leeds|LOCATION>',
    'im 27, from <Leeds|LOCATION>',
    'i used to live near <Leeds|LOCATION>',
    'Ich wohne in <Ulm|LOCATION>',
    'bei mir in <Ulm|LOCATION>',
    'J’habite à <Lyon|LOCATION>',
    'vivo en <Cuenca|LOCATION>',
    'abitiamo a <Sestu|LOCATION>',
    'ik woon in <Joure|LOCATION>',
    'Moro em <Beja|LOCATION>',
    'mieszkamy w <Sanok|LOCATION>',
    'jag bor i <Kalix|LOCATION>',
    "i'm currently living in <Turku|LOCATION>",
    "I'm based in <Tallinn|LOCATION>",
    "I've been living in <Doha|LOCATION>",
    'my hometown is <Dayton|LOCATION>',
    'Home town: <Graz|LOCATION>',
    'I come from <Hove|LOCATION>',
    'my parents live in <Hove|LOCATION>',
    'my flat in <Hove|LOCATION>',
    'my hometown is\n<Dayton|LOCATION>',
    'Guess what! I live in <Leeds|LOCATION>',
    'We fly from <Hilo|LOCATION>, where we live',
    'Ich bin ursprünglich aus <Hannover|LOCATION>',
    'Ich bin in <Kassel|LOCATION> geboren',
    'Wir leben in <Bozen|LOCATION>',
    'Meine Wohnung in <Bozen|LOCATION>',
    'jsuis de <Roubaix|LOCATION>',
    'je suis de <Tourcoing|LOCATION>',
    'je suis d’<Arras|LOCATION>',
    "j'habite <Tourcoing|LOCATION>",
    'Et vous habitez <Tourcoing|LOCATION>',
    'je suis née à <Dakar|LOCATION>',
    'on vit à <Dakar|LOCATION>',
    'estoy viviendo en <Valencia|LOCATION>',
    'somos de <Gijón|LOCATION>',
    'vivo a <Saronno|LOCATION>',
    'siamo di <Pescara|LOCATION>',
    'mi sono trasferita a <Pescara|LOCATION>',
    'wij wonen in <Almere|LOCATION>',
    'bij mij in <Appingedam|LOCATION>',
    'ik ben in <Ede|LOCATION> opgegroeid',
    'moro em <Caruaru|LOCATION>',
    'sou do <Recife|LOCATION>',
    'a gente mora em <Natal|LOCATION>',
    'jestem z <Krakowa|LOCATION>',
    'u mnie w <Gliwicach|LOCATION>',
    'jag är från <Luleå|LOCATION>',
    'jag är född i <Gävle|LOCATION>',
    '<bei mir in Ulm|LOCATION>',
    '<Anna|PERSON> lives alone in <Leeds|LOCATION>',
    '<Anna|PERSON>, born 9 Sept. 1996 in <Leeds|LOCATION>',
    '<Anna|PERSON> called. She has moved from Skipton to <Otley|LOCATION>',
    '<Anna|PERSON>, geboren am 4. Jänner 1979 in <Langnau|LOCATION>',
    '<Anna|PERSON>, née le 3 janvier 1985 à <Concarneau|LOCATION>',
    '{"name": "<Anna|PERSON>", "city": "<Leeds|LOCATION>',
    'Name: <Anna|PERSON>\nGeburtsort: <Ulm|LOCATION>',
    '<name><Anna|PERSON></name><city><Leeds|LOCATION>',
  ])
    it(`finds a home: ${text}`, () => expect(lastType(text)).to.equal('ADDRESS'));

  for (const text of [
    'Our company is based in <Berlin|LOCATION>',
    'Should I live in <Oslo|LOCATION>',
    'I want to live in <Oslo|LOCATION>',
    'Where did Mozart live in <Vienna|LOCATION>',
    'A theory based in <Oslo|LOCATION>',
    'Wo wohnte Goethe in <Weimar|LOCATION>',
    'Ich bin in <Kassel|LOCATION>',
    'Er ist in <Kassel|LOCATION> geboren',
    'bei uns in <Ulm|LOCATION>',
    'je suis de retour de <Paris|LOCATION>',
    'Combien de gens habitent à <Lyon|LOCATION>',
    'si vous habitez <Lyon|LOCATION>',
    '¿Cuántas personas viven en <Sevilla|LOCATION>',
    'un concierto en vivo en <Vigo|LOCATION>',
    'Quante persone vivono a <Roma|LOCATION>',
    'un concerto dal vivo a <Firenze|LOCATION>',
    'Hoeveel mensen wonen in <Utrecht|LOCATION>',
    'show ao vivo em <Natal|LOCATION>',
    'Quantas pessoas moram em <Natal|LOCATION>',
    'jestem w <Warszawie|LOCATION>',
    'u nas w <Polsce|LOCATION>',
    'jag är i <Lund|LOCATION>',
    'Hur många bor i <Lund|LOCATION>',
    'the weather in <Leeds|LOCATION>',
    'I live alone! Not in <Leeds|LOCATION>',
    'where I live\nthe weather in <Leeds|LOCATION>',
    'I am flying from <Leeds|LOCATION>',
    'people who live in <Leeds|LOCATION>',
    'Which singer was born in <Leeds|LOCATION>',
    '<Marie Curie|PUBLIC_PERSON> was born in <Warsaw|LOCATION>',
    '{"station": 7, "city": "<Leeds|LOCATION>',
    '<Anna|PERSON> wrote about the trip to <Leeds|LOCATION>',
    '<Anna|PERSON> lives here. Do you like <Leeds|LOCATION>',
    `<Anna|PERSON> ${'and so on '.repeat(40)} lives in <Leeds|LOCATION>`,
    'I live in <Contoso|ORGANIZATION>',
  ])
    it(`leaves another place: ${text}`, () => expect(lastType(text)).to.not.equal('ADDRESS'));

  it('takes linear time', () =>
    expectLinearTime('places', 20_000, (length) => {
      const spans = Array.from({ length }, (_, at): Span => ({ start: 9 * at + 6, end: 9 * at + 8, type: 'LOCATION', score: 1, detector: 'fixed', rule: 'fixed' })); // prettier-ignore
      withHomes('lives in '.repeat(length), spans);
    }));
});
