import { expect } from 'chai';
import { withAssistants } from './assistants.ts';

/** The type of the first name in a text, which was found as a private person. */
function typeIn(text: string): string | undefined {
  const [name = ''] = /Claude(?: Dupont)?|Siri|Alexa|Gemini|Anna/.exec(text) ?? [];
  const start = text.indexOf(name);
  return withAssistants(text, [{ start, end: start + name.length, type: 'PERSON', score: 1, detector: 'fixed' }])[0]
    ?.type;
}

const assistants: readonly string[] = [
  'Hi Claude, what is the difference between TCP and UDP?',
  'Hey Claude! Write a poem.',
  'Hey Siri, set a timer.',
  "Alexa, what's the weather like?",
  'Thanks, Claude!',
  'Thank you Claude',
  'Ok, thanks Claude. And how do I cook rice?',
  'Hallo Claude, kannst du mir helfen?',
  'Bonjour Claude, peux-tu m’expliquer la photosynthèse ?',
  'Hola Gemini, ¿qué es un agujero negro?',
  '  hi Claude can you help me?',
];
const people: readonly string[] = [
  'Hi Claude,\n\nthank you for the invoice.',
  'Dear Claude, I hope you are well.',
  'Hi Claude Dupont, your parcel has arrived.',
  'Hi Anna, can you help me?',
  'Claude asked me to call.',
  'Write to my boss: Hi Claude, I am ill today.',
  'My sister Alexa, who lives in Bonn, is ill.',
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

  it('changes only the name to which the text is addressed', () => {
    const text = 'Hi Claude, my brother Claude is ill.';
    const spans = [3, 22].map((start) => ({ start, end: start + 6, type: 'PERSON', score: 1, detector: 'fixed' }));
    expect(withAssistants(text, spans).map(({ type }) => type)).to.deep.equal(['PUBLIC_PERSON', 'PERSON']);
  });
});
