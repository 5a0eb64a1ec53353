/** The form of an attack on the guardrail. */
import type { RedisServer } from '../../harness/redis.ts';
import type { Canaries } from '../canaries.ts';
import type { Random } from '../random.ts';
import type { Answer, Call } from './client.ts';

/** The store of the guardrail under attack. */
export type StoreKind = 'memory' | 'redis';

/** The interface of an attack to its target. */
export interface Target {
  readonly random: Random;
  readonly canaries: Canaries;
  readonly port: number;
  readonly store: StoreKind;
  /** API keys of two tenants; the victim has a third. */
  readonly keys: { readonly attacker: string; readonly other: string };
  /** Undefined if the mappings are in memory. */
  readonly redis: RedisServer | undefined;
  send(call: Call): Promise<Answer>;
  /** @returns the processor time of the guardrail, in milliseconds */
  processorMs(): number;
  /** @returns the peak growth of the guardrail's memory during some work, in bytes */
  peakDuring(work: () => Promise<unknown>): Promise<number>;
  /**
   * Ends the guardrail.
   *
   * @returns its exit status
   */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<string>;
  /** Restarts the guardrail on the same port. */
  restart(): Promise<void>;
  /** Reports a fault. */
  fault(phrase: string): void;
}

/** An attack on the guardrail. */
export interface GuardrailAttack {
  readonly name: string;
  /** Default: both. An attack whose calls the store does not see, or sees as any other calls, runs with one. */
  readonly store?: StoreKind;
  /** The attack makes the service unavailable on purpose; the victim must be served only afterwards. */
  readonly outage?: true;
  readonly run: (target: Target) => Promise<void>;
}
