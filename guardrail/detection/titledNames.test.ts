import { expect } from 'chai';
import type { Span } from './contract.ts';
import { withTitledNames } from './titledNames.ts';

const namesIn = (text: string, spans: readonly Span[] = []): string[] =>
  withTitledNames(text, spans).map(({ start, end }) => text.slice(start, end));

const titled: readonly [text: string, names: readonly string[]][] = [
  ['Bitte Herrn Winter anrufen.', ['Winter']],
  ['Frau Prof. Dr. Sommer hat Sprechstunde.', ['Sommer']],
  ['Mr. Miller and Mrs. Winter agreed.', ['Miller', 'Winter']],
  ["MR O'Hill-Field", ["O'Hill-Field"]],
  ['Mme Petit est absente.', ['Petit']],
  ['La Sra. Flores vive aquí.', ['Flores']],
  ['il sig. Conti', ['Conti']],
  ['Dhr. Bakker belde.', ['Bakker']],
  ['Pani Wiosna napisała.', ['Wiosna']],
  ['Fru Lind kommer.', ['Lind']],
];
const others: readonly string[] = [
  'Sehr geehrter Herr Präsident, sehr geehrte Frau Ministerin,',
  'Mr. President, Mr. Speaker',
  'Señor Presidente, gracias. Signor Presidente!',
  'the Miss Universe of 1990 flew with Pan Am',
  'mr means medical record, it takes 12 ms. TLS adds 3 ms',
  'Herr der Ringe, Frau im Mond',
  'the Kilmr Winter',
];

describe('withTitledNames', () => {
  for (const [text, names] of titled) {
    it(`finds ${names.join(' and ')} in: ${text}`, () => {
      expect(namesIn(text)).to.deep.equal(names);
    });
  }
  for (const text of others) {
    it(`finds nobody in: ${text}`, () => {
      expect(namesIn(text)).to.deep.equal([]);
    });
  }

  it('leaves what was found to what found it', () => {
    const spans = [{ start: 4, end: 8, type: 'PUBLIC_PERSON', score: 1, detector: 'fixed' }];
    expect(withTitledNames('Mr. Bean', spans)).to.equal(spans);
  });
});
