import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { recognizersFor } from '../detection/recognizers/recognizers.ts';
import { kindNames } from '../detection/ner/labels.ts';
import { createVocabulary } from './labels.ts';

describe('the vocabulary of labels', () => {
  it('has a label of its own for each type that the built-in detector finds', () => {
    const folder = join(import.meta.dirname, '../detection/recognizers');
    // A recognizer can give some of its values another type: emit(start, end, score, 'API_KEY').
    const emitted = readdirSync(folder, { encoding: 'utf8', recursive: true })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(/\bemit\([^;]*?'([A-Z][A-Z_]+)'/g)])
      .map(([, type = '']) => type);
    const types = new Set([...recognizersFor(['en', 'de']).map(({ type }) => type), ...kindNames, ...emitted]);
    expect(types.size).to.be.greaterThan(30);
    expect(types).to.include('API_KEY');
    const { labelOf } = createVocabulary([]);
    for (const type of types) expect(labelOf(type), `add ${type} to labels.ts`).to.equal(type);
  });
});
