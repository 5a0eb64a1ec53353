import { expect } from 'chai';
import type { Span } from './contract.ts';
import { withPersonalUrls } from './urlContents.ts';

const span = (start: number, end: number, type: string, score = 0.9): Span => ({
  start,
  end,
  type,
  score,
  detector: 'x',
  rule: 'x',
});
const typesOf = (...spans: Span[]): string[] => withPersonalUrls(spans).map(({ type }) => type);

describe('withPersonalUrls', () => {
  it('makes a URL with a secret or a number of a person personal', () => {
    expect(typesOf(span(0, 40, 'PUBLIC_URL'), span(20, 40, 'API_KEY'))).to.deep.equal(['URL', 'API_KEY']);
    expect(typesOf(span(20, 40, 'CREDIT_CARD'), span(0, 40, 'PUBLIC_URL'))).to.deep.equal(['CREDIT_CARD', 'URL']);
  });

  for (const [what, other] of [
    ['a value beside it', span(41, 60, 'API_KEY')],
    ['a value around it', span(0, 60, 'API_KEY')],
    ['a name in it', span(10, 20, 'PERSON')],
    ['another URL in it', span(10, 40, 'URL')],
    ['a doubtful number in it', span(10, 20, 'PHONE_NUMBER', 0.5)],
  ] as const)
    it(`does not by ${what}`, () => expect(typesOf(span(5, 40, 'PUBLIC_URL'), other)[0]).to.equal('PUBLIC_URL'));
});
