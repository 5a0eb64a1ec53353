import { expect } from 'chai';
import { questionsFile, readKinds } from './kinds.ts';

const questions = readKinds(questionsFile);
const texts = questions.flatMap((kind) => kind.texts);

describe('everyday questions', () => {
  it('are at least 500 distinct texts', () => {
    expect(new Set(texts.map(({ text }) => text)).size)
      .to.equal(texts.length)
      .and.be.at.least(500);
  });

  it('have an id each', () => {
    expect(new Set(texts.map(({ id }) => id)).size).to.equal(texts.length);
  });

  it('are in nine languages', () => {
    expect([...new Set(questions.map(({ language }) => language))].sort()).to.deep.equal(
      'de en es fr it nl pl pt sv'.split(' '),
    );
  });

  it('have no marks', () => {
    expect(texts.filter(({ text, spans }) => spans.length > 0 || text.includes('[[')).map(({ id }) => id)).to.deep.equal([]); // prettier-ignore
  });

  it('are not among the texts of many kinds', () => {
    const known = new Set(readKinds().flatMap((kind) => kind.texts.map(({ text }) => text.toLowerCase())));
    expect(texts.filter(({ text }) => known.has(text.toLowerCase())).map(({ id }) => id)).to.deep.equal([]);
  });
});
