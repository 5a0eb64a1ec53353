import { expect } from 'chai';
import { labelledFor, scoreFor } from './profiles.ts';
import type { EvalSpan, EvalText } from './score.ts';

/** A text with labelled values: `[[TYPE value]]`. */
function labelled(id: string, marked: string): EvalText {
  let text = '';
  const spans: EvalSpan[] = [];
  for (const part of marked.split(/(\[\[.*?\]\])/)) {
    const [, type, value] = /^\[\[([A-Z_]+) (.*)\]\]$/.exec(part) ?? [];
    if (type !== undefined && value !== undefined)
      spans.push({ start: text.length, end: text.length + value.length, type });
    text += value ?? part;
  }
  return { id, text, spans };
}

const typesIn = (...texts: EvalText[]): string[][] =>
  labelledFor('personal', texts).map(({ spans }) => spans.map(({ type }) => type));

describe('labels for the profile personal', () => {
  for (const [what, marked, expected] of [
    ['a person', 'by [[PERSON Anna]]', ['PERSON']],
    ['a place with a digit', 'at [[LOCATION Main St 5]]', ['ADDRESS']],
    ['a place beside a number', '[[LOCATION Main St 5]], [[LOCATION Ulm]]', ['ADDRESS', 'ADDRESS']],
    ['a place before a number', '[[LOCATION Ulm]]\n\n[[LOCATION 89073]]', ['ADDRESS', 'ADDRESS']],
    ['a place away from a number', '[[LOCATION 89073]] is in [[LOCATION Ulm]]', ['ADDRESS', 'EITHER']],
    ['a place', 'in [[LOCATION Ulm]]', ['EITHER']],
    ['an organisation and a URL', '[[ORGANIZATION Contoso]], [[URL www.a.example]]', ['EITHER', 'EITHER']],
  ] as const)
    it(`judge ${what}`, () => expect(typesIn(labelled('a', marked))).to.deep.equal([expected]));

  it('keep those of a set that labels addresses', () => {
    const texts = [labelled('a', '[[ADDRESS Ulm]], [[URL www.a.example]]'), labelled('b', '[[LOCATION Terminal 5]]')];
    expect(typesIn(...texts)).to.deep.equal([['ADDRESS', 'URL'], ['EITHER']]);
  });
});

describe('scores of a profile', () => {
  const text = labelled(
    'a',
    '[[PERSON Anna]] of [[ORGANIZATION Contoso]] at [[LOCATION Main St 5]], no [[LOCATION Ulm]]',
  );
  const find = (value: string, type: string): EvalSpan => {
    const start = text.text.indexOf(value);
    return { start, end: start + value.length, type };
  };
  const scored = (profile: 'personal' | 'confidential', ...finds: EvalSpan[]): ReturnType<typeof scoreFor>['all'] =>
    scoreFor(profile, [text], new Map([['a', finds]])).all;
  const person = find('Anna', 'PERSON');
  const address = find('Main St 5', 'ADDRESS');

  it('need no place and no organisation for personal', () => {
    expect(scored('personal', person, address)).to.include({ gold: 2, f2: 1, leakedValues: 0, overmasked: 0 });
    expect(scored('confidential', person, address)).to.include({
      gold: 4,
      recall: 0.5,
      precision: 1,
      leakedValues: 0.5,
    });
  });

  it('count no find on a place or an organisation as false for personal', () => {
    const more = [find('Contoso', 'PERSON'), find('Ulm', 'ADDRESS')];
    expect(scored('personal', person, address, ...more)).to.include({
      precision: 1,
      overmasked: 0,
      falsePer1000Words: 0,
    });
  });

  it('count other finds as false', () => {
    const other = find('no', 'PERSON');
    expect(scored('personal', person, address, other)).to.include({ precision: 2 / 3, falsePer1000Words: 1000 / 9 });
  });

  it('require the type ADDRESS for personal alone', () => {
    expect(scored('personal', person, { ...address, type: 'LOCATION' })).to.include({ recall: 0.5 });
    expect(scored('confidential', { ...address, type: 'LOCATION' })).to.include({ recall: 0.25 });
    expect(scored('confidential', address)).to.include({ recall: 0.25 });
  });
});
