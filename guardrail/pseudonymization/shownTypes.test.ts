import { expect } from 'chai';
import fc from 'fast-check';
import { LITERAL, showing } from './labels.ts';
import { callBy, createFakeAnalyzer, createTestGuard } from './testing/testGuard.ts';

const EMAIL = 'anna.schmidt@example.org';
const NAME = 'Zoë "Ännchen" O\\Neill';

describe('a response that may show some types', () => {
  const { guard } = createTestGuard(createFakeAnalyzer({ [EMAIL]: 'EMAIL_ADDRESS', [NAME]: 'PERSON' }));
  const context = callBy();
  const mayShow = showing(new Set(['EMAIL_ADDRESS']));
  const piece = fc.constantFrom(EMAIL, NAME, ' ', 'to ', '\n', '{"a":1}', '<LITERAL_AAAA2222>');
  const textOf = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(' '));
  const count = (texts: readonly string[], value: string): number => texts.join('\n').split(value).length - 1;

  it('has the values of these types, the pseudonyms of the others, and counts each of them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(textOf, { maxLength: 4 }), async (texts) => {
        const passages = texts.map((text) => ({ text, kind: 'text' as const }));
        const masked = await guard.request({ texts: [], passages }, context);
        const sent = masked.action === 'GUARDRAIL_INTERVENED' ? (masked.passages ?? []) : passages;
        const session = guard.sessionOf(context.identity);
        for (const identity of [context.identity, { tenant: context.identity.tenant, session }]) {
          const outcome = await guard.response({ texts: [], passages: sent }, { ...context, identity, mayShow });
          const got = (outcome.passages ?? []).map(({ text }) => text);
          expect(got.map((text) => text.replaceAll(/<PERSON_\w+>/g, NAME))).to.deep.equal(texts);
          expect(got.join('')).to.not.include(NAME);
          const { restored, withheld, unknown } = outcome.byType ?? {};
          expect(restored?.get('EMAIL_ADDRESS') ?? 0).to.equal(count(texts, EMAIL));
          expect(withheld?.get('PERSON') ?? 0).to.equal(count(texts, NAME));
          expect([...(restored?.keys() ?? []), ...(unknown?.keys() ?? [])]).to.not.include('PERSON');
          expect(outcome.isEnumeration).to.equal(false);
        }
      }),
    );
  });

  it('shows text of the client that looks like a pseudonym, and everything without a list of types', () => {
    expect([mayShow(LITERAL), mayShow('EMAIL_ADDRESS'), mayShow('PERSON')]).to.deep.equal([true, true, false]);
    expect(showing(undefined)('PERSON')).to.equal(true);
  });

  it('cannot pseudonymize by the id of a session', async () => {
    const identity = { tenant: context.identity.tenant, session: guard.sessionOf(context.identity) };
    const error = await guard.request({ texts: [EMAIL] }, { ...context, identity }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.an('error');
  });
});
