import { expect } from 'chai';
import { errorBodyOf, errorEventOf, type Api } from './bodies.ts';

const error = { status: 400, code: 'guardrail_blocked', message: 'The request is blocked.' };

describe('errors in the shape of the API', () => {
  const bodies: Record<Api, object> = {
    openai: { error: { message: error.message, type: 'invalid_request_error', param: null, code: error.code } },
    unknown: { error: { message: error.message, type: 'invalid_request_error', param: null, code: error.code } },
    anthropic: { type: 'error', error: { type: 'invalid_request_error', message: error.message, code: error.code } },
    gemini: {
      error: { code: 400, message: error.message, status: 'INVALID_ARGUMENT', details: [{ reason: error.code }] },
    },
  };
  for (const [api, body] of Object.entries(bodies) as [Api, object][]) {
    it(`are bodies and events of ${api}`, () => {
      expect(JSON.parse(errorBodyOf({ api }, error).body.toString())).to.deep.equal(body);
      const event = errorEventOf({ api }, 'text/event-stream; charset=utf-8', error).toString();
      expect(event).to.equal(`${api === 'anthropic' ? 'event: error\n' : ''}data: ${JSON.stringify(body)}\n\n`);
      expect(errorEventOf({ api }, 'application/x-ndjson', error).toString()).to.equal(`\n${JSON.stringify(body)}\n`);
    });
  }

  it('have a type or a status for each HTTP status', () => {
    const typeOf = (api: Api, status: number): unknown =>
      (JSON.parse(errorBodyOf({ api }, { ...error, status }).body.toString()) as { error: object }).error;
    for (const status of [429, 502]) {
      expect(typeOf('anthropic', status)).to.have.property('type', status === 429 ? 'rate_limit_error' : 'api_error');
      expect(typeOf('gemini', status)).to.have.property(
        'status',
        status === 429 ? 'RESOURCE_EXHAUSTED' : 'UNAVAILABLE',
      );
      expect(typeOf('openai', status)).to.have.property('type', status === 429 ? 'requests' : 'server_error');
    }
  });
});
