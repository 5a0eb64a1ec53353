/**
 * Spreads the periodic reconciles of objects evenly over their interval.
 *
 * Objects that were applied at the same time would otherwise be requeued at the same time. Random jitter of a tenth of
 * the interval spreads them only with the square root of the number of intervals: after ten intervals, the busiest
 * moment still has more than twice its share. Here each object has its own slot in the interval and moves there in
 * equal steps of at most a tenth. The farthest slot is half an interval away, so an object reaches it after at most
 * five steps. From then on, it is requeued after exactly one interval; the next requeue corrects the delay of a slow
 * reconcile.
 *
 * Slots follow the golden ratio sequence. It spreads any number of objects evenly, and also regular subsets such as the
 * objects of one gateway. Slots from a hash would need no counter, but are uneven: of 1,000 objects in 5 minutes, the
 * busiest second would always have three times its share.
 */

/** The most that one requeue is moved, in either direction, as a share of the interval. */
export const REQUEUE_SPREAD = 0.1;

const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** Half an interval, the largest distance to a slot, in steps of {@link REQUEUE_SPREAD}. */
const MAX_STEPS = 0.5 / REQUEUE_SPREAD;

/** The slot of an object in its interval. */
export interface RequeueSlot {
  /** Position of the slot, from 0 to 1: a share of the interval, counted from the clock's zero. */
  readonly at: number;
  /** Number of requeues until the object reaches its slot. */
  steps: number;
}

/** The slot for a serial number. */
export function requeueSlot(serial: number): RequeueSlot {
  return { at: (serial * GOLDEN) % 1, steps: MAX_STEPS };
}

/**
 * Computes when an object is due, one step closer to its slot.
 * @param now milliseconds of a monotonic clock
 * @param intervalMs the requested interval, more than 0
 * @returns a time on the same clock, `1 - REQUEUE_SPREAD` to `1 + REQUEUE_SPREAD` intervals from now
 */
export function nextDue(slot: RequeueSlot, now: number, intervalMs: number): number {
  const requested = now + intervalMs;
  const distance = ((((slot.at - requested / intervalMs) % 1) + 1.5) % 1) - 0.5;
  // A rounding error must not cause an additional step.
  const needed = Math.ceil(Math.abs(distance) / REQUEUE_SPREAD - 1e-9);
  const steps = Math.max(1, needed, slot.steps);
  slot.steps = steps - 1;
  return requested + (distance / steps) * intervalMs;
}
