import type { DependencyState } from './contract.ts';

export interface CircuitBreakerOptions {
  /** The number of consecutive failures that opens the circuit. */
  readonly failures: number;
  /** How long the circuit stays open before one call may try again, in milliseconds. */
  readonly coolDownMs: number;
  readonly now?: () => number;
}

/**
 * Stops calls to a dependency that keeps failing, so that callers fail at once and do not wait for the timeout. After the
 * cool-down one call may try: its outcome closes the circuit, or opens it again.
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

  /** Whether a call may start now. If so, the caller must call {@link succeeded}, {@link failed} or {@link abandoned}. */
  tryStart(): boolean {
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

  /** The caller aborted the call. The state of the dependency remains unknown. */
  abandoned(): void {
    this.isTrying = false;
  }

  state(): DependencyState {
    if (this.downSince === undefined || this.failures < this.options.failures) return { up: true };
    return { up: false, reason: this.reason, since: new Date(this.downSince) };
  }
}
