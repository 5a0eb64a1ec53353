/** Turns unsuccessful responses of the gateway into errors. Pure. */
import type { GatewayErrorKind, GatewayOperation } from './errors.ts';
import { GatewayError } from './errors.ts';
import { explain, saysAlreadyExists, saysNoSuchCustomer, saysNoSuchPath } from './litellmQuirks.ts';
import type { ErrorBody } from './schemas.ts';
import { errorBody } from './schemas.ts';
import { quoteGateway } from './quote.ts';

/** The response to a call. */
export interface GatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The call that the response answers. */
export interface CallContext {
  readonly operation: GatewayOperation;
  /** The customer that the call names, if any. */
  readonly customerId?: string | undefined;
  readonly masterKey: string;
  /** Values that must not be quoted. */
  readonly personal: readonly string[];
  /** Whether the gateway is known to be LiteLLM. The wording of its 404 for a missing customer is known. */
  readonly isLiteLlm: boolean;
}

/** The gateway's message as a sentence with a leading space; empty if the gateway sent no message. */
export function quoteSentence(
  { masterKey, personal }: Pick<CallContext, 'masterKey' | 'personal'>,
  text: string,
): string {
  const words = quoteGateway(text, masterKey, personal);
  return words === '' ? '' : ` It says: "${words}".`;
}

/** The delay that the gateway asks for, in milliseconds; undefined if it asks for none. */
export function retryAfterOf({ headers }: GatewayResponse): number | undefined {
  const header = headers['retry-after'];
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (text === undefined || text === '') return undefined;
  const wait = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(wait) ? Math.max(wait, 0) : undefined;
}

/** Whether the gateway asks for a pause. The client passes it to the rate limiter. */
export function asksToWait(answer: GatewayResponse): boolean {
  return answer.status === 429 || (answer.status === 503 && retryAfterOf(answer) !== undefined);
}

/** The error for an unsuccessful response. Responses that {@link asksToWait} are handled elsewhere. */
export function errorOf(asked: CallContext, answer: GatewayResponse): GatewayError {
  const { operation } = asked;
  const { status, text } = answer;
  const body = errorBodyOf(text);
  const says = quoteSentence(asked, text);
  const fail = (kind: GatewayErrorKind, message: string): GatewayError =>
    new GatewayError(kind, operation, message, { status });

  if (status < 200 || (status >= 300 && status < 400)) {
    return fail(
      'terminal',
      `The gateway answered ${operation} with ${status}, a redirect, which is not followed: set spec.endpoint of the instance to the gateway's own address.`,
    );
  }
  if (saysAlreadyExists(operation, status, body)) {
    return fail('alreadyExists', 'The gateway already has a customer with this id.');
  }
  if (status === 401 || status === 403) return forbidden(asked, answer, body);
  if (status === 404 || status === 405) return notFound(asked, answer, body);
  if (status >= 500 || status === 408 || status === 425) {
    return fail('transient', `The gateway failed at ${operation} with ${status}.${says}${explanation(text)}`);
  }
  return fail('terminal', `The gateway refused ${operation} with ${status}.${says}${explanation(text)}`);
}

/**
 * The error for a success response whose body contains an error or another record; undefined if it contains neither.
 * @param id the record that the call is about
 */
export function contradictionOf(
  asked: CallContext,
  answer: GatewayResponse,
  id: { readonly field: 'user_id' | 'budget_id'; readonly value: string },
): GatewayError | undefined {
  const { operation } = asked;
  const { status, text } = answer;
  const body = parseJson(text);
  if (typeof body !== 'object' || body === null) return undefined;
  const { error, detail, [id.field]: named } = body as Record<string, unknown>;
  if ((error ?? detail ?? null) !== null) {
    return new GatewayError(
      'terminal',
      operation,
      `The gateway answered ${operation} with ${status} and an error in the body.${quoteSentence(asked, text)}${explanation(text)}`,
      { status },
    );
  }
  if (typeof named !== 'string' || named === id.value) return undefined;
  const record = id.field === 'user_id' ? 'customer' : 'budget';
  return new GatewayError('transient', operation, `The gateway answered ${operation} with another ${record}.`, {
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
function forbidden(asked: CallContext, { status, text }: GatewayResponse, body: ErrorBody | undefined): GatewayError {
  const { operation } = asked;
  const says = quoteSentence(asked, text);
  const type = typeof body?.error === 'object' ? (body.error?.type ?? '') : '';
  if (status === 401 || says === '' || /auth|key|token/.test(type)) {
    return new GatewayError(
      'unauthorized',
      operation,
      `The gateway refuses the master key (${operation}: ${status}).${says} Store a key with admin rights in the Secret of spec.masterKeySecretRef of the instance.`,
      { status },
    );
  }
  const remedy = explanation(text);
  return new GatewayError(
    'terminal',
    operation,
    `The gateway forbids ${operation} (${status}).${says}${remedy === '' ? ' Allow the operator to call the admin API, with the key of spec.masterKeySecretRef of the instance and from its address.' : remedy}`,
    { status },
  );
}

function notFound(asked: CallContext, { status, text }: GatewayResponse, body: ErrorBody | undefined): GatewayError {
  const { operation, customerId, isLiteLlm } = asked;
  const mayBeCustomer = status === 404 && customerId !== undefined && operation !== 'POST /customer/new';
  if (mayBeCustomer && saysNoSuchCustomer(customerId, body)) {
    return new GatewayError('notFound', operation, 'The gateway has no customer with this id.', { status });
  }
  const unclear = mayBeCustomer && !isLiteLlm && !saysNoSuchPath(text, body);
  const state = `The gateway answered ${operation} with ${status}${mayBeCustomer ? ', which does not confirm that the customer is missing' : ''}.`;
  return new GatewayError(
    unclear ? 'unconfirmed' : 'terminal',
    operation,
    `${state}${quoteSentence(asked, text)} Check that spec.endpoint of the instance leads to the gateway's admin API for customers.`,
    { status },
  );
}
