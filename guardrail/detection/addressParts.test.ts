import { expect } from 'chai';
import { expectLinearTime } from '../../hack/harness/linearTime.ts';
import type { Span } from './contract.ts';
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
      'the side of a stairway',
      'na <Travessa do Carmo, n.º 8|ADDRESS>, 3.º <Dto|PERSON>, <1200-095 Lisboa|ADDRESS>.',
      'na <Travessa do Carmo, n.º 8, 3.º Dto, 1200-095 Lisboa|ADDRESS>.',
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
    [
      'a town and its country behind the street',
      'to <609 Box 186 Apt. 561|ADDRESS>, ALT-HAM, Austria?',
      'to <609 Box 186 Apt. 561, ALT-HAM, Austria|ADDRESS>?',
    ],
    [
      'thanks behind the town',
      'to <12 Oak Street|ADDRESS>, York, Thanks!',
      'to <12 Oak Street, York|ADDRESS>, Thanks!',
    ],
    [
      'a label behind the town',
      '<Via Roma 12, 20121 Milano|ADDRESS>, Cell. 347',
      '<Via Roma 12, 20121 Milano|ADDRESS>, Cell. 347',
    ],
    [
      'regards in what was found',
      'to <1 Mill Lane, York, Best regards|ADDRESS>',
      'to <1 Mill Lane, York|ADDRESS>, Best regards',
    ],
    ['a town that begins like a label', 'to <Rynek 8|ADDRESS>, Telgte.', 'to <Rynek 8, Telgte|ADDRESS>.'],
    ['a post office box', 'to 609 P.O. <Box 186|ADDRESS>.', 'to <609 P.O. Box 186|ADDRESS>.'],
    [
      'the number of a flat',
      'at <2 Batok Street 21|ADDRESS> #<07-114, Singapore|ADDRESS>.',
      'at <2 Batok Street 21 #07-114, Singapore|ADDRESS>.',
    ],
    ['two parts of a town', 'near <Ústí|LOCATION> nad <Labem 3|ADDRESS>', 'near <Ústí nad Labem 3|ADDRESS>'],
    [
      'the same in German',
      'aus <Frankfurt|LOCATION> an der <Oder 15230|ADDRESS>',
      'aus <Frankfurt an der Oder 15230|ADDRESS>',
    ],
    ['a person before a town', '<Anna|PERSON> u <Broumova 3|ADDRESS>', '<Anna|PERSON> u <Broumova 3|ADDRESS>'],
    ['a town with its state', 'at <Rua do Sal 4|ADDRESS>, Pelotas/RS.', 'at <Rua do Sal 4, Pelotas/RS|ADDRESS>.'],
    ['a sentence behind a street', 'at <Am Anger 4|ADDRESS>, Ems is near', 'at <Am Anger 4|ADDRESS>, Ems is near'],
    ['a name behind a street', 'at <Am Anger 4|ADDRESS>, <Anna|PERSON>.', 'at <Am Anger 4|ADDRESS>, <Anna|PERSON>.'],
    ['a name behind a town', 'at <Weg 4|ADDRESS>, Ulm, <Anna|PERSON>.', 'at <Weg 4, Ulm|ADDRESS>, <Anna|PERSON>.'],
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

  it('leaves a name behind a town that was found', () => {
    const withoutTown = (text: string, spans: readonly Span[]): readonly Span[] =>
      withAddressParts(text, spans).filter(({ type }) => type !== 'LOCATION');
    const decided = withMarks('at <Weg 4|ADDRESS>, <Ulm|LOCATION>, <Anna|PERSON>.', withoutTown);
    expect(decided).to.equal('at <Weg 4, Ulm|ADDRESS>, <Anna|PERSON>.');
  });

  for (const [what, unit] of [
    ['capitals', 'A'],
    ['digits', '1'],
    ['abbreviations', 'A.'],
    ['numbers', '1.'],
    ['words of several languages', ' - de'],
    ['ordinal numbers', '1ºº.ºº '],
  ] as const)
    it(`reads ${what} between two addresses in linear time`, () =>
      expectLinearTime(unit, 60, (length) => {
        const text = `<12 Weg|ADDRESS>${unit.repeat(length / unit.length)}!<5 Ham|ADDRESS>`;
        for (let times = 0; times < 20; times++) expect(withMarks(text, withAddressParts)).to.equal(text);
      }));
});
