import { createSecretKey } from 'node:crypto';
import type { Analyzer, EntityType, Finding } from '../../detection/detection.ts';
import type { Tenant } from '../../ids.ts';
import { createMemoryStore, type MappingStore } from '../../store/store.ts';
import {
  createGuard,
  type CallContext,
  type CallIdentity,
  type Guard,
  type GuardOptions,
} from '../pseudonymization.ts';

/** Values that the fake analyzer always finds, with their types. A test cannot pass because nothing was found. */
export type Planted = Readonly<Record<string, EntityType>>;

export interface FakeAnalyzerOptions {
  /** Types that the policy blocks. */
  readonly block?: readonly EntityType[];
  /** Finds only the first occurrence of each value in a batch. The guard must find the others. */
  readonly firstOnly?: boolean;
  /** Called with each batch before the analysis. */
  readonly onBatch?: (texts: readonly string[]) => unknown;
}

export function createFakeAnalyzer(planted: Planted, options: FakeAnalyzerOptions = {}): Analyzer {
  const values = Object.keys(planted).sort((a, b) => b.length - a.length);
  return {
    async analyze(texts) {
      await options.onBatch?.(texts);
      const seen = new Set<string>();
      return texts.map((text) => {
        const findings: Finding[] = [];
        for (let at = 0; at < text.length;) {
          const value = values.find((candidate) => text.startsWith(candidate, at) && isWhole(text, at, candidate));
          if (value !== undefined && !(options.firstOnly && seen.has(value))) {
            seen.add(value);
            findings.push(findingOf(at, value, planted[value] ?? '', options.block ?? []));
          }
          at += value?.length ?? 1;
        }
        return findings;
      });
    },
    state: () => Promise.resolve({ up: true }),
    close: () => Promise.resolve(),
  };
}

function findingOf(start: number, value: string, type: EntityType, block: readonly EntityType[]): Finding {
  const action = block.includes(type) ? 'block' : 'pseudonymize';
  return { start, end: start + value.length, type, score: 0.9, detector: 'fake', rule: 'fake', action };
}

/** Whether a value splits no surrogate pair, as the contract of findings requires. */
function isWhole(text: string, at: number, value: string): boolean {
  const splits = (place: number): boolean => /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(place - 1, place + 1));
  return !splits(at) && !splits(at + value.length);
}

export const testKey = createSecretKey(Buffer.alloc(32, 1));

export interface TestGuard {
  readonly guard: Guard;
  readonly store: MappingStore;
}

export function createTestGuard(analyzer: Analyzer, options: Partial<GuardOptions> = {}): TestGuard {
  const store = options.store ?? createMemoryStore({ ttlMs: 3_600_000 });
  return {
    guard: createGuard({ analyzer, store, sessionKey: testKey, scope: 'user', ...options }),
    store,
  };
}

export function callBy(identity: Partial<CallIdentity> = {}): CallContext {
  const caller = { tenant: 'gateway' as Tenant, keyHash: 'key', endUser: 'cust-9', callId: 'call', ...identity };
  return { identity: caller, signal: new AbortController().signal };
}
