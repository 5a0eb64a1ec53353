/** How Envoy sends the bodies of a call, and whether the guardrail sees all of it that way. Pure functions. */
import type { ProcessingRequest } from './messages.ts';

/** `whole`: in one message, while Envoy waits. `parts`: in parts, of which each waits. `duplex`: in parts, both ways. */
export type BodyMode = 'whole' | 'parts' | 'duplex';

export interface Modes {
  readonly request: 'whole' | 'duplex';
  readonly response: BodyMode;
}

/** The numbers of `ProcessingMode.BodySendMode`. */
const STREAMED = 1;
const BUFFERED = 2;
const FULL_DUPLEX_STREAMED = 4;

const REQUEST_MODES = new Map<number, Modes['request']>([
  [BUFFERED, 'whole'],
  [FULL_DUPLEX_STREAMED, 'duplex'],
]);
const RESPONSE_MODES = new Map<number, Modes['response']>([
  [BUFFERED, 'whole'],
  [STREAMED, 'parts'],
  [FULL_DUPLEX_STREAMED, 'duplex'],
]);

/** @returns the modes, or a sentence that says what to set in the filter's configuration */
export function modesOf({ requestHeaders, observabilityMode, protocolConfig }: ProcessingRequest): Modes | string {
  if (!requestHeaders) return 'Set processing_mode.request_header_mode of the filter ext_proc to SEND.';
  if (observabilityMode === true) return 'Set observability_mode of the filter ext_proc to false.';
  if (!protocolConfig) {
    return 'The hop before the guardrail does not announce its processing mode: use Envoy 1.34 or later.';
  }
  const request = REQUEST_MODES.get(protocolConfig.requestBodyMode ?? 0);
  if (!request) {
    return 'Set processing_mode.request_body_mode of the filter ext_proc to FULL_DUPLEX_STREAMED or BUFFERED.';
  }
  const response = RESPONSE_MODES.get(protocolConfig.responseBodyMode ?? 0);
  if (!response) {
    return 'Set processing_mode.response_body_mode of the filter ext_proc to FULL_DUPLEX_STREAMED, STREAMED or BUFFERED.';
  }
  return { request, response };
}
