import { expect } from 'chai';
import { callBy } from '../../pseudonymization/testing/testGuard.ts';
import { guardBody } from '../bodies.ts';
import { BodyCalls, EMAIL, known } from '../testing/bodyCalls.ts';

const FORM = {
  type: 'multipart/form-data; boundary=b',
  start: '--b\r\ncontent-disposition: form-data; name="user"\r\n\r\n',
};

interface Case {
  readonly path: string;
  readonly contentType?: string;
  /** @returns a body with the id of an end user. */
  readonly body: (id: string) => string;
}

/** Each place of a request in which a client names an end user. */
const CASES: Readonly<Record<string, Case>> = {
  user: { path: '/v1/chat/completions', body: (user) => JSON.stringify({ user, messages: [] }) },
  safety_identifier: { path: '/v1/responses', body: (id) => JSON.stringify({ safety_identifier: id, input: 'Hello' }) },
  'metadata.user_id': {
    path: '/v1/messages',
    body: (id) => JSON.stringify({ metadata: { user_id: id, team: 'one' }, messages: [] }),
  },
  'litellm_metadata.user': {
    path: '/v1/chat/completions',
    body: (user) => JSON.stringify({ litellm_metadata: { user }, messages: [] }),
  },
  'the user of a batch': {
    path: '/v1/messages/batches',
    body: (id) => JSON.stringify({ requests: [{ custom_id: 'a', params: { metadata: { user_id: id } } }] }),
  },
  'the user of a form': {
    path: '/v1/images/edits',
    contentType: FORM.type,
    body: (id) => `${FORM.start}${id}\r\n--b--\r\n`,
  },
  'the user in a file of a form': {
    path: '/v1/files',
    contentType: FORM.type,
    body: (user) =>
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n' +
      `${JSON.stringify({ url: '/v1/chat/completions', body: { user } })}\r\n--b--\r\n`,
  },
};

class EndUserCalls extends BodyCalls {
  async hidden({ path, contentType = 'application/json', body }: Case, id: string): Promise<string> {
    const request = { bytes: Buffer.from(body(id)), contentType, hidesEndUser: true };
    const outcome = await guardBody(known('POST', path), request, this.guard, callBy());
    if (outcome.action !== 'GUARDRAIL_INTERVENED') throw new Error(`The body was not changed: ${outcome.action}.`);
    expect(outcome.entities).to.deep.equal([
      { type: 'USERNAME', detector: 'builtin', action: 'pseudonymize', count: 1 },
    ]);
    return outcome.body.toString();
  }
}

describe('the end user of a request', () => {
  for (const [place, one] of Object.entries(CASES)) {
    it(`stays, for the gateway: ${place}`, async () => {
      const { path, contentType, body } = one;
      expect(await new BodyCalls().sent(known('POST', path), body(EMAIL), contentType)).to.equal(body(EMAIL));
    });

    // No detector finds the first. The second contains a value, and the third JSON.
    for (const id of ['u-1', `mail to ${EMAIL}`, '{"id": 7}']) {
      it(`is hidden as a whole in front of a provider, and restored: ${place}, ${id}`, async () => {
        const calls = new EndUserCalls();
        const sent = await calls.hidden(one, id);
        const [pseudonym = ''] = /\[USERNAME_[0-9A-Z]+\]/.exec(sent) ?? [];
        expect(sent).to.equal(one.body(pseudonym));
        const echo = JSON.stringify({ id: 'a', user: pseudonym, metadata: { user_id: pseudonym } });
        const restored = await calls.restored(known('POST', '/v1/responses'), echo);
        expect(JSON.parse(restored)).to.deep.equal({ id: 'a', user: id, metadata: { user_id: id } });
      });
    }
  }

  it('is hidden only there: it can be an ordinary word', async () => {
    const body = (user: string): string => JSON.stringify({ user, messages: [{ role: 'user', content: 'the admin' }] });
    const sent = await new EndUserCalls().hidden({ path: '/v1/chat/completions', body }, 'admin');
    expect(sent).to.match(
      /^\{"user":"\[USERNAME_[0-9A-Z]+\]","messages":\[\{"role":"user","content":"the admin"\}\]\}$/,
    );
  });
});
