import type { DependencyState } from './contract.ts';

export interface CircuitBreakerOptions {
  /** So many failures in a row open it. */
  readonly failures: number;
  /** So long it stays open before one call may try again, in milliseconds. */
  readonly coolDownMs: number;
  readonly now?: () => number;
}

/**
 * Stops calling what keeps failing, so that callers hear at once instead of each waiting for the time-out. After the
 * cool-down one call is let through: its outcome decides for all.
 */
export class CircuitBreaker {
  private readonly options: CircuitBreakerOptions;
  private failures = 0;
  private downSince: number | undefined;
  private retryAt = 0;
  private reason = '';
  private isTrying = false;

  constructor(options: CircuitBreakerOptions) {
    this.options = options;
  }

  private now(): number {
    return (this.options.now ?? Date.now)();
  }

  /** Whether a call may be made now; where so, it must be followed by {@link succeeded}, {@link failed} or {@link abandoned}. */
  enter(): boolean {
    if (this.failures < this.options.failures) return true;
    if (this.isTrying || this.now() < this.retryAt) return false;
    this.isTrying = true;
    return true;
  }

  succeeded(): void {
    this.failures = 0;
    this.downSince = undefined;
    this.isTrying = false;
  }

  failed(reason: string): void {
    this.failures++;
    this.downSince ??= this.now();
    this.reason = reason;
    this.retryAt = this.now() + this.options.coolDownMs;
    this.isTrying = false;
  }

  /** The caller gave up: that says nothing of the dependency. */
  abandoned(): void {
    this.isTrying = false;
  }

  state(): DependencyState {
    if (this.downSince === undefined || this.failures < this.options.failures) return { up: true };
    return { up: false, reason: this.reason, since: new Date(this.downSince) };
  }
}
