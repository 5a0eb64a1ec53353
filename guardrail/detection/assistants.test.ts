import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ASSISTANTS, withAssistants } from './assistants.ts';

const training = join(import.meta.dirname, '../../hack/training');

/** The type of the first name in a text, which was found as a private person. */
function typeIn(text: string): string | undefined {
  const [name = ''] = /Gemini(?: Dupont)?|Bixby|Cortana|Claude|Siri|Alexa|Anna/.exec(text) ?? [];
  const start = text.indexOf(name);
  return withAssistants(text, [
    { start, end: start + name.length, type: 'PERSON', score: 1, detector: 'fixed', rule: 'fixed' },
  ])[0]?.type;
}

const assistants: readonly string[] = [
  'Hi Gemini, what is the difference between TCP and UDP?',
  'Hey Gemini! Write a poem.',
  'Hey Bixby, set a timer.',
  "Cortana, what's the weather like?",
  'Thanks, Gemini!',
  'Thank you Gemini',
  'Ok, thanks Gemini. And how do I cook rice?',
  'Hallo Gemini, kannst du mir helfen?',
  'Bonjour Gemini, peux-tu m’expliquer la photosynthèse ?',
  'Hola Gemini, ¿qué es un agujero negro?',
  '  hi Gemini can you help me?',
];
const people: readonly string[] = [
  'Hi Gemini,\n\nthank you for the invoice.',
  'Dear Gemini, I hope you are well.',
  'Hi Gemini Dupont, your parcel has arrived.',
  'Hi Anna, can you help me?',
  'Gemini asked me to call.',
  'Write to my boss: Hi Gemini, I am ill today.',
  'My sister Cortana, who lives in Bonn, is ill.',
  'Hi Claude, what is the difference between TCP and UDP?',
  'Hi Alexa',
  'Hey Siri, set a timer.',
];

describe('withAssistants', () => {
  for (const text of assistants) {
    it(`makes the assistant public in: ${JSON.stringify(text)}`, () => {
      expect(typeIn(text)).to.equal('PUBLIC_PERSON');
    });
  }
  for (const text of people) {
    it(`leaves the person private in: ${JSON.stringify(text)}`, () => {
      expect(typeIn(text)).to.equal('PERSON');
    });
  }

  it('knows no name that people bear', () => {
    const lists = globSync('languages/*/{given,family}Names.txt', { cwd: training });
    const names = new Set(
      lists.flatMap((list) => readFileSync(join(training, list), 'utf8').toLowerCase().split('\n')),
    );
    expect(names).to.include('claude').and.include('siri');
    expect(ASSISTANTS.filter((name) => names.has(name))).to.deep.equal([]);
  });

  it('changes only the name to which the text is addressed', () => {
    const text = 'Hi Gemini, my brother Gemini is ill.';
    const spans = [3, 22].map((start) => ({
      start,
      end: start + 6,
      type: 'PERSON',
      score: 1,
      detector: 'fixed',
      rule: 'fixed',
    }));
    expect(withAssistants(text, spans).map(({ type }) => type)).to.deep.equal(['PUBLIC_PERSON', 'PERSON']);
  });
});
