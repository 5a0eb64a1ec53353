import { expect } from 'chai';
import { Violation } from '../judge.ts';
import { INLINE_OUTCOMES, judgeInline } from './inlineOutcome.ts';
import type { Observation } from './outcome.ts';

const VALUE = 'anna.rossi.1@example.org';
const TAG = '<EMAIL_ADDRESS_K7Q2RTM4>';
const PLACE = '`/v1/chat/completions` `stop`';

const seen = (more: Partial<Observation>): Observation => ({
  ...{ side: 'request', value: VALUE, spared: false, upstream: [], exchanges: [], status: 200, answer: '{}' },
  ...more,
});
const answered = (more: Partial<Observation>): Observation => seen({ side: 'answer', upstream: [TAG], ...more });
const error = (code: string): string => JSON.stringify({ error: { message: 'm', code } });

describe('the outcome of a probe through the inline proxy', () => {
  const cases: readonly (readonly [name: string, observation: Observation, outcome: string, place?: string])[] = [
    ['a pseudonym at the model', seen({ upstream: [TAG] }), INLINE_OUTCOMES.guarded],
    ['a pseudonym in a name', seen({ upstream: ['{"name":"[PERSON_K7Q2RTM4]"}'] }), INLINE_OUTCOMES.guarded],
    ['another image', seen({ value: 'data:image/png;base64,iVBORa', upstream: ['x'] }), INLINE_OUTCOMES.guarded],
    ['a dropped field', seen({ upstream: ['{}'] }), INLINE_OUTCOMES.dropped],
    ['a customer', seen({ upstream: [VALUE] }), INLINE_OUTCOMES.kept, '`/v1/chat/completions` `user`'],
    ['an unknown route', seen({ status: 404, answer: error('unknown_route') }), INLINE_OUTCOMES.unknown],
    ['a block', seen({ status: 400, answer: error('guardrail_blocked') }), INLINE_OUTCOMES.unchecked],
    ['a refusal of LiteLLM', seen({ status: 400, answer: error('400') }), INLINE_OUTCOMES.refused],
    ['a restored answer', answered({ answer: `{"text":"${VALUE}"}` }), INLINE_OUTCOMES.restored],
    ['a dropped answer', answered({}), INLINE_OUTCOMES.dropped],
  ];
  for (const [name, observation, outcome, place = PLACE] of cases) {
    it(`${name}: ${outcome}`, () => {
      expect(judgeInline(observation, place)).to.equal(outcome);
    });
  }

  const faults: readonly (readonly [name: string, observation: Observation])[] = [
    ['the model sees the value', seen({ upstream: [TAG, VALUE] })],
    ['the client gets a pseudonym', answered({ answer: `{"text":"${VALUE}","reason":"${TAG}"}` })],
    [
      'the client gets a pseudonym in pieces',
      answered({ answer: 'data: {"text":"<EMAIL_AD"}\n\ndata: {"text":"DRESS_K7Q2RTM4>"}\n\n' }),
    ],
    ['the client gets the pseudonym of its own request', seen({ upstream: [TAG], answer: `{"text":"${TAG}"}` })],
    ['nothing reaches the model', seen({})],
    ['the call fails after reaching the model', seen({ status: 500, upstream: ['{}'] })],
    ['LiteLLM fails', seen({ status: 500 })],
    ['no pseudonym reaches the model', answered({ upstream: ['{}'] })],
  ];
  for (const [name, observation] of faults) {
    it(`reports a fault if ${name}`, () => {
      expect(() => judgeInline(observation, PLACE)).to.throw(Violation);
    });
  }
});
