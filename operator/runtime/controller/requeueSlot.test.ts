import { expect } from 'chai';
import fc from 'fast-check';
import { nextDue, requeueSlot, REQUEUE_SPREAD, type RequeueSlot } from './requeueSlot.ts';

const INTERVAL_MS = 300_000;
const SLOTS = 20;

interface ScheduledObject {
  readonly place: RequeueSlot;
  due: number;
}

/** Creates objects whose first reconcile ends at the given shares of the interval. */
function createObjects(arrivals: readonly number[]): ScheduledObject[] {
  return arrivals.map((arrival, serial) => {
    const place = requeueSlot(serial);
    return { place, due: nextDue(place, arrival * INTERVAL_MS, INTERVAL_MS) };
  });
}

/** Requeues each object once. @param lateMs the delay of each reconcile */
function requeueAll(objects: readonly ScheduledObject[], lateMs: (index: number) => number): void {
  for (const [index, object] of objects.entries()) {
    object.due = nextDue(object.place, object.due + lateMs(index), INTERVAL_MS);
  }
}

/** Number of due objects in each slot of the interval. */
function countsBySlot(objects: readonly ScheduledObject[]): number[] {
  const counts = Array.from({ length: SLOTS }, () => 0);
  for (const { due } of objects) {
    const slot = Math.floor(((due % INTERVAL_MS) / INTERVAL_MS) * SLOTS);
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  return counts;
}

/** Bursts of objects that are reconciled at the same time. */
const bursts = fc
  .array(fc.record({ at: fc.double({ min: 0, max: 0.999, noNaN: true }), count: fc.integer({ min: 1, max: 400 }) }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((all) => all.flatMap(({ at, count }) => Array.from({ length: count }, () => at)));

describe('the spread of requeues', () => {
  it('is even after five intervals for any initial bursts, and stays even', () => {
    fc.assert(
      fc.property(bursts, fc.nat(5_000), (arrivals, lateMs) => {
        const objects = createObjects(arrivals);
        for (let interval = 1; interval < 5; interval++) requeueAll(objects, () => 0);
        const share = arrivals.length / SLOTS;
        for (let interval = 0; interval < 10; interval++) {
          expect(Math.max(...countsBySlot(objects))).to.be.at.most(Math.ceil(share) + 3);
          expect(Math.min(...countsBySlot(objects))).to.be.at.least(Math.floor(share) - 3);
          requeueAll(objects, (index) => (index * 7919) % (lateMs + 1));
        }
      }),
    );
  });

  it('moves no requeue by more than a tenth of the interval', () => {
    const anything = fc.double({ min: 0, max: 1e9, noNaN: true });
    const interval = fc.double({ min: 1, max: 1e8, noNaN: true });
    fc.assert(
      fc.property(fc.nat(100_000), fc.nat(5), anything, interval, (serial, steps, now, intervalMs) => {
        const wait = nextDue({ ...requeueSlot(serial), steps }, now, intervalMs) - now;
        expect(Math.abs(wait / intervalMs - 1)).to.be.at.most(REQUEUE_SPREAD + 1e-6);
      }),
      { numRuns: 2_000 },
    );
  });

  it('spreads a burst as far as the steps reach, from the first requeue', () => {
    const objects = createObjects(Array.from({ length: 1_000 }, () => 0.5));
    for (let interval = 1; interval <= 5; interval++) {
      // A slot is a twentieth of the interval: each requeue extends the burst by two slots in each direction.
      const widest = Math.min(SLOTS, 4 * interval);
      expect(Math.max(...countsBySlot(objects)), `after ${interval}`).to.be.at.most(1.1 * (1_000 / widest) + 3);
      requeueAll(objects, () => 0);
    }
  });

  it('is even for the objects of each gateway', () => {
    const objects = createObjects(Array.from({ length: 3_000 }, () => 0.1));
    for (let interval = 1; interval < 5; interval++) requeueAll(objects, () => 0);
    for (const gateway of [0, 1, 2]) {
      const own = objects.filter((_, index) => index % 3 === gateway);
      expect(Math.max(...countsBySlot(own))).to.be.at.most(own.length / SLOTS + 3);
    }
  });

  it('requeues an object in its slot after exactly one interval', () => {
    const place = requeueSlot(12);
    let due = nextDue(place, 1_234, INTERVAL_MS);
    for (let interval = 1; interval < 5; interval++) due = nextDue(place, due, INTERVAL_MS);
    expect(nextDue(place, due, INTERVAL_MS) - due).to.be.closeTo(INTERVAL_MS, 1e-3);
    // The next requeue corrects a delay of three seconds.
    expect(nextDue(place, due + 3_000, INTERVAL_MS) - due).to.be.closeTo(INTERVAL_MS, 1e-3);
  });
});
