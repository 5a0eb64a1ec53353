/** The messages of the external processor, and how its answers are written. Pure functions. */

export interface HeaderValue {
  readonly key?: string;
  readonly value?: string;
  readonly rawValue?: Buffer;
}

export interface HeaderMap {
  readonly headers?: readonly HeaderValue[];
}

export interface HttpHeaders {
  readonly headers?: HeaderMap;
  /** No body follows. */
  readonly endOfStream?: boolean;
}

export interface HttpBody {
  readonly body?: Buffer;
  /** Nothing follows, not even trailers. */
  readonly endOfStream?: boolean;
}

export interface HttpTrailers {
  readonly trailers?: HeaderMap;
}

/** What Envoy tells of a call. Each message has one of the six parts. */
export interface ProcessingRequest {
  readonly requestHeaders?: HttpHeaders;
  readonly requestBody?: HttpBody;
  readonly requestTrailers?: HttpTrailers;
  readonly responseHeaders?: HttpHeaders;
  readonly responseBody?: HttpBody;
  readonly responseTrailers?: HttpTrailers;
  /** Envoy ignores the answers. */
  readonly observabilityMode?: boolean;
  /** Only in the first message of a call. Its members are absent where they are 0. */
  readonly protocolConfig?: { readonly requestBodyMode?: number; readonly responseBodyMode?: number };
}

/** Headers to set, in place of all that have the name, and headers to remove. */
export interface HeaderChanges {
  readonly set: readonly (readonly [name: string, value: Buffer])[];
  readonly remove: readonly string[];
}

interface HeaderMutation {
  readonly setHeaders: readonly { readonly header: HeaderValue; readonly appendAction: number }[];
  readonly removeHeaders: readonly string[];
}

interface BodyMutation {
  readonly body?: Buffer;
  readonly clearBody?: boolean;
  readonly streamedResponse?: HttpBody;
}

interface PhaseResponse {
  readonly response: { readonly headerMutation?: HeaderMutation; readonly bodyMutation?: BodyMutation };
}

/** What Envoy is to do. Each message has one of the members. */
export interface ProcessingResponse {
  readonly requestHeaders?: PhaseResponse;
  readonly requestBody?: PhaseResponse;
  readonly requestTrailers?: { readonly headerMutation?: HeaderMutation };
  readonly responseHeaders?: PhaseResponse;
  readonly responseBody?: PhaseResponse;
  readonly responseTrailers?: { readonly headerMutation?: HeaderMutation };
  readonly immediateResponse?: {
    readonly status: { readonly code: number };
    readonly headers: HeaderMutation;
    readonly body: Buffer;
    readonly details: string;
  };
}

/** The two directions of a call. */
export type Direction = 'request' | 'response';

const OVERWRITE_IF_EXISTS_OR_ADD = 2;
const NO_CHANGES: HeaderChanges = { set: [], remove: [] };

/** Continues with the headers, changed. */
export function headersReply(direction: Direction, changes = NO_CHANGES): ProcessingResponse {
  return { [`${direction}Headers`]: { response: { headerMutation: mutationOf(changes) } } };
}

/** Replaces the part of a body that Envoy has sent, which waits for this answer. */
export function bodyReply(direction: Direction, body: Buffer, changes?: HeaderChanges): ProcessingResponse {
  const bodyMutation = body.length > 0 ? { body } : { clearBody: true };
  const headerMutation = changes && mutationOf(changes);
  return { [`${direction}Body`]: { response: { bodyMutation, ...(headerMutation && { headerMutation }) } } };
}

/** Sends a part of a body in the mode FULL_DUPLEX_STREAMED, where parts need not correspond to those that arrive. */
export function streamedReply(direction: Direction, body: Buffer, endOfStream: boolean): ProcessingResponse {
  return { [`${direction}Body`]: { response: { bodyMutation: { streamedResponse: { body, endOfStream } } } } };
}

/** @param remove names of trailers */
export function trailersReply(direction: Direction, remove: readonly string[] = []): ProcessingResponse {
  return { [`${direction}Trailers`]: { headerMutation: mutationOf({ set: [], remove }) } };
}

/** Ends the call with an answer of the guardrail's. Envoy forwards nothing of the call. */
export function immediateReply(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): ProcessingResponse {
  const set = Object.entries(headers).map(([name, value]) => [name, Buffer.from(value, 'latin1')] as const);
  return {
    immediateResponse: {
      status: { code: status },
      headers: mutationOf({ set, remove: [] }),
      body,
      details: 'guardrail',
    },
  };
}

/** The names in a list of headers. */
export function namesIn(map: HeaderMap | undefined): string[] {
  return (map?.headers ?? []).map(({ key = '' }) => key);
}

function mutationOf({ set, remove }: HeaderChanges): HeaderMutation {
  return {
    setHeaders: set.map(([key, rawValue]) => ({
      header: { key, rawValue },
      appendAction: OVERWRITE_IF_EXISTS_OR_ADD,
    })),
    removeHeaders: remove,
  };
}
