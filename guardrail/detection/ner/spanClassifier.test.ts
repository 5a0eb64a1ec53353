import { expect } from 'chai';
import { thresholds } from './thresholds.ts';
import fc from 'fast-check';
import { classCount, entityClasses } from './entityClasses.ts';
import { packClassifier, unpackClassifier } from './model.ts';
import {
  calibrated,
  decide,
  nameOf,
  packedRows,
  personalOf,
  rowsLength,
  SpanClassifier,
  type ClassifierWeights,
  type Judged,
  type Probabilities,
} from './spanClassifier.ts';
import { mostFeatures, spanBuckets } from '../kernel/numbers.ts';

const exact = { slope: 1, offset: 0 };
const calibration = { personal: exact, any: exact };
const nothing: Probabilities = { person: 0, publicPerson: 0, address: 0, location: 0, organization: 0 };
const limits = { personal: 0.3, home: 0.5, common: 0.75, any: 0.5, anyTagged: 0.2, margin: 1 };
const doubtfulTag = { kind: 'LOCATION', margin: 0, isCommon: false, hasNumber: false } as const;
/** What decides about a candidate if both models agree and the text has no other name. */
const judged = <Tag>(
  tag: Tag,
  probabilities: Probabilities,
): Tag & Pick<Judged, 'probabilities' | 'network' | 'score'> => ({
  ...tag,
  probabilities,
  network: probabilities,
  score: personalOf(probabilities),
});
const sureTag = { kind: 'ORGANIZATION', margin: 2, isCommon: false, hasNumber: false } as const;

function weights(rows: ReadonlyMap<number, readonly number[]>): ClassifierWeights {
  const all = new Int8Array(rowsLength);
  for (const [feature, row] of rows) all.set(row, feature * classCount);
  return { rows: packedRows(all), unit: 0.05, ...calibration };
}

describe('the decision about a candidate', () => {
  const cases: readonly (readonly [what: string, Partial<Probabilities>, type: string | undefined])[] = [
    ['a private person', { person: 0.9 }, 'PERSON'],
    ['a person who may be private', { person: 0.3, publicPerson: 0.7 }, 'PERSON'],
    ['a person who is hardly private', { person: 0.2, publicPerson: 0.7 }, 'PUBLIC_PERSON'],
    ['the town of a person', { address: 0.6, location: 0.4 }, 'ADDRESS'],
    ['a town that may be the town of a person', { address: 0.4, location: 0.6 }, 'LOCATION'],
    ['a private person or an address', { person: 0.18, address: 0.16 }, 'PERSON'],
    ['a place', { location: 0.8, address: 0.1 }, 'LOCATION'],
    ['an organisation', { organization: 0.5, location: 0.2 }, 'ORGANIZATION'],
    ['a name of some sort', { person: 0.1, publicPerson: 0.2, location: 0.2, organization: 0.1 }, 'PUBLIC_PERSON'],
    ['hardly a name', { person: 0.1, location: 0.2, organization: 0.1 }, undefined],
  ];
  for (const [what, given, type] of cases) {
    it(`${what}: ${type ?? 'nothing'}`, () => {
      expect(decide(judged(doubtfulTag, { ...nothing, ...given }), calibration, limits)?.type).to.equal(type);
    });
  }

  it('needs less for an address with a number than for a town', () => {
    const doubtful = { ...nothing, address: 0.4, location: 0.3 };
    expect(decide(judged({ ...doubtfulTag, hasNumber: true }, doubtful), calibration, limits)?.type).to.equal(
      'ADDRESS',
    );
  });

  it('needs more to take a known name for that of a private person', () => {
    const known = { ...doubtfulTag, isCommon: true };
    const types = [0.7, 0.8].map((person) => decide(judged(known, { ...nothing, person }), calibration, limits)?.type);
    expect(types).to.deep.equal(['PUBLIC_PERSON', 'PERSON']);
  });

  it('compares the score of a candidate with the thresholds, and reports it', () => {
    const doubtful = { ...nothing, person: 0.6 };
    const candidate = { ...judged(doubtfulTag, doubtful), score: 0.4 };
    expect(decide(candidate, calibration, { ...limits, personal: 0.5 })).to.deep.equal({
      type: 'PUBLIC_PERSON',
      score: 0.6,
    });
    expect(decide(candidate, calibration, limits)).to.deep.equal({ type: 'PERSON', score: 0.4 });
  });

  it('takes for an address what the network takes for one', () => {
    const doubtful = { ...judged({ ...doubtfulTag, hasNumber: true }, { ...nothing, person: 0.5, address: 0.4 }) };
    expect(decide({ ...doubtful, network: { person: 0.1, address: 0.8 } }, calibration, limits)?.type).to.equal(
      'ADDRESS',
    );
  });

  it('follows a sure tag unless it is hardly a name', () => {
    expect(decide(judged(sureTag, { ...nothing, location: 0.3 }), calibration, limits)).to.deep.equal({
      type: 'ORGANIZATION',
      score: calibrated(0.3, exact),
    });
    expect(decide(judged(sureTag, { ...nothing, location: 0.1 }), calibration, limits)).to.equal(undefined);
  });

  it('finds at least as much at a higher recall', () => {
    const share = fc.double({ min: 0, max: 0.2, noNaN: true });
    const any = fc.record({ person: share, publicPerson: share, address: share, location: share, organization: share });
    fc.assert(
      fc.property(any, fc.boolean(), (probabilities, isCommon) => {
        const found = (['precise', 'balanced', 'thorough'] as const).map(
          (recall) =>
            decide(judged({ ...doubtfulTag, isCommon }, probabilities), calibration, thresholds[recall].beside) !==
            undefined,
        );
        expect(found).to.deep.equal(found.toSorted((a, b) => Number(a) - Number(b)));
      }),
    );
  });
});

describe('the classifier', () => {
  it('adds the weights of the features, and gives probabilities', () => {
    const classifier = new SpanClassifier(
      weights(
        new Map([
          [7, [0, 20, 0, 0, 0, 0]],
          [9, [0, 20, 0, 0, 0, 0]],
        ]),
      ),
    );
    const { person, address } = classifier.probabilitiesOf(Int32Array.of(7, 9, 11), 3);
    expect(person).to.be.closeTo(Math.exp(2) / (Math.exp(2) + 5), 1e-9);
    expect(address).to.be.closeTo(1 / (Math.exp(2) + 5), 1e-9);
    expect(classifier.probabilitiesOf(Int32Array.of(7, 9, 11), 1).person).to.be.below(person);
  });

  it('gives probabilities that add up to 1, for any weights and features', () => {
    const rows = Int8Array.from({ length: rowsLength }, (_, at) => Math.imul(at, 0x9e3779b1) >> 24);
    const classifier = new SpanClassifier({ rows: packedRows(rows), unit: 0.02, ...calibration });
    const features = fc.array(fc.nat(spanBuckets - 1), { maxLength: mostFeatures });
    fc.assert(
      fc.property(features, (buckets) => {
        const all = nameOf(classifier.probabilitiesOf(Int32Array.from(buckets), buckets.length));
        expect(all).to.be.within(0, 1 + 1e-9);
      }),
    );
  });

  it('has one weight for each class in a row', () => {
    expect(entityClasses).to.have.length(classCount);
  });
});

describe('packClassifier and unpackClassifier', () => {
  it('keep weights and calibration', () => {
    const given: ClassifierWeights = {
      ...weights(new Map([[3, [1, -2, 127, -127, 0, 5]]])),
      personal: { slope: 1.25, offset: -0.5 },
      any: { slope: 0.75, offset: 0.125 },
    };
    expect(unpackClassifier(packClassifier(given))).to.deep.equal(given);
  });

  it('reject a file with another layout', () => {
    const { rows, ...rest } = weights(new Map());
    expect(() => unpackClassifier(packClassifier({ ...rest, rows: rows.slice(6) }))).to.throw('reinstall');
  });
});
