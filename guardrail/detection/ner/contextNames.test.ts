import { expect } from 'chai';
import { createBuiltinDetector } from '../builtinDetector.ts';

const detector = createBuiltinDetector();
async function found(text: string): Promise<string[]> {
  const [spans = []] = await detector.detect([text], { signal: new AbortController().signal });
  return spans.map(({ start, end, type, rule }) => `${text.slice(start, end)} ${type} ${rule}`);
}

describe('names by what is around them', () => {
  for (const [text, name] of [
    ['Bitte Herrn Winter anrufen.', 'Winter PERSON titledWord'],
    ['Mr. Price and Mrs. Winter agreed.', 'Winter PERSON titledWord'],
    ['login: akowal', 'akowal USERNAME accountName'],
  ] as const)
    it(`are found in: ${text}`, async () => expect(await found(text)).to.include(name));

  for (const text of ['Sehr geehrter Herr Präsident,', 'The Mr. Coffee machine'])
    it(`are none in: ${text}`, async () => {
      const rules = (await found(text)).filter((one) => /titledWord|accountName/.test(one));
      expect(rules).to.deep.equal([]);
    });
});
