import { expect } from 'chai';
import fc from 'fast-check';
import { GatewayError } from './errors.ts';
import { DeferredError } from './rateLimit.ts';
import {
  type ListedRecord,
  type ListUse,
  maxRecordsPerCustomer,
  minListedCustomers,
  RecordList,
} from './recordList.ts';
import type { CustomerRow } from './schemas.ts';

const row = (id: string, more: object = {}): CustomerRow => ({ user_id: id, ...more });
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const minute = 60_000;

/** A gateway that answers a list when the test says so. */
class ListingGateway {
  now = 0;
  lists = 0;
  aborted = false;
  readonly list = new RecordList(
    (each, signal) =>
      new Promise((resolve, reject) => {
        this.lists += 1;
        signal.addEventListener('abort', () => {
          this.aborted = true;
          reject(new Error('aborted'));
        });
        this.send = (rows) => {
          for (const one of rows) if (!each(one)) break;
        };
        this.#end = resolve;
        this.#fail = reject;
      }),
    () => this.now,
  );
  send: (rows: readonly (CustomerRow | undefined)[]) => void = () => undefined;
  #end: () => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;

  lookUp(id: string, use: Partial<ListUse> = {}): ListedRecord {
    return this.list.lookUp(id, { maxAgeMs: 30_000, count: () => minListedCustomers, includes: () => true, ...use });
  }

  async answer(rows: readonly (CustomerRow | undefined)[]): Promise<void> {
    this.send(rows);
    this.send = () => undefined;
    this.#end();
    await settle();
  }

  async fail(error: unknown): Promise<void> {
    this.#fail(error);
    await settle();
  }
}

describe('the record list', () => {
  it('is read once for all lookups, and again when it is too old', async () => {
    const gateway = new ListingGateway();
    expect(gateway.lookUp('a').kind).to.equal('pending');
    expect(gateway.lookUp('b').kind).to.equal('pending');
    await gateway.answer([row('a'), undefined, row('b', { alias: 'B' })]);
    gateway.now = 29_999;
    expect(gateway.lookUp('b')).to.deep.equal({ kind: 'record', row: row('b', { alias: 'B' }) });
    expect(gateway.lookUp('nobody')).to.deep.equal({ kind: 'unknown' });
    expect(gateway.lists).to.equal(1);
    gateway.now = 30_000;
    expect(gateway.lookUp('a').kind).to.equal('pending');
    expect(gateway.lists).to.equal(2);
  });

  it('lets lookups wait longer the longer it takes', () => {
    const gateway = new ListingGateway();
    const waits = [0, 400, 3_000, 20_000, 170_000].map((now) => {
      gateway.now = now;
      const found = gateway.lookUp('a');
      return found.kind === 'pending' ? found.retryAfterMs : 0;
    });
    expect(waits).to.deep.equal([500, 500, 3_000, 20_000, 30_000]);
  });

  it('is used four times as long as it took, so that a slow gateway lists rarely', async () => {
    const gateway = new ListingGateway();
    gateway.lookUp('a');
    gateway.now = 2 * minute;
    await gateway.answer([row('a')]);
    gateway.now = 10 * minute - 1;
    expect(gateway.lookUp('a').kind).to.equal('record');
    gateway.now = 10 * minute;
    expect(gateway.lookUp('a').kind).to.equal('pending');
  });

  it('keeps only the records of customers', async () => {
    const gateway = new ListingGateway();
    const use = { includes: (id: string) => id === 'a' };
    gateway.lookUp('a', use);
    await gateway.answer([row('a'), row('b')]);
    expect([gateway.lookUp('a', use).kind, gateway.lookUp('b', use).kind]).to.deep.equal(['record', 'unknown']);
  });

  it('is not read for a few customers', () => {
    const gateway = new ListingGateway();
    expect(gateway.lookUp('a', { count: () => minListedCustomers - 1 }).kind).to.equal('unknown');
    expect(gateway.lists).to.equal(0);
  });

  it('stops, and is not read again for an hour, at a gateway with many other records', async () => {
    const gateway = new ListingGateway();
    gateway.lookUp('a');
    const most = maxRecordsPerCustomer * minListedCustomers;
    const others = Array.from({ length: most }, (_, at) => row(`other-${at}`));
    await gateway.answer([row('a'), ...others, row('b')]);
    expect([gateway.lookUp('a').kind, gateway.lookUp('b').kind]).to.deep.equal(['record', 'unknown']);
    gateway.now = 60 * minute - 1;
    expect(gateway.lookUp('a').kind).to.equal('unknown');
    gateway.now = 60 * minute;
    expect(gateway.lookUp('a').kind).to.equal('pending');
  });

  const failure = (status: number | undefined): GatewayError =>
    new GatewayError('transient', 'GET /customer/list', 'No.', status === undefined ? {} : { status });
  const failures: readonly (readonly [what: string, error: unknown, pause: number])[] = [
    ['no such call', failure(404), 60 * minute],
    ['another method', failure(405), 60 * minute],
    ['a page instead of a list', failure(200), 60 * minute],
    ['an internal error', failure(500), 10 * minute],
    ['no response', failure(undefined), 10 * minute],
    ['an unexpected error', new Error('x'), 10 * minute],
    ['a deferral by the rate limit', new DeferredError(700), 700],
  ];
  for (const [what, error, pause] of failures) {
    it(`is not read for ${pause / 1_000} s after ${what}, and customers are looked up one by one`, async () => {
      const gateway = new ListingGateway();
      gateway.lookUp('a');
      await gateway.fail(error);
      gateway.now = pause - 1;
      expect(gateway.lookUp('a').kind).to.equal('unknown');
      gateway.now = pause;
      expect(gateway.lookUp('a').kind).to.equal('pending');
    });
  }

  it('ends when its client is closed, and is not read again', async () => {
    const gateway = new ListingGateway();
    gateway.lookUp('a');
    gateway.list.close();
    await settle();
    expect(gateway.aborted).to.equal(true);
    gateway.now = 24 * 60 * minute;
    expect(gateway.lookUp('a').kind).to.equal('unknown');
  });

  it('never returns a record that is older than a call about the customer', async () => {
    interface Event {
      readonly do: 'begin' | 'end' | 'read' | 'send' | 'answer' | 'look' | 'wait';
      readonly id: number;
    }
    const events: fc.Arbitrary<Event> = fc.record({
      do: fc.constantFrom('begin', 'end', 'read', 'send', 'answer', 'look', 'look', 'wait'),
      id: fc.nat(2),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(events, { maxLength: 60, size: 'max' }), async (sequence) => {
        const gateway = new ListingGateway();
        /** The version of each record at the gateway, and the newest one that a call has returned or written. */
        const stored = [0, 0, 0];
        const known = [0, 0, 0];
        const running = [false, false, false];
        /** What the gateway reads from its database for the list, at any moment between request and response. */
        let snapshot: readonly CustomerRow[] | undefined;
        const records = (): readonly CustomerRow[] => stored.map((version, id) => row(String(id), { version }));
        for (const { do: what, id } of sequence) {
          if (what === 'begin' && running[id] === false) {
            running[id] = true;
            gateway.list.recordCall(String(id));
            stored[id] = (stored[id] ?? 0) + 1;
          } else if (what === 'end' && running[id] === true) {
            running[id] = false;
            known[id] = stored[id] ?? 0;
            gateway.list.recordCall(String(id));
          } else if (what === 'read') snapshot ??= records();
          else if (what === 'send') {
            snapshot ??= records();
            gateway.send(snapshot.filter(({ user_id }) => user_id === String(id)));
          } else if (what === 'wait') gateway.now += 20_000;
          else if (what === 'answer') {
            await gateway.answer(snapshot ?? records());
          } else if (what === 'look') {
            const lists = gateway.lists;
            const found = gateway.lookUp(String(id));
            if (gateway.lists > lists) snapshot = undefined;
            if (found.kind === 'record') expect(found.row.version).to.be.at.least(known[id] ?? 0);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
