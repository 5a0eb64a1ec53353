import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { KEY, PLANTED, startHarness, type Answer, type Harness } from '../testing/appHarness.ts';
import { DetectorUnavailableError } from '../detection/detection.ts';
import { unchangedAnswer, type Guard } from '../pseudonymization/pseudonymization.ts';
import { StoreUnavailableError } from '../store/store.ts';

const OTHER_KEY = 'key-of-another-gateway';
const POLICY = 'entities: { CREDIT_CARD: block }';
const ENV = { GUARDRAIL_API_KEYS: `litellm:${KEY},another:${OTHER_KEY}`, GUARDRAIL_POLICY: POLICY };
const [REDACT, REHYDRATE, PIECE] = ['/v1/guard/redact', '/v1/guard/rehydrate', '/v1/guard/rehydrate/stream'] as const;

/** The id of a call, as LiteLLM writes it: its process and the call, both random. */
const PROCESS = randomBytes(16).toString('hex');
const newCall = (): string => `litellm-${PROCESS}-${randomBytes(16).toString('hex')}`;

interface Piece {
  readonly text: string;
  readonly carry: string;
}

describe("the endpoints of LiteLLM's client llm_shield_proxy", () => {
  let harness: Harness;
  before(async () => {
    harness = await startHarness({ env: ENV });
  });
  after(async () => {
    await harness.stop();
  });

  /** Calls as the client does: with the key as a bearer token. */
  function post(path: string, body: object, call: string, key = KEY): Promise<Answer> {
    const headers = { 'x-api-key': '', authorization: `Bearer ${key}`, 'x-session-id': call };
    return harness.call('POST', path, body, { headers });
  }
  async function texts(path: string, sent: readonly string[], call: string, key = KEY): Promise<string[]> {
    const answer = await post(path, { texts: sent }, call, key);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.body).to.have.all.keys('texts');
    return (answer.body as { texts: string[] }).texts;
  }
  async function piece(text: string, carry: string, final: boolean, call: string): Promise<Piece> {
    const answer = await post(PIECE, { text, carry, final }, call);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.body).to.have.all.keys('text', 'carry');
    return answer.body as Piece;
  }

  it('replace values, and restore them in texts and in pieces', async () => {
    const call = newCall();
    const sent = await texts(REDACT, ['Hello.', `Mail ${PLANTED.email}`, `{"to":"${PLANTED.otherEmail}"}`], call);
    expect(sent[0]).to.equal('Hello.');
    expect(sent.join()).to.match(/Mail <EMAIL_ADDRESS_\w+>,\{"to":"<EMAIL_ADDRESS_\w+>"\}$/);
    expect(await texts(REHYDRATE, sent, call)).to.deep.equal([
      'Hello.',
      `Mail ${PLANTED.email}`,
      `{"to":"${PLANTED.otherEmail}"}`,
    ]);
    const text = sent[1] ?? '';
    const one = await piece(text.slice(0, 12), '', false, call);
    expect(one.text).to.equal('Mail ');
    expect(await piece(text.slice(12), one.carry, true, call)).to.deep.equal({
      text: `Mail ${PLANTED.email}`.slice(5),
      carry: '',
    });
  });

  it('keep JSON valid: a number becomes a string, and a number again', async () => {
    const call = newCall();
    const args = `{"phone": 493012345678, "note": "${PLANTED.email}"}`;
    const [sent = ''] = await texts(REDACT, [args], call);
    expect(JSON.parse(sent))
      .to.have.property('phone')
      .that.matches(/^\[PHONE_NUMBER_\w+\]$/);
    expect(await texts(REHYDRATE, [sent], call)).to.deep.equal([args]);
    let [restored, carry] = ['', ''];
    for (const unit of sent) {
      const step = await piece(unit, carry, false, call);
      [restored, carry] = [restored + step.text, step.carry];
    }
    expect(restored + (await piece('', carry, true, call)).text).to.equal(args);
  });

  it('restore the same for every split, and nothing in an address that a client loads', async () => {
    const call = newCall();
    const [tag = ''] = await texts(REDACT, [PLANTED.email], call);
    const answer = `Dear ${tag}, see ![x](https://e.example/?q=${tag}) or ${tag.slice(1, -1)}>.`;
    const [whole] = await texts(REHYDRATE, [answer], call);
    expect(whole).to.equal(`Dear ${PLANTED.email}, see ![x](https://e.example/?q=${tag}) or ${PLANTED.email}.`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(answer.length), { maxLength: 8 }), async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), answer.length];
        let [restored, carry] = ['', ''];
        for (const [at, from] of places.entries()) {
          const step = await piece(answer.slice(from, places[at + 1] ?? from), carry, at === places.length - 1, call);
          [restored, carry] = [restored + step.text, step.carry];
        }
        expect([restored, carry]).to.deep.equal([whole, '']);
      }),
      { numRuns: 40 },
    );
  });

  it('restore only in the call that contained the value, and use one pseudonym for it in all calls of a key', async () => {
    const [one, two] = [newCall(), newCall()];
    const [tag = ''] = await texts(REDACT, [PLANTED.email], one);
    expect(await texts(REHYDRATE, [tag], two)).to.deep.equal([tag]);
    expect(await piece(tag, '', true, two)).to.deep.equal({ text: tag, carry: '' });
    expect(await texts(REHYDRATE, [tag], one, OTHER_KEY)).to.deep.equal([tag]);
    expect(await texts(REDACT, [PLANTED.email], two)).to.deep.equal([tag]);
    expect(await texts(REHYDRATE, [tag], two)).to.deep.equal([PLANTED.email]);
    expect(await texts(REDACT, [PLANTED.email], one, OTHER_KEY)).to.not.deep.equal([tag]);
  });

  it('erase the mapping of a call', async () => {
    const call = newCall();
    const sent = await post(REDACT, { texts: [PLANTED.email] }, call);
    const session = sent.headers.get('x-session-id') ?? '';
    expect((await harness.call('DELETE', `/sessions/${session}`)).body).to.deep.equal({ deleted: true });
    const { texts: tags } = sent.body as { texts: string[] };
    expect(await texts(REHYDRATE, tags, call)).to.deep.equal(tags);
  });

  it('answer a blocked request with 403, which names the types', async () => {
    const answer = await post(REDACT, { texts: [`Pay with ${PLANTED.card}`] }, newCall());
    expect(answer.status).to.equal(403);
    expect(answer.body).to.have.nested.property('error.code', 'blocked');
    expect(answer.body).to.have.nested.property('error.message').that.includes('credit card numbers');
    expect(await harness.metrics()).to.include('phase="request",protocol="shield",action="BLOCKED"} 1');
  });

  it('answer 400 to every carry that the guardrail did not write for this call', async () => {
    const [call, other] = [newCall(), newCall()];
    const [tag = ''] = await texts(REDACT, [PLANTED.email], call);
    const { carry } = await piece(`Dear ${tag.slice(0, 9)}`, '', false, call);
    const flip = (at: number): string => carry.slice(0, at) + (carry[at] === 'A' ? 'B' : 'A') + carry.slice(at + 1);
    const forged: [carry: unknown, call: string][] = [
      ...[0, 5, 30, carry.length >> 1, carry.length - 6].map((at): [string, string] => [flip(at), call]),
      [carry, other],
      [carry.slice(0, -4), call],
      ['x', call],
      ['{}', call],
      [tag, call],
      ['A'.repeat(300_000), call],
      [7, call],
      [{}, call],
    ];
    for (const [value, id] of forged) {
      const answer = await post(PIECE, { text: tag, carry: value, final: true }, id);
      expect([answer.status, (answer.body as { error: { code: string } }).error.code]).to.deep.equal([
        400,
        'invalid_field',
      ]);
    }
  });

  const INVALID: [what: string, path: string, body: object, call: string | undefined, message: RegExp][] = [
    ['no id of the call', REDACT, { texts: [] }, '', /x-session-id must be a random id/],
    ['an id that is a name', REDACT, { texts: [] }, 'anna', /x-session-id must be a random id/],
    ['an id with other characters', PIECE, { text: '' }, 'é/'.repeat(20), /x-session-id must be a random id/],
    ['no texts', REDACT, {}, undefined, /texts must be an array/],
    ['texts of another type', REHYDRATE, { texts: [1] }, undefined, /texts\[0\] must be a string/],
    ['too many texts', REDACT, { texts: Array(10_001).fill('') }, undefined, /at most 10000 items/],
    ['no piece', PIECE, { carry: '' }, undefined, /text must be a string/],
  ];
  for (const [what, path, body, call = newCall(), message] of INVALID) {
    it(`answer 400 to ${what}`, async () => {
      const answer = await post(path, body, encodeURI(call));
      expect(answer.status).to.equal(400);
      expect(answer.body).to.have.nested.property('error.message').that.matches(message);
    });
  }

  it('answer errors with a status on which the client stops the call', async () => {
    for (const [error, status] of [
      [new StoreUnavailableError('Redis is unreachable.'), 502],
      [new DetectorUnavailableError('The detector did not respond.'), 502],
      [new Error(`cannot read ${PLANTED.email}`), 500],
    ] as const) {
      const broken = (): Guard => ({
        request: () => Promise.reject(error),
        response: () => Promise.reject(error),
        piece: () => Promise.reject(error),
        stream: unchangedAnswer,
        sessionOf: () => '0'.repeat(32) as never,
      });
      const failing = await startHarness({ guard: broken });
      try {
        const headers = { 'x-session-id': newCall() };
        for (const path of [REDACT, REHYDRATE, PIECE]) {
          const answer = await failing.call('POST', path, { texts: ['x'], text: 'x' }, { headers });
          expect(answer.status, path).to.equal(status);
          expect(answer.body).to.have.all.keys('error');
        }
      } finally {
        await failing.stop();
      }
    }
  });
});
