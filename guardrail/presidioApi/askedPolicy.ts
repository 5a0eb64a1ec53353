import {
  compilingDocument,
  generalTypeOf,
  layeredPolicy,
  type CompiledDocument,
  type DocumentPolicy,
  type Policy,
  type Profile,
} from '../detection/detection.ts';
import type { Steps } from '../eventLoop.ts';
import { processDigest } from '../processDigest.ts';
import { Recent } from '../recent.ts';
import type { AnalyzeRequest } from './analyzeRequest.ts';
import { ownTypesOf } from './entityTypes.ts';

/** What a request asks of the policy. */
export type Asked = Pick<AnalyzeRequest, 'entities' | 'recognizers'>;

/** How many policies of earlier requests are kept: clients send the same fields with each text. */
const KEPT = 64;
/** The longest fields of a request whose policy is kept, in characters: their values stay in memory. */
const MAX_KEPT_FIELDS = 16 * 1024;

/**
 * Creates the policy of a request, from that of the service.
 *
 * A request that names types gets exactly these, also those that the policy ignores; the caller decides what happens to them.
 * A request that names none gets what the policy does not ignore. The allow list and the thresholds of the policy always apply.
 */
export function createAskedPolicies(profile: Profile): (service: DocumentPolicy, asked: Asked) => Steps<Policy> {
  let base: CompiledDocument | undefined;
  let recent = new Recent<Policy>(KEPT);
  return function* (service, asked) {
    if (!asked.entities && asked.recognizers.length === 0) return service;
    if (service.compiled !== base) {
      base = service.compiled;
      recent = new Recent(KEPT);
    }
    const fields = JSON.stringify([[...(asked.entities ?? [])], asked.recognizers]);
    if (fields.length > MAX_KEPT_FIELDS) return yield* askedPolicy(service.compiled, profile, asked);
    const name = processDigest(fields);
    const kept = recent.get(name);
    if (kept) return kept;
    const policy = yield* askedPolicy(service.compiled, profile, asked);
    recent.set(name, policy);
    return policy;
  };
}

function* askedPolicy(service: CompiledDocument, profile: Profile, { entities, recognizers }: Asked): Steps<Policy> {
  const types = entities && new Set([...entities].flatMap(ownTypesOf));
  const used = recognizers.filter(({ type }) => !entities || entities.has(type));
  const document = {
    entities: Object.fromEntries([
      ...[...(types ?? [])].map((type) => [type, { action: 'pseudonymize' }] as const),
      // Presidio reports the results of these recognizers with any score.
      ...used.map(({ type }) => [type, { action: 'pseudonymize', threshold: 0 }] as const),
    ]),
    recognizers: used.flatMap((recognizer) => recognizer.recognizers),
    deny: used.flatMap(({ deny }) => deny),
  } as const;
  const own = yield* compilingDocument(document, 'asWritten');
  const policy = layeredPolicy([own, service], profile);
  if (!types) return policy;
  const isAsked = (type: string): boolean => types.has(type) || types.has(generalTypeOf(type));
  return {
    ...policy,
    actionOf: (span, value, team) => (isAsked(span.type) ? policy.actionOf(span, value, team) : undefined),
    keptBy: (span, value, team) => (isAsked(span.type) ? policy.keptBy(span, value, team) : 'notRequested'),
  };
}
