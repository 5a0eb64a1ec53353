import { expect } from 'chai';
import { entityClasses } from '../../guardrail/detection/ner/entityClasses.ts';
import { packedRows, SpanClassifier } from '../../guardrail/detection/ner/spanClassifier.ts';
import { Random } from './random.ts';
import { meanOf, trainClassifier } from './softmax.ts';
import type { SpanExamples } from './spanExamples.ts';

const exact = { slope: 1, offset: 0 };
const person = entityClasses.indexOf('PERSON');
const place = entityClasses.indexOf('LOCATION');

/** Feature 1 means a person and feature 2 a place, nine times in ten; feature 3 means nothing. */
function examples(): SpanExamples {
  const random = new Random(3);
  const classes: number[] = [];
  const features: Int32Array[] = [];
  for (let count = 0; count < 12_000; count++) {
    const isPerson = random.chance(0.5);
    const isClear = random.chance(0.9);
    classes.push(isPerson ? person : place);
    features.push(Int32Array.of(isPerson === isClear ? 1 : 2, 3));
  }
  return { classes, features };
}

describe('training of the classifier', () => {
  const train = (): ReturnType<typeof trainClassifier> =>
    trainClassifier(examples(), 2, new Random(1), () => undefined);

  it('learns which class a feature means, and is not surer than the examples', () => {
    const { rows, unit } = train();
    const classifier = new SpanClassifier({ unit, rows: packedRows(rows), personal: exact, any: exact });
    expect(classifier.probabilitiesOf(Int32Array.of(1, 3), 2).person).to.be.within(0.75, 0.95);
    expect(classifier.probabilitiesOf(Int32Array.of(2, 3), 2).location).to.be.within(0.75, 0.95);
  });

  it('gives the same weights each time', () => {
    expect(train()).to.deep.equal(train());
  });

  it('averages several classifiers', () => {
    const mean = meanOf([10, 13, -3].map((weight) => ({ rows: Int8Array.of(weight, 0), unit: 0.05 })));
    expect(mean).to.deep.equal({ rows: Int8Array.of(7, 0), unit: 0.05 });
  });
});
