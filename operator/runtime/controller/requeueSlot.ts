/**
 * When an object at rest comes back: evenly spread over its interval, whatever happened before.
 *
 * A thousand objects that were applied at once would otherwise come back at once: moved at random by a tenth of the
 * interval, a crowd spreads like a drop of ink, by the square root of the number of intervals, and after ten of them the
 * busiest moment still has more than twice its share. Here each object has a place of its own in the interval, and goes there
 * in equal steps, none longer than a tenth: half an interval is the farthest, so the fifth step is the last, and on the
 * way the crowd is as wide as it can be. Once there it comes back after exactly one interval for ever, and what a slow
 * reconcile shifts is made good the next time.
 *
 * Places follow the golden ratio, the sequence that leaves the smallest gaps however many there are, and of which every
 * regular part is spread as well (so the objects of each gateway are, too). A hash would do without counting, but random
 * places are uneven: of 1,000 objects in 5 minutes the busiest second would have three times its share for ever.
 */

/** How far one requeue may be moved from what was asked for, either way, as a share of the interval. */
export const REQUEUE_SPREAD = 0.1;

const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** Half an interval, the farthest from anywhere, in steps of {@link REQUEUE_SPREAD}. */
const MAX_STEPS = 0.5 / REQUEUE_SPREAD;

/** Where in its interval an object is to come back, and how far on the way there it is. */
export interface RequeueSlot {
  /** From 0 to 1: the share of the interval, counted from the clock's zero. */
  readonly at: number;
  /** In how many more requeues it is to be there. */
  steps: number;
}

/** The place of the object of a serial number. */
export function requeueSlot(serial: number): RequeueSlot {
  return { at: (serial * GOLDEN) % 1, steps: MAX_STEPS };
}

/**
 * When an object is due that asked to come back after an interval, and takes one step towards its place.
 * @param now milliseconds of a clock that only goes forward
 * @param intervalMs more than 0
 * @returns between `1 - REQUEUE_SPREAD` and `1 + REQUEUE_SPREAD` intervals from now, on the same clock
 */
export function nextDue(place: RequeueSlot, now: number, intervalMs: number): number {
  const asked = now + intervalMs;
  const away = ((((place.at - asked / intervalMs) % 1) + 1.5) % 1) - 0.5;
  // What rounding adds must not cost a step more.
  const needed = Math.ceil(Math.abs(away) / REQUEUE_SPREAD - 1e-9);
  const steps = Math.max(1, needed, place.steps);
  place.steps = steps - 1;
  return asked + (away / steps) * intervalMs;
}
