import type { KeyObject } from 'node:crypto';
import type { Analyzer, EntityType } from '../detection/detection.ts';
import type { MappingStore } from '../store/store.ts';
import type { Guard, SessionScope } from './core.ts';

export interface GuardOptions {
  readonly analyzer: Analyzer;
  readonly store: MappingStore;
  /** Secret from which session ids and pseudonyms come (`createSecretKey` of at least 16 random bytes); must not change. */
  readonly sessionKey: KeyObject;
  readonly scope: SessionScope;
  /** `monitor` detects and counts, changes nothing and writes nothing. */
  readonly mode: 'enforce' | 'monitor';
  /**
   * Entity types of custom recognizers, asked for at each call since policy can change: pseudonyms bear their names.
   * Types that are neither built in nor given here are called `ENTITY`.
   */
  readonly customTypes?: () => readonly EntityType[];
}

export function createGuard(_options: GuardOptions): Guard {
  throw new Error('The core is under construction.');
}
