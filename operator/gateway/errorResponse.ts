/** Turns unsuccessful responses of the gateway into errors. Pure. */
import type { GatewayErrorKind, GatewayOperation } from './errors.ts';
import { GatewayError } from './errors.ts';
import { explain, reportsDuplicate, reportsMissingCustomer, reportsMissingPath } from './litellmQuirks.ts';
import type { ErrorBody } from './schemas.ts';
import { errorBody } from './schemas.ts';
import { anyMessage, quoteGateway } from './quote.ts';

/** The response to a call. */
export interface GatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The call that received the response. */
export interface CallContext {
  readonly operation: GatewayOperation;
  /** The path of a call about a customer, with its query. */
  readonly path?: string;
  /** The customer that the call names, if any. */
  readonly customerId?: string | undefined;
  readonly masterKey: string;
  /** Values that must not be quoted. */
  readonly personal: readonly string[];
  /** Whether the gateway is known to be LiteLLM, whose 404 for a missing customer has a known message. */
  readonly isLiteLlm: boolean;
}

/** The remedy for a response that does not come from a gateway's admin API. */
export const wrongEndpointRemedy = "Check that spec.endpoint of the instance is the URL of the gateway's admin API.";

/** Completes a sentence with the gateway's message in quotation marks, if the response has one in its own format. */
export function withQuote(
  { masterKey, personal }: Pick<CallContext, 'masterKey' | 'personal'>,
  sentence: string,
  text: string,
): string {
  const quote = quoteGateway(text, masterKey, personal);
  return quote === '' ? `${sentence}.` : `${sentence}: "${quote}".`;
}

/** The delay that the gateway requests, in milliseconds; undefined if it requests none. */
export function retryAfterOf({ headers }: GatewayResponse): number | undefined {
  const header = headers['retry-after'];
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (text === undefined || text === '') return undefined;
  const wait = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(wait) ? Math.max(wait, 0) : undefined;
}

/** Whether the gateway requests a pause. The client passes it to the rate limiter. */
export function isRateLimited(response: GatewayResponse): boolean {
  return response.status === 429 || (response.status === 503 && retryAfterOf(response) !== undefined);
}

/** The error for an unsuccessful response. Rate-limited responses (see {@link isRateLimited}) are handled elsewhere. */
export function errorOf(context: CallContext, response: GatewayResponse): GatewayError {
  const { operation } = context;
  const { status, text } = response;
  const body = errorBodyOf(text);
  const returned = `The gateway returned ${status} for ${operation}`;
  const fail = (kind: GatewayErrorKind, message: string): GatewayError =>
    new GatewayError(kind, operation, message, { status });

  if (status < 200 || (status >= 300 && status < 400)) {
    return fail(
      'terminal',
      `${returned}, a redirect that the operator does not follow. Set spec.endpoint of the instance to the gateway's own URL.`,
    );
  }
  if (reportsDuplicate(operation, status, body)) {
    return fail('alreadyExists', 'The gateway already has a customer with this id.');
  }
  if (status === 401 || status === 403) return forbidden(context, response, body);
  if (status === 404 || status === 405) return notFound(context, response, body);
  if (status >= 500 || status === 408 || status === 425) {
    return fail('transient', withQuote(context, returned, text) + explanation(text));
  }
  return fail('terminal', withQuote(context, returned, text) + explanation(text));
}

/**
 * The error for a success response whose body contains an error or another record; undefined if it contains neither.
 * @param id the record that the call is about
 */
export function contradictionOf(
  context: CallContext,
  response: GatewayResponse,
  id: { readonly field: 'user_id' | 'budget_id'; readonly value: string },
): GatewayError | undefined {
  const { operation } = context;
  const { status, text } = response;
  const body = parseJson(text);
  if (typeof body !== 'object' || body === null) return undefined;
  const { error, detail, [id.field]: named } = body as Record<string, unknown>;
  if ((error ?? detail ?? null) !== null) {
    return new GatewayError(
      'terminal',
      operation,
      withQuote(context, `The gateway returned ${status} with an error for ${operation}`, text) + explanation(text),
      { status },
    );
  }
  if (typeof named !== 'string' || named === id.value) return undefined;
  const record = id.field === 'user_id' ? 'customer' : 'budget';
  return new GatewayError('transient', operation, `The gateway returned another ${record} for ${operation}.`, {
    status,
  });
}

/** @returns undefined if the text is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorBodyOf(text: string): ErrorBody | undefined {
  const parsed = errorBody.safeParse(parseJson(text));
  return parsed.success ? parsed.data : undefined;
}

function explanation(text: string): string {
  const known = explain(text);
  return known === undefined ? '' : ` ${known}`;
}

/** A 403 that gives a reason other than the key, such as a forbidden address, does not mean that the key is wrong. */
function forbidden(context: CallContext, { status, text }: GatewayResponse, body: ErrorBody | undefined): GatewayError {
  const { operation } = context;
  const type = typeof body?.error === 'object' ? (body.error?.type ?? '') : '';
  if (status === 401 || anyMessage(text).trim() === '' || /auth|key|token/.test(type)) {
    return new GatewayError(
      'unauthorized',
      operation,
      `${withQuote(context, `The gateway rejects the master key (${status} for ${operation})`, text)} Store a key with admin rights in the Secret of spec.masterKeySecretRef of the instance.`,
      { status },
    );
  }
  const remedy =
    explain(text) ??
    'Allow the operator to call the admin API, with the key of spec.masterKeySecretRef of the instance and from its address.';
  return new GatewayError(
    'terminal',
    operation,
    `${withQuote(context, `The gateway forbids ${operation} (${status})`, text)} ${remedy}`,
    { status },
  );
}

function notFound(context: CallContext, { status, text }: GatewayResponse, body: ErrorBody | undefined): GatewayError {
  const { operation, customerId, isLiteLlm } = context;
  const mayBeCustomer = status === 404 && customerId !== undefined && operation !== 'POST /customer/new';
  if (mayBeCustomer && reportsMissingCustomer(customerId, body)) {
    return new GatewayError('notFound', operation, 'The gateway has no customer with this id.', { status });
  }
  const message = withQuote(context, `The gateway returned ${status} for ${operation}`, text);
  if (mayBeCustomer && !isLiteLlm && !reportsMissingPath(text, body)) {
    return new GatewayError('unconfirmed', operation, message, { status, answer: answerOf(context, text) });
  }
  return new GatewayError('terminal', operation, `${message} ${wrongEndpointRemedy}`, { status });
}

/** The gateway's message without the path of the call, so that the responses for two paths can be equal. */
function answerOf({ path = '' }: CallContext, text: string): string {
  const [withoutQuery = ''] = path.split('?');
  const paths = [path, withoutQuery].filter((each) => each !== '');
  return paths.reduce((message, each) => message.replaceAll(each, '…'), anyMessage(text));
}
