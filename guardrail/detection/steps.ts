import type { Span } from './contract.ts';
import type { DropReason, Trace } from './trace.ts';
import { withAddresses } from './addresses.ts';
import { contextSteps } from './contextRules.ts';
import { withHandles } from './handles.ts';
import { withoutGutters } from './lineGutters.ts';

/** A step after the recognizers and the model: it corrects or completes what they have found. */
export interface Step {
  readonly id: string;
  /** Why spans that it takes away are no finds. Undefined: it takes none away. */
  readonly drops?: DropReason;
  /**
   * @param trace collects candidates that the step itself does not propose.
   * @returns the spans after the step; the same list if it changes none.
   */
  readonly apply: (text: string, spans: readonly Span[], trace?: Trace) => readonly Span[];
}

/** The steps in their order; several can have one id. Each needs what the ones before it have found. */
export const steps: readonly Step[] = [
  ...contextSteps,
  { id: 'addresses', drops: 'joined', apply: withAddresses },
  { id: 'handles', apply: withHandles },
  { id: 'lineGutters', apply: withoutGutters },
];
