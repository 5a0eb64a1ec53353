import { expect } from 'chai';
import { createBuiltinDetector } from '../builtinDetector.ts';
import { isStructure } from './structure.ts';

/** Whether the part of a text between « and » is structure. */
function isStructureIn(marked: string): boolean {
  const start = marked.indexOf('«');
  const end = marked.indexOf('»') - 1;
  return isStructure(marked.replace(/[«»]/g, ''), { start, end });
}

describe('structure', () => {
  for (const marked of [
    '{"«iban»": "DE89370400440532013000"}',
    '{"«isin»":1}',
    '{"account_«holder»" : null}',
    "{'«accountHolder»': 1}",
    String.raw`{\"«iban»\": 1}`,
    '{"title": "«Iban»", "type": "string"}',
    '{"type":"string","title":"Account «Holder»"}',
    'SECRET_«KEY»=abc',
    '«SORT»_KEY',
  ])
    it(`is ${marked}`, () => expect(isStructureIn(marked)).to.equal(true));

  for (const marked of [
    '{"«Anna»": "+49 170 1234567"}',
    '{"«Anna Schmidt»": 3}',
    '{"name": "«Anna»"}',
    '{"title": "«Anna Schmidt»", "room": "string"}',
    '{"«张伟»": 3}',
    'anna_«schmidt»_cv.pdf',
    '«Anna»: hello',
    '"«anna»" said: no',
  ])
    it(`is not ${marked}`, () => expect(isStructureIn(marked)).to.equal(false));

  it('is no person, place or organisation', async () => {
    const detector = createBuiltinDetector();
    const text =
      '{"iban": "x", "isin": "y", "title": "Iban", "type": "string", "ines": {"title": "Isin", "type": "number"}}';
    const [spans] = await detector.detect([text], { signal: new AbortController().signal, recall: 'thorough' });
    expect(spans).to.deep.equal([]);
  });
});
