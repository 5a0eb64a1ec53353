/** For tests on an API server: the operator's intervals pass sooner, because they are not what is tested. */
import { type Clock, systemClock } from '../clock.ts';

/** A reconcile may take this long, in milliseconds of the system's clock. */
const TIMEOUT_MS = 120_000;

/** A clock, by default that of the system, `factor` times as fast. The time of day stays as it is. */
export function fastClock(factor: number, clock: Clock = systemClock): Clock {
  return {
    monotonic: () => clock.monotonic() * factor,
    now: () => clock.now(),
    after: (ms, callback) => clock.after(ms / factor, callback),
    random: () => clock.random(),
  };
}

/** The timeout of a reconcile by a {@link fastClock}: calls do not become faster with the clock. */
export function timeoutAt(factor: number): number {
  return factor * TIMEOUT_MS;
}
