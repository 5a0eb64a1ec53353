import { expect } from 'chai';
import { allMessages } from '../network/messages.ts';

const kinds = [
  'P',
  'ADDRESS',
  'ID',
  'USERNAME',
  'PASSWORD',
  'DATE_OF_BIRTH',
  'PHONE_NUMBER',
  'LICENSE_PLATE',
  'EMAIL_ADDRESS',
];
const opening = new RegExp(`\\[(?:${kinds.join('|')}) `, 'g');
const mark = new RegExp(`\\[(?:${kinds.join('|')}) ([^[\\]\\n]+)\\]`, 'g');

describe('training messages', () => {
  const messages = allMessages();

  it('have complete marks of known kinds, on one line', () => {
    for (const { text } of messages) {
      const values = Array.from(text.matchAll(mark), ([, value = '']) => value);
      expect(values.length, text).to.equal(text.match(opening)?.length ?? 0);
      for (const value of values) expect(value.trim(), text).to.equal(value);
    }
  });

  it('are written once, and are as long as messages are', () => {
    const texts = messages.map(({ text }) => text);
    expect(texts.filter((text, at) => texts.indexOf(text) !== at)).to.deep.equal([]);
    for (const text of texts) expect(text.length, text).to.be.within(15, 2600);
  });

  it('are innocent in at least four of ten', () => {
    const innocent = messages.filter(({ text }) => text.search(opening) < 0);
    expect(innocent.length / messages.length).to.be.within(0.4, 0.7);
  });
});
