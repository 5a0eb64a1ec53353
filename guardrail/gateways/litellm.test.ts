import { expect } from 'chai';
import fc from 'fast-check';
import type { Json, RequestOutcome, ResponseOutcome } from '../pseudonymization/pseudonymization.ts';
import type { SessionId, Tenant } from '../ids.ts';
import type { JsonObject } from './fields.ts';
import { basicRequestSchema, createLitellmAdapter, hasPlainFields, type LitellmAdapter } from './litellm.ts';

const session = '0'.repeat(32) as SessionId;
const tenant = 'litellm' as Tenant;
const adapter = createLitellmAdapter('litellm');
const parse = (body: JsonObject): ReturnType<LitellmAdapter['read']> =>
  adapter.read(body, { tenant, isMark: (value) => value === 'keyed' });

function renderRequest(outcome: RequestOutcome, document: JsonObject): object {
  const exchange = parse({ input_type: 'request', ...document });
  if (exchange.phase !== 'request') throw new Error('A request is read as a response.');
  if (outcome.action === 'BLOCKED') return adapter.block(outcome.blockedReason);
  return exchange.render(outcome);
}

function renderResponse(outcome: ResponseOutcome): object {
  const exchange = parse({ input_type: 'response', texts: [...outcome.texts] });
  if (exchange.phase !== 'response') throw new Error('A response is read as a request.');
  return exchange.render(outcome);
}

describe('the fields of a body', () => {
  it('are plain exactly if their schema accepts them and they contain no settings', () => {
    const schema = basicRequestSchema('litellm');
    const absent = fc.constantFrom(null, undefined);
    const settings = [
      { recall: 'precise' },
      { block_entities: [] },
      { images: 'block' },
      { streaming_transform_mode: 'block_only' },
    ];
    const others = { tenant: 'acme', note: 7 };
    const odd = fc.constantFrom<unknown>(1, true, '', 'x', [], {}, [1], ['x'], [{}], [[]], [null], { a: 1 });
    const mostly = <T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
      fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: absent }, { weight: 1, arbitrary: odd });
    const texts = fc.oneof(fc.array(fc.string(), { maxLength: 3 }), fc.constant(Array<string>(10_001).fill('x')));
    const rows = mostly(fc.array(fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }), { maxLength: 2 }));
    const id = mostly(fc.constantFrom('', 'id', 'x'.repeat(4096), 'x'.repeat(4097)));
    const known = fc.record(
      { user_api_key_hash: id, user_api_key_team_id: id, user_api_key_user_id: id, user_api_key_end_user_id: id },
      { requiredKeys: [] },
    );
    const body = fc.record(
      {
        input_type: mostly(fc.constantFrom('request', 'response')),
        model: mostly(fc.string()),
        texts: mostly(texts),
        images: mostly(fc.array(fc.string(), { maxLength: 2 })),
        ...{ structured_messages: rows, tools: rows, tool_calls: rows },
        request_data: mostly(known),
        request_headers: mostly(fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 })),
        additional_provider_specific_params: fc.oneof(
          absent,
          fc.constantFrom<unknown>({}, [], 1, others, { recall: null }, ...settings),
        ),
        unknown: odd,
      },
      { requiredKeys: ['input_type'] },
    );
    const seen = { plain: 0, other: 0 };
    fc.assert(
      fc.property(body, (one) => {
        const isPlain = hasPlainFields(one as JsonObject);
        const hasSettings = settings.some((some) => some === one.additional_provider_specific_params);
        seen[isPlain ? 'plain' : 'other'] += 1;
        expect(isPlain).to.equal(schema.safeParse(one).success && !hasSettings);
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(...Object.values(seen))).to.be.above(50);
  });
});

describe('createLitellmAdapter', () => {
  it('returns the holdback in code points of the restored text', () => {
    const outcome: ResponseOutcome = {
      session,
      action: 'GUARDRAIL_INTERVENED',
      texts: ['a\u{1F600}\u{1F600}<P', 'done', '\u{1F600}'],
      holdback: [6, 0, 1],
      restored: 1,
      withheld: 0,
      unknown: 0,
    };
    expect(renderResponse(outcome)).to.deep.equal({
      action: 'GUARDRAIL_INTERVENED',
      texts: outcome.texts,
      stream_holdback_chars: [4, 0, 1],
    });
  });

  it('returns only lists with changed rows, and no empty list of texts', () => {
    const rows: Json[] = [{ role: 'user' }, { role: 'assistant' }];
    const base = { session, entities: [], action: 'GUARDRAIL_INTERVENED', texts: [] } as const;
    const document = { texts: [], structured_messages: rows, tools: rows };
    const same: RequestOutcome = { ...base, structuredMessages: [...rows], tools: [...rows] };
    expect(renderRequest(same, document)).to.deep.equal({ action: 'GUARDRAIL_INTERVENED' });
    const changed = [rows[0] ?? null, { role: 'changed' }];
    const answer = renderRequest({ ...base, texts: ['x'], structuredMessages: changed, tools: [...rows] }, document);
    expect(answer).to.deep.equal({ action: 'GUARDRAIL_INTERVENED', texts: ['x'], structured_messages: changed });
  });

  it('returns only the reason for a blocked request', () => {
    const outcome: RequestOutcome = { session, entities: [], action: 'BLOCKED', blockedReason: 'No cards.' };
    expect(renderRequest(outcome, { texts: ['x'] })).to.deep.equal({ action: 'BLOCKED', blocked_reason: 'No cards.' });
  });

  it('knows a call that has passed the inline proxy by the keyed value of its header', () => {
    const isMarked = (headers: unknown): unknown =>
      parse({ input_type: 'request', texts: ['a'], request_headers: headers as Json }).isPseudonymized;
    expect(isMarked({ 'x-guardrail-pseudonymized': 'keyed' })).to.equal(true);
    const others = ['1', '[present]', null, true].map((value) => ({ 'x-guardrail-pseudonymized': value }));
    const all = [...others, null, undefined, {}, { via: '1.1 guardrail' }];
    expect(all.filter(isMarked)).to.deep.equal([]);
  });

  it('reads every identifier of the gateway, and treats null as absent', () => {
    const body = {
      input_type: 'request',
      litellm_call_id: 'call',
      litellm_trace_id: null,
      texts: ['a'],
      structured_messages: null,
      tools: null,
      images: null,
      model: null,
      request_headers: null,
      additional_provider_specific_params: null,
      request_data: {
        user_api_key_hash: 'hash',
        user_api_key_team_id: 'team',
        user_api_key_user_id: 'user',
        user_api_key_end_user_id: 'end',
        user_api_key_alias: 'alias',
        anything: {},
      },
      new_field: {},
    };
    const call = parse(body);
    expect(call.identity).to.deep.equal({
      tenant,
      team: 'team',
      keyHash: 'hash',
      user: 'user',
      endUser: 'end',
      callId: 'call',
      traceId: undefined,
    });
    expect(call.document).to.deep.equal({
      texts: ['a'],
      structuredMessages: undefined,
      tools: undefined,
      images: undefined,
      toolCalls: undefined,
    });
  });

  it('takes the identity of a key that the operator rotates for its hash, if user and alias agree', () => {
    const id = '0f'.repeat(32);
    const keyHashOf = (user: string | null, alias: string | null): string | undefined =>
      parse({
        input_type: 'request',
        texts: ['a'],
        request_data: { user_api_key_hash: 'hash', user_api_key_user_id: user, user_api_key_alias: alias },
      }).identity.keyHash;
    expect(keyHashOf(`gkey-${id}`, `gkey-${id}/shop/app/1`)).to.equal(id);
    for (const [user, alias] of [
      // A header can name the user. Whoever makes keys can choose the alias. One alone proves nothing.
      [`gkey-${id}`, null],
      [`gkey-${id}`, 'app'],
      [`gkey-${id}`, `gkey-${id}`],
      [`gkey-${id}`, `gkey-${'1f'.repeat(32)}/shop/app/1`],
      [null, `gkey-${id}/shop/app/1`],
      ['bob', `gkey-${id}/shop/app/1`],
      ['gkey-', 'gkey-/shop/app/1'],
      ['gkey-short', 'gkey-short/shop/app/1'],
    ] as const) {
      expect(keyHashOf(user, alias), `${user} ${alias}`).to.equal('hash');
    }
  });

  it('reads the tool calls of a request, and returns those that changed', () => {
    const tool_calls = [{ function: { arguments: '{"to":"Anna"}' } }];
    const document = { texts: ['a'], tool_calls };
    expect(parse({ input_type: 'request', ...document }).document).to.deep.include({ toolCalls: tool_calls });
    const outcome = { session, entities: [], action: 'GUARDRAIL_INTERVENED', texts: ['a'] } as const;
    const changed: Json[] = [{ function: { arguments: '{"to":"<PERSON_X>"}' } }];
    expect(renderRequest({ ...outcome, toolCalls: changed }, document)).to.have.deep.property('tool_calls', changed);
    expect(renderRequest({ ...outcome, toolCalls: tool_calls }, document)).to.not.have.property('tool_calls');
  });

  it('accepts a response with only tool calls, and rejects such a request', () => {
    const tool_calls = [{ function: { arguments: '{}' } }];
    expect(parse({ input_type: 'response', tool_calls }).document).to.deep.include({
      texts: [],
      toolCalls: tool_calls,
    });
    expect(() => parse({ input_type: 'request', tool_calls })).to.throw(/must contain at least one of/);
    expect(() => parse({ input_type: 'response' })).to.throw(/must contain at least one of/);
  });
});
