import { expect } from 'chai';
import { noiseOf, readShipped, updated, withDeviations, worseFigures } from './shippedFigures.ts';

const person = 'Held out | personal | leaked values | PERSON | de';
const card = 'Held out | personal | leaked values | CREDIT_CARD | all';
const shipped = { seeds: [0], figures: [{ name: person, value: 0.06, of: 400 }, { name: card, value: 0, of: 60 }] }; // prettier-ignore

describe('shipped figures', () => {
  it('of the file state the seeds, a set, a type and a language, and differ by them', () => {
    const { seeds, figures } = readShipped();
    expect(seeds).to.include(0);
    expect(figures.filter(({ name }) => name.split(' | ').length !== 5)).to.deep.equal([]);
    expect(new Set(figures.map(({ name }) => name)).size)
      .to.equal(figures.length)
      .and.be.above(500);
  });

  it('name a figure that is worse by more than its noise, with set, type, language and both values', () => {
    expect(worseFigures(shipped, [{ name: person, value: 0.18, of: 400 }, { name: card, value: 1 / 60, of: 60 }])).to.deep.equal([
      `${person}: 0.1800 instead of 0.0600, at most 0.0837`,
      `${card}: 0.0167 instead of 0.0000, at most 0.0000`,
    ]); // prettier-ignore
    expect(worseFigures(shipped, [{ name: person, value: 0.08, of: 400 }, { name: card, value: 0, of: 60 }])).to.deep.equal([]); // prettier-ignore
  });

  it('name one that is not measured any more, or on other texts', () => {
    expect(worseFigures(shipped, [{ name: person, value: 0, of: 300 }])).to.deep.equal([
      `${person}: of 300 instead of 400`,
      `${card}: not measured`,
    ]);
  });

  it('have the noise of five seeds, and that of the set as long as fewer are measured', () => {
    const figure = { name: person, value: 0.1, of: 900, deviation: 0.004 };
    expect(noiseOf(figure, [0, 1, 2, 3, 4])).to.be.closeTo(0.008, 1e-9);
    expect(noiseOf(figure, [0])).to.be.closeTo(2 * Math.hypot(0.004, 0.01), 1e-9);
    expect(noiseOf({ name: person, value: 0, of: 20 }, [0])).to.equal(1 / 20);
  });

  it('take the noise from the trainings with other seeds', () => {
    const of = (value: number): readonly { name: string; value: number; of: number }[] => [{ name: person, value, of: 400 }, { name: card, value: 0, of: 60 }]; // prettier-ignore
    const { seeds, figures } = withDeviations(shipped, new Map([[0, of(0.06)], [1, of(0.07)], [2, of(0.08)]])); // prettier-ignore
    expect(seeds).to.deep.equal([0, 1, 2]);
    expect(figures.map(({ deviation }) => deviation)).to.deep.equal([0.01, 0]);
  });

  it('never forget the best value of a set, so that small losses do not add up', () => {
    const [first] = updated(shipped, [{ name: person, value: 0.07, of: 400 }]).figures;
    expect(first).to.deep.equal({ name: person, value: 0.07, of: 400, best: 0.06 });
    const [second] = updated({ seeds: [0], figures: [...(first ? [first] : [])] }, [{ name: person, value: 0.08, of: 400 }]).figures; // prettier-ignore
    expect(second?.best).to.equal(0.06);
    expect(updated(shipped, [{ name: person, value: 0.07, of: 500 }]).figures).to.deep.equal([
      { name: person, value: 0.07, of: 500 },
    ]);
  });
});
