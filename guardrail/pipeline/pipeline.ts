/** Builds the guard of the service. The only place that decides what monitor mode changes. */
import type { Policy } from '../detection/detection.ts';
import type { CallContext, Guard, GuardOptions } from '../pseudonymization/pseudonymization.ts';
import type { CallPolicies } from './callPolicies.ts';
import { createFileGuard } from './fileGuard.ts';
import { createImageGuard, type ImageGuardOptions, type ImageProcessor } from '../images/images.ts';
import { createMonitor, withoutRewrites, withoutWrites } from './monitor.ts';
import type { MappingStore } from '../store/store.ts';

export {
  createCallPolicies,
  createPolicyReader,
  NO_CUSTOMER_POLICIES,
  type CallPolicies,
  type CustomerPolicies,
} from './callPolicies.ts';

export interface PipelineOptions extends Omit<GuardOptions, 'store' | 'customTypes'> {
  /** The mode, if the policy does not say it. */
  readonly mode: 'enforce' | 'monitor';
  readonly policies: CallPolicies;
  readonly store: MappingStore;
  readonly reader: ImageProcessor;
  readonly images: ImageGuardOptions['images'];
  readonly remoteImages: ImageGuardOptions['remoteImages'];
  readonly unreadText: ImageGuardOptions['unreadText'];
  readonly createTextGuard: (options: GuardOptions) => Guard;
}

export interface Pipeline {
  readonly guard: Guard;
  /** The guard in enforce mode, whatever the policies say: what a session holds was replaced. */
  readonly enforcing: Guard;
  readonly policyOf: CallPolicies['of'];
  /**
   * Whether a call that cannot be checked continues unchanged. If so, dependencies are optional.
   * @param policy undefined: it is not known for whom the call is, so that any policy can be its
   */
  readonly isFailOpen: (policy: Policy | undefined) => boolean;
}

/**
 * Builds the guard from its stages. A request passes the file guard, the image guard and the text guard (parse, analyze,
 * decide, pseudonymize, rewrite). The image guard then redacts its images. The policy of a call selects its mode.
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { policies } = options;
  const guardOptions = { ...options, customTypes: () => policies.customTypes() };
  const enforcing = guardsOf(guardOptions);
  const store = withoutWrites(options.store);
  const watching = guardsOf({ ...guardOptions, store, reader: withoutRewrites(options.reader) });
  const guards = { enforce: enforcing.all, monitor: createMonitor(watching.all, watching.texts) };
  const modeOf = ({ settings }: Policy): PipelineOptions['mode'] => settings.mode ?? options.mode;
  return {
    guard: byPolicy(policies.service, (policy) => guards[modeOf(policy)]),
    enforcing: byPolicy(policies.service, () => guards.enforce),
    policyOf: policies.of,
    isFailOpen: (policy) => (policy ? [policy] : policies.all()).every((each) => modeOf(each) === 'monitor'),
  };
}

function guardsOf(options: PipelineOptions & GuardOptions): { readonly all: Guard; readonly texts: Guard } {
  const texts = options.createTextGuard(options);
  return { all: createFileGuard(createImageGuard(texts, options), options), texts };
}

/** Fixes the policy of a call when it begins, and selects the guard by it. */
function byPolicy(current: () => Policy, guardOf: (policy: Policy) => Guard): Guard {
  const selected = <T>(context: CallContext, call: (guard: Guard, context: CallContext) => T): T => {
    const { policy = current() } = context;
    return call(guardOf(policy), context.policy ? context : { ...context, policy });
  };
  return {
    request: (document, context) => selected(context, (guard, fixed) => guard.request(document, fixed)),
    response: (document, context) => selected(context, (guard, fixed) => guard.response(document, fixed)),
    stream: (context) => selected(context, (guard, fixed) => guard.stream(fixed)),
    piece: (piece, context) => selected(context, (guard, fixed) => guard.piece(piece, fixed)),
    sessionOf: (identity) => guardOf(current()).sessionOf(identity),
  };
}
