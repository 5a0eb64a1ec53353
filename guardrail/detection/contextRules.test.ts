import { expect } from 'chai';
import { expectLinearTime } from '../../hack/harness/linearTime.ts';
import type { Span } from './contract.ts';
import { contextSteps } from './contextRules.ts';
import { withMarks } from './testing/markedSpans.ts';

const withContext = (text: string, spans: readonly Span[]): readonly Span[] =>
  contextSteps.reduce((found, { apply }) => apply(text, found), spans);

/** The type of the public person "Bob Dylan" in a text. */
function typeIn(text: string): string | undefined {
  const start = text.indexOf('Bob Dylan');
  const spans = [{ start, end: start + 9, type: 'PUBLIC_PERSON', score: 1, detector: 'fixed', rule: 'fixed' }];
  return withContext(text, spans)[0]?.type;
}

const introductions: readonly string[] = [
  "Hi, I'm Bob Dylan, my order number is 4711.",
  'HELLO, MY NAME IS Bob Dylan',
  'Guten Tag, ich heiße Bob Dylan.',
  'Bonjour, je m’appelle Bob Dylan.',
  'Hola, me llamo Bob Dylan y no puedo entrar.',
  'Buongiorno, mi chiamo Bob Dylan.',
  'Hoi, ik heet Bob Dylan',
  'Olá, o meu nome é Bob Dylan.',
  'Nazywam się Bob Dylan.',
  'Hej, jag heter Bob Dylan.',
  'Patient: Bob Dylan',
  '{"customer": "Bob Dylan"}',
  'Kundin: Eva\nAnsprechpartner: Bob Dylan',
  'To: a@b.example\nCc: Bob Dylan\nSubject: Sick leave',
  'Von: Bob Dylan',
];
const publicNames: readonly string[] = [
  'Who is Bob Dylan?',
  'Songs by Bob Dylan',
  'I am a fan of Bob Dylan.',
  'Iam Bob Dylan',
  'Singer: Bob Dylan, name: Bob Dylan',
  'a letter from: Bob Dylan',
  'Q: Who wrote it?\nA: Bob Dylan',
  'Band member: Bob Dylan',
  'From: Bob Dylan to Joan Baez',
  'Guest: Bob Dylan',
];

describe('context rules for introductions', () => {
  for (const text of introductions) {
    it(`makes the person private in: ${text}`, () => {
      expect(typeIn(text)).to.equal('PERSON');
    });
  }
  it('makes a name in a field private beside an address for mail', () => {
    const text = 'Name: Bob Dylan, Mail: bob@mail.example';
    const name = { start: 6, end: 15, type: 'PUBLIC_PERSON', score: 1, detector: 'fixed', rule: 'fixed' };
    const mail = { ...name, start: 23, end: 39, type: 'EMAIL_ADDRESS' };
    expect(withContext(text, [name, mail])).to.deep.equal([{ ...name, type: 'PERSON', rule: 'introduction' }, mail]);
    expect(withContext(text, [name])).to.deep.equal([name]);
  });
  for (const text of publicNames) {
    it(`leaves the person public in: ${text}`, () => {
      expect(typeIn(text)).to.equal('PUBLIC_PERSON');
    });
  }

  it('changes no other type', () => {
    const place = { start: 4, end: 9, type: 'LOCATION', score: 1, detector: 'fixed', rule: 'fixed' };
    expect(withContext("I'm Paris", [place])).to.deep.equal([place]);
  });
});

/** The private persons in a text, after the model found `name` as a public person. */
function personsIn(text: string, name: string): string[] {
  const start = text.indexOf(name);
  const spans = [
    { start, end: start + name.length, type: 'PUBLIC_PERSON', score: 1, detector: 'fixed', rule: 'fixed' },
  ];
  return withContext(text, spans).flatMap((span) => (span.type === 'PERSON' ? text.slice(span.start, span.end) : []));
}

const titled: readonly [text: string, found: string, name: string][] = [
  ['de hond van mevrouw De Vries', 'De Vries', 'De Vries'],
  ['Mevrouw De Vries heeft gebeld.', 'De Vries', 'De Vries'],
  ['Mrs. Van Houten called again.', 'Van Houten', 'Van Houten'],
  ['MRS. Van Houten called again.', 'Van Houten', 'Van Houten'],
  ['Señora De la Cruz llamó ayer.', 'la Cruz', 'De la Cruz'],
  ['Signora De Luca ha chiamato.', 'Luca', 'De Luca'],
  ['Kunt u dhr. Van Dijk terugbellen?', 'Dijk', 'Van Dijk'],
  ['Herr Von Der Heide', 'Von Der Heide', 'Von Der Heide'],
  ["Mrs. O'Brien called.", "'Brien", "O'Brien"],
  ['I met Mr. O’Malley.', 'Malley', 'O’Malley'],
  ["Mr. D'Angelo", "D'Angelo", "D'Angelo"],
];
const initialled: readonly [text: string, found: string, name: string][] = [
  ['dhr. J.P. van der Meulen', 'P. van der Meulen', 'J.P. van der Meulen'],
  ['by A.B.C. Dahl', 'C. Dahl', 'A.B.C. Dahl'],
  ['Vitamin A. Peter', 'Peter', 'Peter'],
];
const publicFamilyNames: readonly [text: string, name: string][] = [
  ['Who is Mr. Bean?', 'Bean'],
  ['Cocoa by Van Houten', 'Van Houten'],
  ['The actor Robert De Niro', 'De Niro'],
  ["The actor Pat O'Brien", "Pat O'Brien"],
];

describe('context rules for family names', () => {
  for (const [text, found, name] of titled) {
    it(`makes ${JSON.stringify(name)} private in: ${text}`, () => {
      expect(personsIn(text, found)).to.deep.equal([name]);
    });
  }
  for (const [text, found, name] of initialled) {
    it(`begins at the first initial in: ${text}`, () => {
      const start = text.indexOf(found);
      const spans = [{ start, end: start + found.length, type: 'PERSON', score: 1, detector: 'fixed', rule: 'fixed' }];
      expect(withContext(text, spans).map((span) => text.slice(span.start, span.end))).to.deep.equal([name]);
    });
  }
  for (const [text, name] of publicFamilyNames) {
    it(`leaves the name public in: ${text}`, () => {
      expect(personsIn(text, name)).to.deep.equal([]);
    });
  }

  it('removes the other part of a name that was found in two', () => {
    const spans = [
      [0, 4],
      [4, 11],
    ].map(([start = 0, end = 0]) => ({ start, end, type: 'PERSON', score: 1, detector: 'fixed', rule: 'fixed' }));
    expect(withContext("Dr O'Conner", spans).map(({ start, end }) => [start, end])).to.deep.equal([[3, 11]]);
  });

  it('completes names without a title, too', () => {
    const text = "I spoke to O'Reilly and D’Angelo, not to X'Y.";
    const spans = ["'Reilly", 'Angelo', "'Y"].map((name) => {
      const start = text.indexOf(name);
      return { start, end: start + name.length, type: 'PERSON', score: 1, detector: 'fixed', rule: 'fixed' };
    });
    const names = withContext(text, spans).map(({ start, end }) => text.slice(start, end));
    expect(names).to.deep.equal(["O'Reilly", 'D’Angelo', "'Y"]);
  });
});

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
  return withContext(text, spans).at(-1)?.type;
}

describe('context rules for homes', () => {
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
      withContext('lives in '.repeat(length), spans);
    }));
});

const inOrder = (text: string, spans: readonly Span[]): readonly Span[] =>
  withContext(text, spans).toSorted((a, b) => a.start - b.start);

describe('context rules for dwellings', () => {
  for (const [before, after] of [
    ['left with <Mr Price|PERSON>, flat 9.', 'left with <Mr Price|PERSON>, <flat 9|ADDRESS>.'],
    ['given to <Price|PERSON> (Apt 4b)', 'given to <Price|PERSON> (<Apt 4b|ADDRESS>)'],
    ['bei <Holzapfel|PERSON> im 2. OG abgegeben', 'bei <Holzapfel|PERSON> im <2. OG|ADDRESS> abgegeben'],
    ['bei <Krüger|PERSON> in der 3. Etage', 'bei <Krüger|PERSON> in der <3. Etage|ADDRESS>'],
    ['chez <Malbranque|PERSON>, au 3e étage', 'chez <Malbranque|PERSON>, au <3e étage|ADDRESS>'],
    ['con <Ferragut|PERSON>, piso 2', 'con <Ferragut|PERSON>, <piso 2|ADDRESS>'],
    ['da <Ghezzi|PERSON>, interno 4.', 'da <Ghezzi|PERSON>, <interno 4|ADDRESS>.'],
    ['bij <Kuipers|PERSON> op nr. 31 afgegeven', 'bij <Kuipers|PERSON> op <nr. 31|ADDRESS> afgegeven'],
    ['bei <Krüger|PERSON>, Top 5.', 'bei <Krüger|PERSON>, <Top 5|ADDRESS>.'],
    ['u <Nowak|PERSON>, m. 12', 'u <Nowak|PERSON>, <m. 12|ADDRESS>'],
    ['com <Iracema|PERSON>, apto 12', 'com <Iracema|PERSON>, <apto 12|ADDRESS>'],
    ['hos <Botvid|PERSON> på plan 2.', 'hos <Botvid|PERSON> på <plan 2|ADDRESS>.'],
  ] as const)
    it(`finds the dwelling in: ${before}`, () => expect(withMarks(before, inOrder)).to.equal(after));

  for (const [before, after] of [
    ['<Ann Lee|PERSON> moved to <Praha|LOCATION> 5.', '<Ann Lee|PERSON> moved to <Praha 5|ADDRESS>.'],
    ['<Ann Lee|PERSON> is from <Cheb|LOCATION> 2, I hear', '<Ann Lee|PERSON> is from <Cheb 2|ADDRESS>, I hear'],
    ['<Ann Lee|PERSON> wohnt in <Wien|ADDRESS> 3', '<Ann Lee|PERSON> wohnt in <Wien 3|ADDRESS>'],
    ['<Ann Lee|PERSON>: from <Louny|LOCATION> 1 to Cheb', '<Ann Lee|PERSON>: from <Louny 1|ADDRESS> to Cheb'],
  ] as const)
    it(`finds the district in: ${before}`, () => expect(withMarks(before, inOrder)).to.equal(after));

  for (const text of [
    'take flat 9 or the 2. OG',
    'ask <Microsoft|ORGANIZATION>, unit 9',
    '<Ann|PERSON> counted plan 2',
    '<Ann|PERSON> is top 3 in sales',
    '<Ann|PERSON> finished in the top 10.',
    'Ask <Ann|PERSON> for unit 3 of the book',
    '<Jan|PERSON> is nummer 1 van de lijst',
    '<Jan|PERSON> met bus 12 naar het werk',
    '<Krüger|PERSON> ist die Nr. 1 im Team',
    '<Ann|PERSON> called. Room 5 is free',
    '<Ann|PERSON>, flat 9.5',
    'they moved to <Praha|LOCATION> 5.',
    '<Ann|PERSON> spent in <Paris|LOCATION> 3 days',
    '<Ann|PERSON> was in <Paris|LOCATION> 2024.',
    '<Ann|PERSON> paid in <Paris|LOCATION> 3,50',
    '<Ann|PERSON> arrives in <Paris|LOCATION> 10:30.',
    '<Ann|PERSON> ran in <Paris|LOCATION> 3.5 km',
    '<Ann|PERSON> likes <Paris|LOCATION> 5.',
    '<Ann|PERSON> is in <Leeds LS1|ADDRESS> 5.',
  ])
    it(`leaves: ${text}`, () => expect(withMarks(text, inOrder)).to.equal(text));
});
