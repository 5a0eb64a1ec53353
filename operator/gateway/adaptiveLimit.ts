/**
 * The adaptive part of the rate limit of a gateway: additive increase, multiplicative decrease. Pure.
 *
 * Two limits adapt, because a gateway shows overload in two ways:
 * - The number of concurrent calls falls when calls fail or become slow, as in TCP Vegas and in the gradient limits of
 *   Envoy and Netflix: compared with the latency at low load, a rising latency means that calls queue at the gateway.
 * - The calls per second fall when the gateway answers 429: a quota says nothing about concurrency.
 */

/** The highest limits that the adaptive limit reaches. */
export interface Ceiling {
  readonly qps: number;
  readonly maxConcurrent: number;
}

/** A call that the gateway answered, or failed to answer. */
export interface ObservedCall {
  /** Calls of one operation take about the same time. */
  readonly operation: string;
  readonly ms: number;
  /** Whether the gateway failed: 5xx, a time-out, no connection. */
  readonly failed: boolean;
  /** The number of calls in flight when this call began or ended, whichever is more, including it. */
  readonly inFlight: number;
}

/** The latency of an operation: moving averages in milliseconds. */
interface Latency {
  /** At low load. */
  readonly baseline: number;
  readonly recent: number;
}

/** The calls since the number of concurrent calls was last considered. */
interface Window {
  readonly calls: number;
  readonly failed: number;
  readonly slow: number;
  /** Whether calls used the whole limit. An unused limit does not grow. */
  readonly isUsed: boolean;
}

/** The current limits, and what they follow from. */
export interface AdaptiveLimit {
  readonly qps: number;
  /** Rounded down, this is the maximum number of concurrent calls. */
  readonly concurrency: number;
  readonly latencies: Readonly<Record<string, Latency>>;
  readonly window: Window;
}

/** The limit before the first call: half of a large ceiling, so that the first latencies are not those of overload. */
export function initialLimit(ceiling: Ceiling): AdaptiveLimit {
  const concurrency = Math.min(ceiling.maxConcurrent, Math.max(initialConcurrency, ceiling.maxConcurrent / 2));
  return { qps: ceiling.qps, concurrency, latencies: {}, window: emptyWindow };
}

/** The limit under another ceiling. What was learned about the gateway remains. */
export function withCeiling(limit: AdaptiveLimit, before: Ceiling, after: Ceiling): AdaptiveLimit {
  // A gateway that has not been overloaded starts anew, so that a higher ceiling takes effect at once.
  const isRefused = limit.qps < before.qps;
  const isOverloaded = limit.concurrency < initialLimit(before).concurrency;
  const concurrency = isOverloaded ? limit.concurrency : Math.max(limit.concurrency, initialLimit(after).concurrency);
  return {
    ...limit,
    qps: isRefused ? Math.min(limit.qps, after.qps) : after.qps,
    concurrency: Math.min(concurrency, after.maxConcurrent),
  };
}

/** The limit after a call. */
export function afterCall(limit: AdaptiveLimit, ceiling: Ceiling, call: ObservedCall): AdaptiveLimit {
  const before = limit.latencies[call.operation];
  const window = {
    calls: limit.window.calls + 1,
    failed: limit.window.failed + (call.failed ? 1 : 0),
    slow: limit.window.slow + (!call.failed && before !== undefined && isSlow(call.ms, before) ? 1 : 0),
    isUsed: limit.window.isUsed || call.inFlight >= Math.floor(limit.concurrency),
  };
  const latencies = call.failed
    ? limit.latencies
    : { ...limit.latencies, [call.operation]: nextLatency(before, call, limit) };
  // Adds the same amount in each second of calls at this rate.
  const qps = call.failed ? limit.qps : limit.qps + ceiling.qps / (recoverySeconds * limit.qps);
  const isOver = window.calls >= Math.max(minWindowCalls, limit.concurrency);
  return {
    qps: Math.min(qps, ceiling.qps),
    concurrency: isOver ? nextConcurrency(limit.concurrency, ceiling, window) : limit.concurrency,
    latencies,
    window: isOver ? emptyWindow : window,
  };
}

/**
 * The limit after the gateway answered 429.
 * @param callsPerSecond the rate that the gateway did not accept
 */
export function afterRefusal(limit: AdaptiveLimit, ceiling: Ceiling, callsPerSecond: number): AdaptiveLimit {
  const qps = Math.max(Math.min(limit.qps, callsPerSecond) * decrease.refused, Math.min(minQps, ceiling.qps));
  return { ...limit, qps };
}

function nextConcurrency(concurrency: number, ceiling: Ceiling, { calls, failed, slow, isUsed }: Window): number {
  const floor = floorOf(ceiling);
  if (failed > calls * toleratedFailures) return Math.max(floor, concurrency * decrease.failed);
  if (slow > calls / 2) return Math.max(floor, concurrency * decrease.slow);
  return isUsed ? Math.min(concurrency + 1, ceiling.maxConcurrent) : concurrency;
}

function floorOf({ maxConcurrent }: Ceiling): number {
  return Math.min(minConcurrency, maxConcurrent);
}

function isSlow(ms: number, { baseline }: Latency): boolean {
  return ms > Math.max(baseline * toleratedFactor, baseline + toleratedMs);
}

/**
 * Under load, the baseline only falls: calls that queue would raise it until any latency is tolerated. If the gateway
 * itself becomes slower, the limit falls to its floor, which is a low load, and the baseline rises there.
 */
function nextLatency(before: Latency | undefined, call: ObservedCall, limit: AdaptiveLimit): Latency {
  if (before === undefined) return { baseline: call.ms, recent: call.ms };
  const recent = before.recent + averageWeight * (call.ms - before.recent);
  const isLowLoad = call.inFlight <= minConcurrency || limit.concurrency <= minConcurrency;
  const baseline = isLowLoad ? before.baseline + averageWeight * (call.ms - before.baseline) : before.baseline;
  return { baseline: Math.min(baseline, isLowLoad ? baseline : recent), recent };
}

const emptyWindow: Window = { calls: 0, failed: 0, slow: 0, isUsed: false };
/** The least number of concurrent calls at first, unless the ceiling is lower. */
const initialConcurrency = 8;
/** The lowest limit of concurrent calls, unless the ceiling is lower. Two calls in flight do not queue noticeably. */
const minConcurrency = 2;
/** The lowest limit of calls per second, unless the ceiling is lower. */
const minQps = 5;
/** How long the calls per second take to grow from the floor to the ceiling. */
const recoverySeconds = 60;
/** The least number of calls between two changes of the limit of concurrent calls. */
const minWindowCalls = 10;
/** The weight of one call in a moving average. */
const averageWeight = 0.1;
/** How many times the latency at low load is tolerated. */
const toleratedFactor = 2;
/** How much more than the latency at low load is always tolerated, in milliseconds. A busy operator measures that too. */
const toleratedMs = 50;
/** The share of failed calls that is tolerated: a single customer can make the gateway fail. */
const toleratedFailures = 0.1;
/** The factors of a decrease. */
const decrease = { failed: 0.5, slow: 0.8, refused: 0.5 };

/** Counts calls by the second. */
export class CallRate {
  #second = 0;
  #calls = 0;
  #callsBefore = 0;

  /** @param now milliseconds of a monotonic clock */
  count(now: number): void {
    this.#moveTo(Math.floor(now / 1000));
    this.#calls++;
  }

  /** The calls of the current or of the previous second, whichever is more. */
  perSecond(now: number): number {
    this.#moveTo(Math.floor(now / 1000));
    return Math.max(this.#calls, this.#callsBefore);
  }

  #moveTo(second: number): void {
    if (second === this.#second) return;
    this.#callsBefore = second === this.#second + 1 ? this.#calls : 0;
    this.#calls = 0;
    this.#second = second;
  }
}
