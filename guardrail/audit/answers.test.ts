import { expect } from 'chai';
import fc from 'fast-check';
import { Answers, type PieceCounts } from './answers.ts';
import type { AuditEvent } from './event.ts';
import { eventWith } from './testing/events.ts';

const CALL = '0'.repeat(32);
const piece = (fields: Partial<AuditEvent> = {}): AuditEvent =>
  eventWith({ 'guardrail.phase': 'response', 'guardrail.call.id': CALL, ...fields });
const QUIET = 10_000;

/** The event of an answer whose pieces come one after the other. */
function joined(pieces: readonly AuditEvent[], counts: PieceCounts): AuditEvent | undefined {
  const answers = new Answers();
  for (const one of pieces) expect(answers.add(one, counts, 0)).to.deep.equal([]);
  const [event, ...others] = answers.all();
  expect(others).to.deep.equal([]);
  return event;
}

describe('the answers of an audit trail', () => {
  for (const [what, event] of [
    ['a request', eventWith({ 'guardrail.call.id': CALL })],
    ['an answer of no known call', eventWith({ 'guardrail.phase': 'response' })],
    ['an erasure', eventWith({ 'guardrail.phase': 'erasure', 'guardrail.action': 'ERASED' })],
  ] as const) {
    it(`pass ${what} on at once`, () => {
      expect(new Answers().add(event, 'latest', 0)).to.deep.equal([event]);
    });
  }

  it('keep an answer until no piece has come for ten seconds', () => {
    const answers = new Answers();
    answers.add(piece(), 'latest', 0);
    expect(answers.ended(QUIET - 1)).to.deep.equal([]);
    answers.add(piece(), 'latest', QUIET - 1);
    expect(answers.ended(2 * QUIET - 2)).to.deep.equal([]);
    expect(answers.ended(2 * QUIET - 1)).to.deep.equal([
      { ...piece(), 'event.duration': 4_000_000, 'guardrail.answer.pieces': 2 },
    ]);
    expect(answers.all()).to.deep.equal([]);
  });

  it('leave an answer in one piece as it is', () => {
    expect(joined([piece()], 'latest')).to.deep.equal(piece());
  });

  it('add up the counts of pieces, or take those of all that has arrived', () => {
    const pieces = [2, 5, 3].map((restored) => piece({ 'guardrail.pseudonyms.restored': restored }));
    expect(joined(pieces, 'sum')).to.include({ 'guardrail.pseudonyms.restored': 10, 'guardrail.answer.pieces': 3 });
    expect(joined(pieces, 'latest')).to.include({ 'guardrail.pseudonyms.restored': 5 });
  });

  it('are a suspected enumeration if one of their pieces is', () => {
    const suspected = piece({ 'guardrail.suspected_enumeration': true });
    for (const pieces of [
      [suspected, piece()],
      [piece(), suspected],
    ]) {
      expect(joined(pieces, 'sum')).to.include({ 'guardrail.suspected_enumeration': true });
    }
    expect(joined([piece(), piece()], 'sum')).to.not.have.property('guardrail.suspected_enumeration');
  });

  it('have the outcome that matters most, whenever it came', () => {
    const failed = piece({
      ...{ 'guardrail.action': 'FAILED', 'error.type': 'timeout', 'http.response.status_code': 429 },
    });
    const restored = piece({ 'guardrail.action': 'GUARDRAIL_INTERVENED' });
    for (const pieces of [
      [failed, restored, piece()],
      [piece(), restored, failed],
    ]) {
      expect(joined(pieces, 'latest')).to.include({
        ...{ 'guardrail.action': 'FAILED', 'error.type': 'timeout', 'http.response.status_code': 429 },
      });
    }
    expect(joined([piece(), restored], 'sum')).to.include({ 'guardrail.action': 'GUARDRAIL_INTERVENED' });
  });

  for (const [what, field] of [
    ['tenants', { 'guardrail.tenant': 'other' }],
    ['calls', { 'guardrail.call.id': '1'.repeat(32) }],
    ['sessions', { 'session.id': '1'.repeat(32) }],
    ['protocols', { 'guardrail.protocol': 'shield' }],
  ] as const) {
    it(`never join answers of two ${what}`, () => {
      const answers = new Answers();
      answers.add(piece(), 'latest', 0);
      answers.add(piece(field), 'latest', 0);
      expect(answers.all()).to.have.length(2);
    });
  }

  it('lose no piece, however many answers there are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(6000), fc.nat(2000)), { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 30 }),
        (pieces, repeated) => {
          const answers = new Answers();
          let now = 0;
          let written = 0;
          let sent = 0;
          const count = (events: readonly AuditEvent[]): void => {
            for (const event of events) written += event['guardrail.answer.pieces'] ?? 1;
          };
          for (let round = 0; round < repeated; round += 1) {
            for (const [call, wait] of pieces) {
              now += wait;
              sent += 1;
              count(answers.add(piece({ 'guardrail.call.id': call.toString(16).padStart(32, '0') }), 'sum', now));
            }
          }
          count(answers.all());
          expect(written).to.equal(sent);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('pass the oldest answer on when there are too many', () => {
    const answers = new Answers();
    const ended: AuditEvent[] = [];
    for (let n = 0; n <= 5000; n += 1) {
      ended.push(...answers.add(piece({ 'guardrail.call.id': n.toString(16).padStart(32, '0') }), 'sum', 0));
    }
    expect(ended.map((event) => event['guardrail.call.id'])).to.deep.equal(['0'.repeat(32)]);
  });
});
