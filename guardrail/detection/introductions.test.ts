import { expect } from 'chai';
import { withIntroductions } from './introductions.ts';

/** The type of the public person "Bob Dylan" in a text. */
function typeIn(text: string): string | undefined {
  const start = text.indexOf('Bob Dylan');
  const spans = [{ start, end: start + 9, type: 'PUBLIC_PERSON', score: 1, detector: 'fixed', rule: 'fixed' }];
  return withIntroductions(text, spans)[0]?.type;
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
const others: readonly string[] = [
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

describe('withIntroductions', () => {
  for (const text of introductions) {
    it(`makes the person private in: ${text}`, () => {
      expect(typeIn(text)).to.equal('PERSON');
    });
  }
  it('makes a name in a field private beside an address for mail', () => {
    const text = 'Name: Bob Dylan, Mail: bob@mail.example';
    const name = { start: 6, end: 15, type: 'PUBLIC_PERSON', score: 1, detector: 'fixed', rule: 'fixed' };
    const mail = { ...name, start: 23, end: 39, type: 'EMAIL_ADDRESS' };
    expect(withIntroductions(text, [name, mail])).to.deep.equal([
      { ...name, type: 'PERSON', rule: 'introduction' },
      mail,
    ]);
    expect(withIntroductions(text, [name])).to.deep.equal([name]);
  });
  for (const text of others) {
    it(`leaves the person public in: ${text}`, () => {
      expect(typeIn(text)).to.equal('PUBLIC_PERSON');
    });
  }

  it('changes no other type', () => {
    const place = { start: 4, end: 9, type: 'LOCATION', score: 1, detector: 'fixed', rule: 'fixed' };
    expect(withIntroductions("I'm Paris", [place])).to.deep.equal([place]);
  });
});
