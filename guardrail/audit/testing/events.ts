/** Test support: audit events. */
import fc from 'fast-check';
import { ACTIONS, AUDIT_DATASET, AUDIT_VERSION, PHASES, type AuditEvent } from '../event.ts';

/** An event of a request, with other fields. */
export function eventWith(fields: Partial<AuditEvent> = {}): AuditEvent {
  return {
    '@timestamp': '2026-01-15T10:00:00.000Z',
    'event.id': '6f2b2c1e-6a39-4f0e-9f51-0b2f8d3f2a10',
    'event.dataset': AUDIT_DATASET,
    'event.duration': 2_000_000,
    'guardrail.audit.version': AUDIT_VERSION,
    'guardrail.phase': 'request',
    'guardrail.action': 'NONE',
    'http.route': '/beta/litellm_basic_guardrail_api',
    'http.request.id': '1c9a6f0e-2f3b-4f4f-8c55-53a1d0a3c111',
    'http.response.status_code': 200,
    ...fields,
  };
}

const HASHES = ['0', '1', '2'].map((digit) => digit.repeat(32));
const TYPES = ['PERSON', 'EMAIL_ADDRESS', 'IBAN_CODE', 'EMPLOYEE_ID'];
const optional = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(one, { nil: undefined });

/** Any event of a few types, users and policies. */
export const anyEvent: fc.Arbitrary<AuditEvent> = fc
  .record({
    '@timestamp': fc
      .date({ min: new Date('2026-01-01'), max: new Date('2026-03-01'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    'guardrail.phase': optional(fc.constantFrom(...PHASES)),
    'guardrail.action': fc.constantFrom(...ACTIONS),
    'guardrail.protocol': optional(fc.constantFrom('basic', 'inline', 'mcp')),
    'error.type': optional(fc.constantFrom('timeout', 'overloaded')),
    'user.hash': optional(fc.constantFrom(...HASHES)),
    'guardrail.policy.revision': optional(fc.constantFrom(...HASHES)),
    'guardrail.policy.customer_revisions': optional(fc.uniqueArray(fc.constantFrom(...HASHES))),
    'guardrail.entities': optional(
      fc.array(
        fc.record({
          type: fc.constantFrom(...TYPES),
          count: fc.integer({ min: 1, max: 1000 }),
          action: fc.constantFrom('pseudonymize' as const, 'block' as const),
        }),
        { maxLength: 4 },
      ),
    ),
    'guardrail.pseudonyms.restored': optional(fc.nat(100)),
    'guardrail.pseudonyms.types': optional(
      fc.uniqueArray(
        fc.record({
          type: fc.constantFrom(...TYPES),
          restored: fc.nat(100),
          withheld: fc.nat(100),
          unknown: fc.nat(100),
        }),
        { maxLength: 3, selector: ({ type }) => type },
      ),
    ),
    'guardrail.suspected_enumeration': optional(fc.constant(true as const)),
    'guardrail.erasure.sessions': optional(fc.nat(5)),
  })
  // A line has no member without a value.
  .map((fields) => JSON.parse(JSON.stringify(eventWith(fields as Partial<AuditEvent>))) as AuditEvent);

/** The lines of events, as a stream in chunks. */
export function streamOf(text: string, chunkBytes = 1000): AsyncIterable<Buffer> {
  const bytes = Buffer.from(text);
  return (async function* () {
    for (let at = 0; at < bytes.length; at += chunkBytes)
      yield await Promise.resolve(bytes.subarray(at, at + chunkBytes));
  })();
}

export const linesOfEvents = (events: readonly AuditEvent[]): string =>
  events.map((event) => `${JSON.stringify(event)}\n`).join('');
