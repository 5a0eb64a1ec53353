/** For tests on an API server: the operator's intervals pass sooner, because they are not what is tested. */
import { type Clock, systemClock } from '../../runtime/runtime.ts';

/** A reconcile may take this long, in milliseconds of the system's clock. */
const TIMEOUT_MS = 120_000;

/** The system's clock, `factor` times as fast. The time of day is that of the system. */
export function fastClock(factor: number): Clock {
  return {
    ...systemClock,
    monotonic: () => systemClock.monotonic() * factor,
    after: (ms, callback) => systemClock.after(ms / factor, callback),
  };
}

/** The timeout of a reconcile by a {@link fastClock}: calls do not become faster with the clock. */
export function timeoutAt(factor: number): number {
  return factor * TIMEOUT_MS;
}
