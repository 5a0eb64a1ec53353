import { createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import type { SessionId, Tenant } from '../ids.ts';
import { eventually } from '../testing/appHarness.ts';
import type { AuditedCall, AuditSink, AuditTrail } from './contract.ts';
import { auditEventSchema, type AuditEvent } from './event.ts';
import { eventOf } from './eventOf.ts';
import { MAX_WAITING } from './queue.ts';
import { createAuditTrail } from './trail.ts';

const key = createSecretKey(Buffer.alloc(32, 1));
const CALL: AuditedCall = {
  startedAt: new Date('2026-01-15T10:00:00.000Z'),
  durationMs: 2,
  requestId: '1c9a6f0e-2f3b-4f4f-8c55-53a1d0a3c111',
  route: '/v1/peer/check',
  status: 200,
  ...{ tenant: 'litellm', session: undefined, protocol: 'portkey', action: 'NONE' },
  ...{ monitored: undefined, error: undefined, notes: { phase: 'request' } },
};

/** A sink that a test controls, and what becomes of the events. */
class Bench {
  readonly received: AuditEvent[] = [];
  readonly counts = { written: 0, dropped: 0 };
  readonly problems: string[] = [];
  isClosed = false;
  /** Replaces the writing of a batch. */
  write = (_events: readonly AuditEvent[]): Promise<void> => Promise.resolve();
  readonly trail: AuditTrail;

  constructor() {
    const sink: AuditSink = {
      name: 'file',
      write: async (events) => {
        await this.write(events);
        this.received.push(...events);
      },
      close: () => {
        this.isClosed = true;
        return Promise.resolve();
      },
    };
    this.trail = createAuditTrail({
      ...{ key, instance: undefined, sinks: [sink] },
      observer: {
        written: (_, events) => (this.counts.written += events),
        dropped: (_, events) => (this.counts.dropped += events),
        failed: (_, problem) => this.problems.push(problem),
      },
    });
  }

  record(calls: number): void {
    for (let n = 0; n < calls; n += 1) this.trail.record(CALL);
  }
}

describe('the queue before a sink', () => {
  it('passes all events on in order, and the rest at the end', async () => {
    const bench = new Bench();
    for (let n = 0; n < 1000; n += 1) bench.trail.record({ ...CALL, durationMs: n });
    await bench.trail.close();
    expect(bench.received.map((event) => event['event.duration'])).to.deep.equal(
      Array.from({ length: 1000 }, (_, n) => n * 1e6),
    );
    expect([bench.counts, bench.isClosed]).to.deep.equal([{ written: 1000, dropped: 0 }, true]);
  });

  it('never waits for a sink, and drops and counts what does not fit', async () => {
    const bench = new Bench();
    let release: (() => void) | undefined;
    bench.write = () => new Promise((resolve) => (release = resolve));
    bench.record(1);
    // The sink has the first event now.
    await eventually(() => release !== undefined);
    bench.record(MAX_WAITING + 7);
    expect(bench.counts).to.deep.equal({ written: 0, dropped: 7 });
    bench.write = () => Promise.resolve();
    release?.();
    await bench.trail.close();
    expect(bench.counts).to.deep.equal({ written: MAX_WAITING + 1, dropped: 7 });
  });

  it('drops and counts what a sink refuses, reports it once, and goes on', async () => {
    const bench = new Bench();
    bench.write = () => Promise.reject(Object.assign(new Error('Text of the error'), { code: 'ENOSPC' }));
    bench.record(300);
    await eventually(() => bench.counts.dropped === 300);
    bench.record(1);
    await eventually(() => bench.counts.dropped === 301);
    expect(bench.problems).to.deep.equal(['ENOSPC']);
    // A sender chose this code. It is no code of the system.
    const quoting = new Bench();
    quoting.write = () => Promise.reject(Object.assign(new TypeError('x'), { code: 'maria@example.org' }));
    quoting.record(1);
    await quoting.trail.close();
    expect(quoting.problems).to.deep.equal(['TypeError']);
    bench.write = () => Promise.resolve();
    bench.record(1);
    await bench.trail.close();
    expect(bench.counts).to.deep.equal({ written: 1, dropped: 301 });
  });

  it('ends without a sink that hangs, and counts what it loses', async () => {
    const bench = new Bench();
    bench.write = () => new Promise(() => undefined);
    bench.record(601);
    const start = performance.now();
    await bench.trail.close();
    expect(performance.now() - start).to.be.lessThan(5000);
    expect(bench.received).to.deep.equal([]);
  });

  it('loses an event that cannot be made, not the call', async () => {
    const bench = new Bench();
    bench.trail.record({ ...CALL, startedAt: new Date(Number.NaN) });
    bench.record(1);
    await bench.trail.close();
    expect([bench.counts, bench.problems]).to.deep.equal([{ written: 1, dropped: 1 }, ['RangeError']]);
  });
});

describe('an audit event', () => {
  const options = { key, instance: 'ai/main' };
  const identity = { tenant: 'litellm' as Tenant };
  const CARD = '4111111111111111';
  const IBAN = 'DE89370400440532013000';
  const hash = /^[0-9a-f]{32}$/;

  it('is valid, and repeats no text of a caller', () => {
    const typed = [CARD, IBAN, 'anna.schmidt@example.org', 'planted'];
    for (const text of typed) {
      const event = eventOf(
        {
          ...CALL,
          requestId: text,
          error: `of ${text}`,
          action: text,
          monitored: text,
          notes: {
            identity: {
              ...identity,
              team: text,
              keyHash: text,
              user: text,
              endUser: text,
              callId: text,
              traceId: text,
            },
            ...{ callIds: 'public', model: text.includes('planted') ? 'gpt 4o planted' : text },
            entities: [{ type: `type ${text}`, detector: text, action: 'block', count: 2 }],
          },
        },
        options,
      );
      expect(auditEventSchema.strict().parse(event)).to.deep.equal(event);
      expect(JSON.stringify(event)).to.not.include(text);
      expect(event['guardrail.entities']).to.deep.equal([{ type: 'OTHER', count: 2, action: 'block' }]);
    }
  });

  it('hashes identifiers by kind, and keeps UUIDs that are no secrets', () => {
    const id = 'd2719c4e-52f5-4a52-bb7f-0ef8b8a9b2a1';
    const about = (callIds: 'public' | 'secret' | undefined, callId: string): AuditEvent =>
      eventOf({ ...CALL, notes: { identity: { ...identity, team: callId, callId }, callIds } }, options);
    expect(about('public', id)).to.include({ 'guardrail.call.id': id, 'guardrail.team': id });
    expect(about('secret', id)['guardrail.call.id']).to.match(hash);
    const { 'guardrail.call.id': call, 'guardrail.team': team } = about('public', 'red');
    expect([call, team].every((one) => hash.test(one ?? ''))).to.equal(true);
    expect(call).to.not.equal(team);
    expect(about(undefined, id)).to.not.have.property('guardrail.call.id');
  });

  const MODELS: readonly (readonly [model: string, isNamed: boolean])[] = [
    ['gpt-4o', true],
    ['openai/gpt-4o-mini-2024-07-18', true],
    ['ft:gpt-4o-mini:acme::A1b2', true],
    ['claude-3-5-sonnet@20240620', true],
    ['vertex_ai/gemini-2.5-pro@default', true],
    ['anna.schmidt@example.org', false],
    ['anna@example', false],
    ['4111111111111111', false],
    ['DE89370400440532013000', false],
    ['my model', false],
    ['Müller', false],
    ['', false],
    ['x'.repeat(129), false],
  ];
  for (const [model, isNamed] of MODELS) {
    it(`${isNamed ? 'names' : 'does not name'} the model ${model.slice(0, 40)}`, () => {
      const event = eventOf({ ...CALL, notes: { model } }, options);
      expect(event['gen_ai.request.model']).to.equal(isNamed ? model : undefined);
    });
  }

  const ACTIONS: readonly (readonly [call: Partial<AuditedCall>, action: string])[] = [
    [{ action: 'NONE' }, 'NONE'],
    [{ action: 'NONE', monitored: 'BLOCKED' }, 'MONITORED_BLOCKED'],
    [{ action: 'GUARDRAIL_INTERVENED', error: 'upstream_failed' }, 'GUARDRAIL_INTERVENED'],
    [{ action: undefined, error: 'overloaded' }, 'FAILED'],
    [{ action: undefined }, 'NONE'],
    [{ action: 'FAILED', error: 'timeout', notes: { isForwarded: true } }, 'MONITORED_FAILED'],
    [{ action: undefined, notes: { isUnchecked: true } }, 'UNCHECKED'],
    [{ action: undefined, notes: { erasure: { kind: 'session', session: undefined, sessions: 0 } } }, 'ERASED'],
  ];
  for (const [call, action] of ACTIONS) {
    it(`has the action ${action} for ${JSON.stringify(call)}`, () => {
      expect(eventOf({ ...CALL, ...call }, options)['guardrail.action']).to.equal(action);
    });
  }

  it('has the counts of all detectors, by type and action', () => {
    const counts = [
      { type: 'PERSON', detector: 'builtin', action: 'pseudonymize', count: 2 },
      { type: 'PERSON', detector: 'presidio', action: 'pseudonymize', count: 3 },
      { type: 'PERSON', detector: 'presidio', action: 'block', count: 1 },
      { type: 'IBAN_CODE', detector: 'builtin', action: 'block', count: 1 },
    ] as const;
    expect(eventOf({ ...CALL, notes: { entities: counts } }, options)['guardrail.entities']).to.deep.equal([
      { type: 'IBAN_CODE', count: 1, action: 'block' },
      { type: 'PERSON', count: 1, action: 'block' },
      { type: 'PERSON', count: 5, action: 'pseudonymize' },
    ]);
  });

  it('has the revisions of the policies of the service and of customers', () => {
    const [service, one, two] = ['a', 'b', 'c'].map((digit) => digit.repeat(32)) as [string, string, string];
    const policy = { service, customers: [two, undefined, one, two] };
    expect(eventOf({ ...CALL, notes: { policy } }, options)).to.deep.include({
      'guardrail.policy.revision': service,
      'guardrail.policy.customer_revisions': [one, two],
    });
    const none = eventOf({ ...CALL, notes: { policy: { service: undefined, customers: [undefined] } } }, options);
    expect(Object.keys(none).join()).to.not.include('policy');
  });

  it('of an erasure has the session that was erased', () => {
    const session = 'f'.repeat(32) as SessionId;
    const event = eventOf(
      { ...CALL, notes: { phase: 'erasure', erasure: { kind: 'session', session, sessions: 1 } } },
      options,
    );
    expect(event).to.include({ 'session.id': session, 'guardrail.erasure.sessions': 1, 'guardrail.phase': 'erasure' });
  });
});
