/** Test support: the options of a proxy. */
import { createSecretKey } from 'node:crypto';
import { pino } from 'pino';
import { defaultPolicy, type Analyzer } from '../../detection/detection.ts';
import { createPseudonymizedMark } from '../../gateways/gateways.ts';
import { createAdmission, createMetrics, EndUserCheck } from '../../http/http.ts';
import type { SubjectId } from '../../ids.ts';
import { createGuard } from '../../pseudonymization/pseudonymization.ts';
import type { MappingStore } from '../../store/store.ts';
import { StoredAnswers, type ProxyOptions } from '../proxy.ts';

/** @param analyze finds the values of texts; default: none */
export function proxyOptions(
  upstream: URL,
  store: MappingStore,
  options: Partial<ProxyOptions> = {},
  analyze: Analyzer['analyze'] = (texts) => Promise.resolve(texts.map(() => [])),
): ProxyOptions {
  const sessionKey = createSecretKey(Buffer.alloc(32));
  const metrics = createMetrics();
  const analyzer: Analyzer = {
    analyze,
    state: () => Promise.resolve({ up: true }),
    close: () => Promise.resolve(),
  };
  return {
    upstream,
    unknown: 'block',
    hidesEndUser: false,
    mark: createPseudonymizedMark(sessionKey),
    storedAnswers: new StoredAnswers(store, sessionKey),
    identityHeaders: undefined,
    customerHeaders: [],
    access: undefined,
    audit: undefined,
    policyRevision: () => undefined,
    maxBody: 1024,
    guard: createGuard({ analyzer, store, sessionKey, scope: 'user' }),
    policyOf: () => defaultPolicy,
    isFailOpen: () => false,
    subjectOf: () => '' as SubjectId,
    fence: () => store.fence(),
    admission: createAdmission({ maxRunning: 4, maxWaiting: 4, maxWaitMs: 1000, maxBytes: 10_000 }),
    metrics,
    endUsers: new EndUserCheck({ isRequired: false, metrics }),
    logger: pino({ level: 'silent' }),
    ...options,
  };
}
