import { expect } from 'chai';
import { recognizedTypes } from '../detection/recognizers/recognizers.ts';
import { kindNames } from '../detection/ner/labels.ts';
import { generalTypeOf, knownTypes } from '../entityTypes.ts';
import { createLabelSet } from './labels.ts';

describe('knownTypes', () => {
  it('contains each type that the built-in detector finds, before and after the decision of the policy', () => {
    const types = [...recognizedTypes(), ...kindNames, 'PUBLIC_PERSON', 'PUBLIC_URL'];
    for (const type of types.flatMap((each) => [each, generalTypeOf(each)])) expect(knownTypes).to.include(type);
    expect(knownTypes).to.not.include.any.keys('LITERAL', 'ENTITY');
  });
});

describe('createLabelSet', () => {
  it('has a label for each type that the built-in detector finds', () => {
    const types = new Set([...recognizedTypes(), ...kindNames].map(generalTypeOf));
    expect(types.size).to.be.greaterThan(30);
    expect(types).to.include('API_KEY');
    const { labelOf } = createLabelSet([]);
    for (const type of types) expect(labelOf(type), `add ${type} to entityTypes.ts`).to.equal(type);
  });
});
