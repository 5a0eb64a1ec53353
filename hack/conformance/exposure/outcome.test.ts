import { expect } from 'chai';
import { Violation } from '../judge.ts';
import { judge, type Observation, OUTCOMES, pseudonymIn, strings } from './outcome.ts';

const PLACE = '`/v1/chat/completions` `stop`';
const VALUE = 'anna.rossi.1@example.org';
const TAG = '<EMAIL_ADDRESS_K7Q2RTM4>';

type Calls = Observation['exchanges'];

const asked = (body: object, answer: object): Calls => [{ phase: 'request', body: { ...body }, answer }];
const responseCalls = (body: object, answer: object): Calls => [{ phase: 'response', body: { ...body }, answer }];
const replaced = { action: 'GUARDRAIL_INTERVENED', texts: [TAG] };
const restored = { action: 'GUARDRAIL_INTERVENED', texts: [VALUE] };
const untouched = { action: 'NONE' };

const seen = (more: Partial<Observation>): Observation => ({
  side: 'request',
  value: VALUE,
  spared: false,
  upstream: [],
  exchanges: [],
  status: 200,
  answer: '{}',
  ...more,
});
const answered = (more: Partial<Observation>): Observation => seen({ side: 'answer', upstream: [TAG], ...more });

describe('the outcome of a probe', () => {
  const cases: readonly (readonly [name: string, observation: Observation, outcome: string])[] = [
    ['a pseudonym at the model', seen({ upstream: [`{"stop":"${TAG}"}`] }), OUTCOMES.guarded],
    ['a pseudonym with escapes', seen({ upstream: ['\\u003cEMAIL_ADDRESS_K7Q2RTM4\\u003e'] }), OUTCOMES.guarded],
    ['a value never shown', seen({ upstream: [VALUE] }), OUTCOMES.leaksUnseen],
    ['a value in another letter case', seen({ upstream: [VALUE.toUpperCase()] }), OUTCOMES.leaksUnseen],
    ['a value in nested JSON', seen({ upstream: ['{\\"to\\":\\"anna.rossi.1@example.org\\"}'] }), OUTCOMES.leaksUnseen],
    ['a value in a query', seen({ upstream: [`GET /?q=${encodeURIComponent(VALUE)}`] }), OUTCOMES.leaksUnseen],
    [
      'a value only in the second call',
      seen({ upstream: [TAG, VALUE], exchanges: asked({ texts: ['Hello'] }, untouched) }),
      OUTCOMES.leaksUnseen,
    ],
    [
      'a value shown only as caller data',
      seen({ upstream: [VALUE], exchanges: asked({ texts: [], request_data: { end_user: VALUE } }, untouched) }),
      OUTCOMES.leaksUnseen,
    ],
    [
      'a replacement that is ignored',
      seen({ upstream: [VALUE], exchanges: asked({ texts: [VALUE] }, replaced) }),
      OUTCOMES.leaksIgnored,
    ],
    [
      'a place that the guardrail skips',
      seen({ spared: true, upstream: [VALUE], exchanges: asked({ texts: [VALUE] }, untouched) }),
      OUTCOMES.leaksSpared,
    ],
    ['a field that is dropped', seen({ upstream: ['{}'] }), OUTCOMES.dropped],
    ['a block', seen({ status: 400, exchanges: asked({ texts: [VALUE] }, { action: 'BLOCKED' }) }), OUTCOMES.blocked],
    ['a refusal', seen({ status: 404, answer: 'Not Found' }), OUTCOMES.refused],
    ['a missing licence', seen({ status: 500, answer: 'LiteLLM Enterprise users only' }), OUTCOMES.licence],
    [
      'a guardrail call that LiteLLM cannot write',
      seen({ status: 500, answer: 'Generic Guardrail API failed: 3 errors' }),
      OUTCOMES.uncalled,
    ],
    [
      'a package that LiteLLM does not install',
      seen({ status: 500, answer: 'Internal error: NoneType takes no arguments' }),
      OUTCOMES.unpackaged,
    ],
    [
      'a block by an error',
      seen({ status: 400, exchanges: asked({ texts: [VALUE] }, { error: { code: 'blocked' } }) }),
      OUTCOMES.blocked,
    ],
    [
      'replaced texts alone that are ignored',
      seen({ upstream: [VALUE], exchanges: asked({ texts: [VALUE] }, { texts: [TAG] }) }),
      OUTCOMES.leaksIgnored,
    ],
    ['an answer restored', answered({ answer: `{"text":"${VALUE}"}` }), OUTCOMES.restored],
    ['an answer that is never shown', answered({ answer: `{"text":"${TAG}"}` }), OUTCOMES.unseen],
    [
      'an answer that is only partly restored',
      answered({ answer: `{"text":"${VALUE}","reason":"${TAG}"}` }),
      OUTCOMES.unseen,
    ],
    [
      'a restored answer that is ignored',
      answered({ answer: `{"text":"${TAG}"}`, exchanges: responseCalls({ texts: [TAG] }, restored) }),
      OUTCOMES.ignored,
    ],
    [
      'a pseudonym split across stream events',
      answered({
        answer:
          'data: {"delta":{"text":"<EMAIL_AD"}}\n\ndata: {"delta":{"text":"DRESS_K7Q2RTM4>"}}\n\ndata: [DONE]\n\n',
      }),
      OUTCOMES.unseen,
    ],
    ['an answer that is dropped', answered({}), OUTCOMES.dropped],
    ['a value never shown before an answer', answered({ upstream: [VALUE] }), OUTCOMES.leaksUnseen],
  ];
  for (const [name, observation, outcome] of cases) {
    it(`${name}: ${outcome}`, () => {
      expect(judge(observation, PLACE)).to.equal(outcome);
    });
  }

  const impossible: readonly (readonly [name: string, observation: Observation])[] = [
    [
      'the guardrail is shown a value and does not replace it',
      seen({ upstream: [VALUE], exchanges: asked({ texts: [VALUE] }, untouched) }),
    ],
    [
      'the guardrail replaces a value that it should skip',
      seen({ spared: true, upstream: [VALUE], exchanges: asked({ texts: [VALUE] }, replaced) }),
    ],
    ['the gateway fails', seen({ status: 500 })],
    ['nothing reaches the model', seen({})],
    ['the call fails after reaching the model', seen({ status: 500, upstream: ['{}'] })],
    [
      'a replaced value reaches the model before an answer',
      answered({ upstream: [VALUE], exchanges: asked({ texts: [VALUE] }, replaced) }),
    ],
    ['no pseudonym reaches the model', answered({ upstream: ['{}'] })],
    ['the client gets an error instead of an answer', answered({ status: 500 })],
    [
      'the guardrail is shown a pseudonym and does not restore it',
      answered({ answer: `{"text":"${TAG}"}`, exchanges: responseCalls({ texts: [TAG] }, untouched) }),
    ],
  ];
  for (const [name, observation] of impossible) {
    it(`reports a fault if ${name}`, () => {
      expect(() => judge(observation, PLACE)).to.throw(Violation);
    });
  }
});

describe('the parts of an outcome', () => {
  it('tells tokens from the text beside them', () => {
    const observation = answered({ answer: `{"text":"${VALUE}"}` });
    expect(judge(observation, '`/v1/completions` answer: `logprobs`')).to.equal(OUTCOMES.dropped);
  });

  it('finds the first pseudonym of a text', () => {
    expect(pseudonymIn(`To ${TAG} and <PERSON_AAAAAA>`)).to.equal(TAG);
    expect(pseudonymIn('<EM and <b>')).to.equal(undefined);
  });

  it('joins the events of a stream by type', () => {
    const stream =
      'event: a\ndata: {"type":"a","text":"one "}\n\ndata: {"type":"b","text":"x"}\n\ndata: {"type":"a","text":"two"}\n\n';
    expect([...strings(stream).values()]).to.include.members(['one two', 'x']);
    expect([...strings('{"a":["b",{"c":"d"}]}').values()]).to.deep.equal(['b', 'd']);
    expect([...strings('no JSON').values()]).to.deep.equal(['no JSON']);
  });
});
