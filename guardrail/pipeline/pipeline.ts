/** Builds the guard of the service. The only place that decides what monitor mode changes. */
import type { Policy } from '../detection/detection.ts';
import type { CallContext, Guard, GuardOptions } from '../pseudonymization/pseudonymization.ts';
import { createFileGuard } from './fileGuard.ts';
import { createImageGuard, type ImageGuardOptions, type ImageProcessor } from '../images/images.ts';
import { createMonitor, withoutRewrites, withoutWrites } from './monitor.ts';
import type { MappingStore } from '../store/store.ts';

export interface PipelineOptions extends Omit<GuardOptions, 'store'> {
  /** The mode, if the policy does not say it. */
  readonly mode: 'enforce' | 'monitor';
  /** The policy in force. It can change at any time. */
  readonly policy: { readonly current: Policy };
  readonly store: MappingStore;
  readonly reader: ImageProcessor;
  readonly images: ImageGuardOptions['images'];
  readonly remoteImages: ImageGuardOptions['remoteImages'];
  readonly createTextGuard: (options: GuardOptions) => Guard;
}

export interface Pipeline {
  readonly guard: Guard;
  /** The policy of a call that begins now. */
  readonly policy: () => Policy;
  /** Whether a call with this policy that cannot be checked continues unchanged. If so, dependencies are optional. */
  readonly isFailOpen: (policy: Policy) => boolean;
}

/**
 * Builds the guard from its stages. A request passes the file guard, the image guard and the text guard (parse, analyze,
 * decide, pseudonymize, rewrite). The image guard then redacts its images. The policy of a call selects its mode.
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const enforcing = guardsOf(options);
  const store = withoutWrites(options.store);
  const watching = guardsOf({ ...options, store, reader: withoutRewrites(options.reader) });
  const guards = { enforce: enforcing.all, monitor: createMonitor(watching.all, watching.texts) };
  const modeOf = ({ settings }: Policy): PipelineOptions['mode'] => settings.mode ?? options.mode;
  const policy = (): Policy => options.policy.current;
  return {
    guard: byPolicy(policy, (of) => guards[modeOf(of)]),
    policy,
    isFailOpen: (of) => modeOf(of) === 'monitor',
  };
}

function guardsOf(options: PipelineOptions): { readonly all: Guard; readonly texts: Guard } {
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
