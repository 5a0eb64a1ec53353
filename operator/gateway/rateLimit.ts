/** How hard one gateway may be pressed. */
export interface RateLimit {
  /** Calls a second, on average. */
  readonly qps: number;
  /** Calls that may be made at once after a quiet time. */
  readonly burst: number;
  /** Calls under way at the same time. */
  readonly maxConcurrent: number;
}

/** A pause that the gateway asked for, of a length that people should know of. Stays the same object while it lasts. */
export interface Pause {
  /** When it ends, as far as the gateway has told: it may ask for more then. undefined: it named no time. */
  readonly until: Date | undefined;
  /** What the gateway said. */
  readonly reason: string;
}

/** A call was not made: come back after that many milliseconds. */
export class DeferredError extends Error {
  override readonly name = 'DeferredError';
  readonly retryAfterMs: number;
  /** Why, where the gateway asked for it. */
  readonly pause: Pause | undefined;

  constructor(retryAfterMs: number, pause?: Pause) {
    super(`The call was put off for ${Math.ceil(retryAfterMs)} ms.`);
    this.retryAfterMs = retryAfterMs;
    this.pause = pause;
  }
}

interface Waiting {
  readonly start: () => void;
  readonly sendAway: (why: DeferredError) => void;
}

/** Whose turn it is, the most urgent first. */
export type CallPriority =
  /** Goes on with a piece of work that was begun: waits for its turn. */
  | 'inProgress'
  /** Begins work that somebody may be waiting for. */
  | 'urgent'
  /** Begins work of which nothing is known to have changed. */
  | 'routine';

/**
 * A token bucket with a limit on what is under way, and a pause that the gateway asks for by Retry-After.
 *
 * A call that goes on with a piece of work waits for its turn, unless its signal ends that or the gateway asks for more
 * time than a worker can be held. A call that begins a piece of work rather throws {@link DeferredError} than wait
 * long, and hold a worker that other gateways need; each that is put off gets a turn of its own, so that they do not
 * all come back at once. Routine waits for the urgent, never the other way round: ten thousand customers that are
 * looked at again after a restart hold up none that was just applied.
 *
 * During a long pause one call a minute is let through as a probe: when the gateway answers it, the pause is over,
 * whatever time the gateway had named.
 */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  readonly #wall: () => number;
  /** Those that wait, the first line before the second. */
  readonly #waiting: Readonly<Record<'urgent' | 'routine', Waiting[]>> = { urgent: [], routine: [] };
  #tokens: number;
  #refilledAt: number;
  #underWay = 0;
  #pausedUntil = 0;
  #pause: Pause | undefined;
  /** How often in a row the gateway has asked for time. */
  #refusals = 0;
  #pauses = 0;
  #nextProbe = 0;
  #probing = false;
  readonly #lastTurn = { urgent: 0, routine: 0 };
  #timer: NodeJS.Timeout | undefined;

  /** @param now a clock in milliseconds that never goes back. @param wall the time of day in milliseconds. */
  constructor(limit: RateLimit, now: () => number = () => performance.now(), wall: () => number = () => Date.now()) {
    this.#limit = limit;
    this.#now = now;
    this.#wall = wall;
    this.#tokens = limit.burst;
    this.#refilledAt = now();
  }

  /**
   * Makes the call when it is its turn. The call itself tells of a refusal by {@link pause}.
   * @param signal ends the wait, and the call is not made
   * @throws DeferredError if it begins a piece of work and its turn is far, or the gateway asks for a long pause
   */
  async run<T>(call: () => Promise<T>, turn: CallPriority, signal?: AbortSignal): Promise<T> {
    const isProbe = this.#takeProbe();
    if (isProbe) this.#underWay++;
    else {
      if (turn === 'inProgress') this.#deferIfPaused();
      else this.#deferIfFar(turn);
      await this.#turn(this.#waiting[turn === 'routine' ? 'routine' : 'urgent'], signal);
    }
    const pauses = this.#pauses;
    try {
      const result = await call();
      if (this.#pauses === pauses) this.#answered(isProbe);
      return result;
    } finally {
      if (isProbe) this.#probing = false;
      this.#underWay--;
      this.#admit();
    }
  }

  /**
   * No call but probes begins for a while: the gateway asked for it.
   * @param asked for how many milliseconds; undefined: it named no time, so that the pause grows from one to the next
   * @param reason what it said
   * @returns for how long, and the pause where people should know of it
   */
  pause(asked: number | undefined, reason: string): { readonly ms: number; readonly pause: Pause | undefined } {
    const now = this.#now();
    // Calls that were under way when the pause began say nothing new.
    const again = now < this.#pausedUntil && !this.#probing;
    const tries = asked === undefined ? this.#refusals : this.#refusals - patience;
    const backoff = tries < 0 ? 0 : Math.min(probeEveryMs, firstBackoffMs * 2 ** tries);
    const ms = Math.min(Math.max(asked ?? 0, again ? 0 : backoff), longestAskedMs);
    if (!again) this.#refusals++;
    this.#pauses++;
    this.#pausedUntil = again ? Math.max(this.#pausedUntil, now + ms) : now + ms;
    this.#nextProbe = now + probeEveryMs;
    const left = this.#pausedUntil - now;
    this.#pause = left > longestPauseMs ? this.#told(asked === undefined ? undefined : left, reason) : undefined;
    if (left > longestPauseMs) this.#sendAway();
    return { ms: this.#pauseLeft('urgent', now), pause: this.#pause };
  }

  /** What was told goes on until its time has passed, so that a time that moves on is no news each minute. */
  #told(left: number | undefined, reason: string): Pause {
    const known = this.#pause;
    const wall = this.#wall();
    // To the whole second, and never too early.
    const until = left === undefined ? undefined : new Date(Math.ceil((wall + left) / 1000) * 1000);
    if (known === undefined) return { until, reason };
    if (known.until === undefined || until === undefined) return known.until === until ? known : { until, reason };
    return known.until.getTime() > wall && known.until <= until ? known : { until, reason };
  }

  #takeProbe(): boolean {
    const now = this.#now();
    if (this.#probing || this.#pausedUntil - now <= longestPauseMs || now < this.#nextProbe) return false;
    this.#probing = true;
    this.#nextProbe = now + probeEveryMs;
    return true;
  }

  /** The gateway takes calls. */
  #answered(isProbe: boolean): void {
    this.#refusals = 0;
    this.#pause = undefined;
    if (!isProbe) return;
    this.#pausedUntil = 0;
    this.#lastTurn.urgent = 0;
    this.#lastTurn.routine = 0;
  }

  /** Nobody is held in line for a long pause. */
  #sendAway(): void {
    const now = this.#now();
    for (const turn of ['urgent', 'routine'] as const) {
      for (const { sendAway } of this.#waiting[turn].splice(0)) {
        sendAway(new DeferredError(this.#pauseLeft(turn, now), this.#pause));
      }
    }
  }

  /** When to come back: what is urgent may be the next probe, routine comes when the pause is over. */
  #pauseLeft(turn: CallPriority, now: number): number {
    const left = Math.max(0, this.#pausedUntil - now);
    if (turn === 'routine' || left <= longestPauseMs) return left;
    return Math.min(left, Math.max(longestWaitMs, this.#nextProbe - now));
  }

  #turn(line: Waiting[], signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const giveUp = (): void => {
        line.splice(line.indexOf(waiting), 1);
        reject(signal?.reason as Error);
      };
      const leave = (): void => signal?.removeEventListener('abort', giveUp);
      const waiting: Waiting = {
        start: () => {
          leave();
          resolve();
        },
        sendAway: (why) => {
          leave();
          reject(why);
        },
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      line.push(waiting);
      this.#admit();
    });
  }

  #deferIfPaused(): void {
    const now = this.#now();
    if (this.#pausedUntil - now > longestPauseMs)
      throw new DeferredError(this.#pauseLeft('inProgress', now), this.#pause);
  }

  #deferIfFar(turn: 'urgent' | 'routine'): void {
    const now = this.#now();
    this.#refill(now);
    const before = this.#waiting.urgent.length + (turn === 'routine' ? this.#waiting.routine.length : 0);
    const forToken = Math.max(0, ((before + 1 - this.#tokens) * 1000) / this.#limit.qps);
    const forPause = this.#pauseLeft(turn, now);
    const wait = Math.max(forToken, forPause);
    const paused = this.#pausedUntil - now > longestWaitMs;
    if (wait <= longestWaitMs && !paused && before < this.#limit.maxConcurrent) return;
    const last = this.#lastTurn[turn];
    this.#lastTurn[turn] = Math.max(last + 1000 / this.#limit.qps, now + Math.max(wait, longestWaitMs));
    throw new DeferredError(this.#lastTurn[turn] - now, paused ? this.#pause : undefined);
  }

  #admit(): void {
    const now = this.#now();
    const { urgent, routine } = this.#waiting;
    this.#refill(now);
    while (this.#underWay < this.#limit.maxConcurrent && this.#tokens >= 1 && now >= this.#pausedUntil) {
      const next = urgent.shift() ?? routine.shift();
      if (next === undefined) return;
      this.#tokens--;
      this.#underWay++;
      next.start();
    }
    const none = urgent.length + routine.length === 0;
    if (none || this.#underWay >= this.#limit.maxConcurrent || this.#timer !== undefined) return;
    const wait = Math.max(((1 - this.#tokens) * 1000) / this.#limit.qps, this.#pausedUntil - now, 1);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#admit();
    }, wait);
  }

  #refill(now: number): void {
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + ((now - this.#refilledAt) * this.#limit.qps) / 1000);
    this.#refilledAt = now;
  }
}

/** A call that begins a piece of work waits at most about this long; then its worker is better used elsewhere. */
const longestWaitMs = 500;
/** One that goes on with it waits for a pause of at most this length. People are told of a longer one. */
const longestPauseMs = 10_000;
/** How often a gateway in a long pause is asked whether it takes calls again: soon enough for people, and no load. */
const probeEveryMs = 60_000;
/** The first pause after a refusal that names no time. Doubled from one to the next, up to {@link probeEveryMs}. */
const firstBackoffMs = 5_000;
/** So many times in a row the gateway's own time is taken at its word, however short. Then the pause grows, too. */
const patience = 5;
/** A gateway that asks for more has a fault in its clock or its arithmetic: nobody is told of a year. */
const longestAskedMs = 24 * 60 * 60_000;
