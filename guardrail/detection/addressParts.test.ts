import { expect } from 'chai';
import { withMarks } from './testing/markedSpans.ts';
import { withAddressParts } from './addressParts.ts';

describe('withAddressParts', () => {
  for (const [what, before, after] of [
    [
      'a house number before the street',
      "J'habite 12 bis, <venelle du Pont, 29770 Audierne|ADDRESS>.",
      "J'habite <12 bis, venelle du Pont, 29770 Audierne|ADDRESS>.",
    ],
    ['a street before the town', 'Adres: Rynek 8, <38-500 Sanok|ADDRESS>.', 'Adres: <Rynek 8, 38-500 Sanok|ADDRESS>.'],
    [
      'a floor between street and town',
      'na <Rua do Forno, 12|ADDRESS> - 3.º Esq., <7000-811 Évora|ADDRESS>.',
      'na <Rua do Forno, 12 - 3.º Esq., 7000-811 Évora|ADDRESS>.',
    ],
    [
      'a part that was taken for an uncertain name',
      '<Trav|PERSON|0.4>. do Sal 4, <3800-112 Aveiro|ADDRESS>',
      '<Trav. do Sal 4, 3800-112 Aveiro|ADDRESS>',
    ],
    [
      'a name before an address',
      '<Anna Nowak|PERSON>, Rynek 8, <38-500 Sanok|ADDRESS>',
      '<Anna Nowak|PERSON>, <Rynek 8, 38-500 Sanok|ADDRESS>',
    ],
    ['words without a number', 'Send it to Anna, <10115 Berlin|ADDRESS>', 'Send it to Anna, <10115 Berlin|ADDRESS>'],
    [
      'prose with a number',
      'there are 12 cars in <10115 Berlin|ADDRESS>',
      'there are 12 cars in <10115 Berlin|ADDRESS>',
    ],
    [
      'a part that is cut off within a number',
      'na <Rua do Forno, 12 - 3|ADDRESS>.º Esq., <7000-811 Évora|ADDRESS>.',
      'na <Rua do Forno, 12 - 3.º Esq., 7000-811 Évora|ADDRESS>.',
    ],
    [
      'a part that is cut off within a word',
      '<48 Dongnae|ADDRESS>-ro, <Busan|ADDRESS>',
      '<48 Dongnae-ro, Busan|ADDRESS>',
    ],
    ['a town behind the street', 'at <Am Anger 4|ADDRESS>, Bad Ems, there', 'at <Am Anger 4, Bad Ems|ADDRESS>, there'],
    ['a town with its state', 'at <Rua do Sal 4|ADDRESS>, Pelotas/RS.', 'at <Rua do Sal 4, Pelotas/RS|ADDRESS>.'],
    ['a sentence behind a street', 'at <Am Anger 4|ADDRESS>, Ems is near', 'at <Am Anger 4|ADDRESS>, Ems is near'],
    ['a name behind a street', 'at <Am Anger 4|ADDRESS>, <Anna|PERSON>.', 'at <Am Anger 4|ADDRESS>, <Anna|PERSON>.'],
    ['a word behind a town', 'in <Ulm|ADDRESS>, Bavaria.', 'in <Ulm|ADDRESS>, Bavaria.'],
    ['the line before', 'Room 12\n<10115 Berlin|ADDRESS>', 'Room 12\n<10115 Berlin|ADDRESS>'],
    [
      'two addresses in a sentence',
      'from <Am Anger 4, Ulm|ADDRESS> it is far to <Weg 5, Köln|ADDRESS>',
      'from <Am Anger 4, Ulm|ADDRESS> it is far to <Weg 5, Köln|ADDRESS>',
    ],
    ['two addresses in a list', '<Am Anger 4|ADDRESS>, <Weg 5|ADDRESS>', '<Am Anger 4|ADDRESS>, <Weg 5|ADDRESS>'],
  ] as const)
    it(`decides ${what}`, () => expect(withMarks(before, withAddressParts)).to.equal(after));
});
