import { expect } from 'chai';
import { withMarks } from './testing/markedSpans.ts';
import type { Span } from './contract.ts';
import { withDwellings } from './dwellings.ts';

const inOrder = (text: string, spans: readonly Span[]): readonly Span[] =>
  withDwellings(text, spans).toSorted((a, b) => a.start - b.start);

describe('withDwellings', () => {
  for (const [before, after] of [
    ['left with <Mr Price|PERSON>, flat 9.', 'left with <Mr Price|PERSON>, <flat 9|ADDRESS>.'],
    ['given to <Price|PERSON> (Apt 4b)', 'given to <Price|PERSON> (<Apt 4b|ADDRESS>)'],
    ['bei <Holzapfel|PERSON> im 2. OG abgegeben', 'bei <Holzapfel|PERSON> im <2. OG|ADDRESS> abgegeben'],
    ['bei <Krüger|PERSON> in der 3. Etage', 'bei <Krüger|PERSON> in der <3. Etage|ADDRESS>'],
    ['chez <Malbranque|PERSON>, au 3e étage', 'chez <Malbranque|PERSON>, au <3e étage|ADDRESS>'],
    ['con <Ferragut|PERSON>, piso 2', 'con <Ferragut|PERSON>, <piso 2|ADDRESS>'],
    ['da <Ghezzi|PERSON>, interno 4.', 'da <Ghezzi|PERSON>, <interno 4|ADDRESS>.'],
    ['bij <Kuipers|PERSON> op nr. 31 afgegeven', 'bij <Kuipers|PERSON> op <nr. 31|ADDRESS> afgegeven'],
    ['bei <Krüger|PERSON>, Top 5.', 'bei <Krüger|PERSON>, <Top 5|ADDRESS>.'],
    ['u <Nowak|PERSON>, m. 12', 'u <Nowak|PERSON>, <m. 12|ADDRESS>'],
    ['com <Iracema|PERSON>, apto 12', 'com <Iracema|PERSON>, <apto 12|ADDRESS>'],
    ['hos <Botvid|PERSON> på plan 2.', 'hos <Botvid|PERSON> på <plan 2|ADDRESS>.'],
  ] as const)
    it(`finds the dwelling in: ${before}`, () => expect(withMarks(before, inOrder)).to.equal(after));

  for (const [before, after] of [
    ['<Ann Lee|PERSON> moved to <Praha|LOCATION> 5.', '<Ann Lee|PERSON> moved to <Praha 5|ADDRESS>.'],
    ['<Ann Lee|PERSON> is from <Cheb|LOCATION> 2, I hear', '<Ann Lee|PERSON> is from <Cheb 2|ADDRESS>, I hear'],
    ['<Ann Lee|PERSON> wohnt in <Wien|ADDRESS> 3', '<Ann Lee|PERSON> wohnt in <Wien 3|ADDRESS>'],
    ['<Ann Lee|PERSON>: from <Louny|LOCATION> 1 to Cheb', '<Ann Lee|PERSON>: from <Louny 1|ADDRESS> to Cheb'],
  ] as const)
    it(`finds the district in: ${before}`, () => expect(withMarks(before, inOrder)).to.equal(after));

  for (const text of [
    'take flat 9 or the 2. OG',
    'ask <Microsoft|ORGANIZATION>, unit 9',
    '<Ann|PERSON> counted plan 2',
    '<Ann|PERSON> is top 3 in sales',
    '<Ann|PERSON> finished in the top 10.',
    'Ask <Ann|PERSON> for unit 3 of the book',
    '<Jan|PERSON> is nummer 1 van de lijst',
    '<Jan|PERSON> met bus 12 naar het werk',
    '<Krüger|PERSON> ist die Nr. 1 im Team',
    '<Ann|PERSON> called. Room 5 is free',
    '<Ann|PERSON>, flat 9.5',
    'they moved to <Praha|LOCATION> 5.',
    '<Ann|PERSON> spent in <Paris|LOCATION> 3 days',
    '<Ann|PERSON> was in <Paris|LOCATION> 2024.',
    '<Ann|PERSON> paid in <Paris|LOCATION> 3,50',
    '<Ann|PERSON> arrives in <Paris|LOCATION> 10:30.',
    '<Ann|PERSON> ran in <Paris|LOCATION> 3.5 km',
    '<Ann|PERSON> likes <Paris|LOCATION> 5.',
    '<Ann|PERSON> is in <Leeds LS1|ADDRESS> 5.',
  ])
    it(`leaves: ${text}`, () => expect(withMarks(text, inOrder)).to.equal(text));
});
