import { expect } from 'chai';
import { recognizedTypes } from '../detection/recognizers/recognizers.ts';
import { kindNames } from '../detection/ner/labels.ts';
import { generalTypeOf } from '../detection/publicTypes.ts';
import { createLabelSet } from './labels.ts';

describe('createLabelSet', () => {
  it('has a label for each type that the built-in detector finds', () => {
    const types = new Set([...recognizedTypes(), ...kindNames].map(generalTypeOf));
    expect(types.size).to.be.greaterThan(30);
    expect(types).to.include('API_KEY');
    const { labelOf } = createLabelSet([]);
    for (const type of types) expect(labelOf(type), `add ${type} to labels.ts`).to.equal(type);
  });
});
