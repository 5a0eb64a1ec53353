import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from '../../../hack/harness/scale.ts';
import { BodyError, generic, type Operation } from '../bodies.ts';
import { BodyCalls, CARD, EMAIL, known, QUOTED } from '../testing/bodyCalls.ts';
import { FIELD_CASES } from '../testing/fieldTable.ts';
import { rawJson } from '../testing/rawJson.ts';

const operations = [...new Set(FIELD_CASES.map(({ method, path }) => known(method, path))), generic];

/** Refused because members contradict each other, not changed. */
async function sentUnlessRefused(calls: BodyCalls, operation: Operation, body: string): Promise<string | undefined> {
  try {
    return await calls.sent(operation, body);
  } catch (error) {
    if (error instanceof BodyError && error.code === 'duplicate_name') return undefined;
    throw error;
  }
}

describe('any JSON body', () => {
  it('without values passes byte for byte, and so does the answer', async () => {
    const calls = new BodyCalls();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...operations),
        rawJson({ texts: ['x', 'https://example.com/a'], names: [] }),
        async (operation, body) => {
          const sent = await sentUnlessRefused(calls, operation, body);
          if (sent !== undefined) expect(sent).to.equal(body);
          expect(await calls.restored(operation, body)).to.equal(body);
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  it('of an unknown operation hides every value, and comes back', async () => {
    await fc.assert(
      fc.asyncProperty(
        rawJson({ texts: [EMAIL, `I am ${QUOTED}!`, CARD], names: [EMAIL, QUOTED] }).map(
          (body) => `{"a":${body},"n":${CARD}}`,
        ),
        async (body) => {
          const calls = new BodyCalls();
          const sent = await sentUnlessRefused(calls, generic, body);
          fc.pre(sent !== undefined);
          expect(sent).to.not.contain(EMAIL).and.not.contain(CARD);
          expect(JSON.stringify(JSON.parse(sent))).to.not.contain('nnchen');
          const restored = await calls.restored(generic, sent);
          // A string with a value can come back with other escapes. A number is a number again.
          expect(JSON.parse(restored)).to.deep.equal(JSON.parse(body));
          if (!body.includes('\\u')) expect(restored).to.equal(body);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it('comes back with the same values from a model that repeats it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...operations),
        rawJson({ texts: [EMAIL, `I am ${QUOTED}!`], names: [EMAIL] }),
        async (operation, body) => {
          const calls = new BodyCalls();
          const sent = await sentUnlessRefused(calls, operation, body);
          fc.pre(sent !== undefined);
          // Addresses and tokens are not restored: the table has no addresses with values, and no logprobs change.
          fc.pre(!/"(?:url|logprobs|image_url)"/.test(body));
          expect(JSON.parse(await calls.restored(operation, sent))).to.deep.equal(JSON.parse(body));
        },
      ),
      { numRuns: runs(1000) },
    );
  });
});

describe('a body that cannot be checked', () => {
  const cases: [name: string, body: string | Buffer, code: string, contentType?: string][] = [
    ['invalid JSON', '{"a":}', 'invalid_json'],
    ['two JSON texts', '{}{}', 'invalid_json'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'invalid_encoding'],
    ['UTF-16', Buffer.from('{}', 'utf16le'), 'invalid_json'],
    ['a byte order mark', '\ufeff{}', 'invalid_encoding'],
    ['half of a surrogate pair', '{"a":"\\ud83d"}', 'lone_surrogate'],
    ['half of a surrogate pair in a name', '{"\\udc00":1}', 'lone_surrogate'],
    ['deep nesting', '['.repeat(300) + ']'.repeat(300), 'too_deep'],
    ['too many values', `[${'0,'.repeat(500_000)}0]`, 'too_many_values'],
    ['two types of one part', '{"messages":[{"type":"text","type":"image_url","text":"a"}]}', 'duplicate_name'],
    ['XML', '<a/>', 'unsupported_media_type', 'application/xml'],
    ['another charset', '{}', 'invalid_encoding', 'application/json; charset=utf-16'],
    ['plain text', 'a', 'unsupported_media_type', 'text/plain'],
    ['a form with an invalid escape', 'a=%ff', 'invalid_form', 'application/x-www-form-urlencoded'],
  ];
  for (const [name, body, code, contentType] of cases) {
    it(`is refused: ${name}`, async () => {
      const calls = new BodyCalls();
      const chat = known('POST', '/v1/chat/completions');
      const error: unknown = await calls.request(chat, body, contentType).catch((thrown: unknown) => thrown);
      if (!(error instanceof BodyError)) throw new Error('The body was not refused.');
      expect(error.code).to.equal(code);
      expect(error.message).to.match(/^[A-Z].*\.$/);
    });
  }

  it('is refused: a body where there is none', async () => {
    const error: unknown = await new BodyCalls().request(known('GET', '/v1/models'), '{}').catch((one: unknown) => one);
    expect(error).to.have.property('code', 'unexpected_body');
  });
});
