/** The command `explain-call`: what the guardrail would do with a text of a customer. */
import { generalTypeOf } from '../../guardrail/guardrail.ts';
import { customers, instances } from '../api/kinds.ts';
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { admits, instanceKeyOf } from '../connection/connection.ts';
import { callGuardrail, forwardedEndpoint, type GuardrailAnswer, NoGuardrailError } from '../guardrail/guardrail.ts';
import { ApiError, type ClusterReader, isNotFound, keyText, type ObjectKey } from '../runtime/runtime.ts';
import { tableOf } from './top.ts';

/** The call cannot be explained. The message says what to do, and contains nothing of the text. */
export class ExplainError extends Error {
  override readonly name = 'ExplainError';
}

/** What to explain. */
export interface ExplainQuery {
  readonly customer: ObjectKey;
  readonly text: string;
  readonly team: string | undefined;
  readonly output: 'table' | 'json';
}

/** The answer of the guardrail's `POST /explain`. */
export interface Explanation {
  readonly mode: 'enforce' | 'monitor';
  readonly refusal: string | null;
  readonly policies: { readonly service: string | null; readonly end_user: string | null };
  readonly entities: readonly {
    readonly start: number;
    readonly end: number;
    readonly type: string;
    readonly score: number;
    readonly detector: string;
    /** The rule that decided. */
    readonly rule: string;
    /** The places of the words that counted. */
    readonly words: readonly { readonly start: number; readonly end: number }[];
    readonly action: 'pseudonymize' | 'block';
  }[];
  /** What was considered and is left, and why. */
  readonly dropped: readonly {
    readonly start: number;
    readonly end: number;
    readonly type: string;
    readonly score: number;
    readonly rule: string;
    readonly by: string;
    readonly lost_to: string | null;
  }[];
}

type Cluster = Pick<ClusterReader, 'get' | 'list' | 'portForward'>;

/** The longest time that the guardrail may take. */
const TIMEOUT_MS = 30_000;

/** @returns the output of the command @throws ExplainError; ApiError */
export async function explainCall(cluster: Cluster, query: ExplainQuery, signal: AbortSignal): Promise<string> {
  const customer = await read(cluster, query.customer);
  const explanation = await ask(cluster, customer, query, signal);
  return query.output === 'json'
    ? `${JSON.stringify(explanation, null, 2)}\n`
    : explanationText(query.text, customer, explanation);
}

async function read(cluster: Cluster, key: ObjectKey): Promise<GatewayCustomer> {
  return await cluster.get(customers, key).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new ExplainError(`GatewayCustomer ${keyText(key)} does not exist. Correct the name, or set --namespace.`);
  });
}

async function ask(
  cluster: Cluster,
  customer: GatewayCustomer,
  { text, team }: ExplainQuery,
  signal: AbortSignal,
): Promise<Explanation> {
  const key = instanceKeyOf(customer);
  const name = `GatewayInstance ${keyText(key)}`;
  const instance = await cluster.get(instances, key).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new ExplainError(`${name} does not exist.`);
  });
  if (!admits(instance, customer.metadata.namespace, customer.spec.customerId)) {
    throw new ExplainError(`${name} does not admit this customer. Its condition Synced says why.`);
  }
  const endpoint = await forwardedEndpoint(cluster, instance).catch((error: unknown) => {
    // The operator's message would tell a cluster admin to give rights to the operator.
    if (error instanceof NoGuardrailError && error.cause instanceof ApiError) throw error.cause;
    throw error;
  });
  if (endpoint === undefined) {
    throw new ExplainError(`No guardrail of ${name} runs. Its condition GuardrailReady says why.`);
  }
  const body = { text, end_user_id: customer.spec.customerId, ...(team === undefined ? {} : { team }) };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const answer = await callGuardrail(endpoint, { method: 'POST', path: '/explain', body, signal: limit }).catch(
    (error: unknown) => {
      if (error instanceof ApiError) throw error;
      throw new ExplainError(`The guardrail of ${name} is unreachable. Try again, or see the log of its pods.`);
    },
  );
  return explanationIn(answer, name);
}

function explanationIn({ status, body }: GuardrailAnswer, instance: string): Explanation {
  // The guardrail's own errors contain nothing of the text.
  if (status === 200) return JSON.parse(body) as Explanation;
  throw new ExplainError(`The guardrail of ${instance} refuses to explain the call: ${messageIn(body)} (${status})`);
}

function messageIn(body: string): string {
  try {
    return (JSON.parse(body) as { readonly error?: { readonly message?: string } }).error?.message ?? 'no reason given';
  } catch {
    return 'no reason given';
  }
}

/** The explanation for people. Pure. */
export function explanationText(text: string, customer: GatewayCustomer, explanation: Explanation): string {
  const { refusal, entities } = explanation;
  const name = `GatewayCustomer ${keyText(customer.metadata)}`;
  const own = explanation.policies.end_user === null ? '' : ', with the policy of the customer';
  const lines = [
    ...(refusal === null ? [] : [`The guardrail refuses such a call for ${name}: ${refusal}`]),
    `${headline(explanation)} (${name}${own})`,
  ];
  const left = leftTable(text, explanation);
  if (entities.length === 0) return `${lines.join('\n')}\n${left}`;
  const rows = entities.map(({ start, end, type, score, rule, words, action }) => [
    type,
    action,
    JSON.stringify(text.slice(start, end)),
    score.toFixed(2),
    rule,
    words.map((word) => text.slice(word.start, word.end)).join(' ') || '-',
  ]);
  const table = tableOf([['TYPE', 'ACTION', 'VALUE', 'SCORE', 'RULE', 'WORDS'], ...rows]);
  const isBlocked = entities.some(({ action }) => action === 'block');
  const hidden =
    isBlocked || explanation.mode === 'monitor' ? '' : `\nThe model reads:\n${hiddenText(text, entities)}\n`;
  return `${lines.join('\n')}\n\n${table}${hidden}${left}`;
}

/** The lowest score of a candidate that is shown. Nearly every word with a capital is a candidate with a low one. */
const LEAST_SHOWN = 0.05;

/** What was considered and is left in the text. */
function leftTable(text: string, { dropped }: Explanation): string {
  const shown = dropped.filter(({ score }) => score >= LEAST_SHOWN);
  if (shown.length === 0) return '';
  const rows = shown.map(({ start, end, type, score, rule, by, lost_to: lostTo }) => [
    type,
    JSON.stringify(text.slice(start, end)),
    score.toFixed(2),
    rule,
    lostTo === null ? by : `${by} ${lostTo}`,
  ]);
  return `\nCandidates that are not hidden:\n${tableOf([['TYPE', 'VALUE', 'SCORE', 'RULE', 'BY'], ...rows])}`;
}

function headline({ mode, entities }: Explanation): string {
  if (entities.length === 0) return 'The guardrail finds nothing to hide in this text.';
  const isBlocked = entities.some(({ action }) => action === 'block');
  const number = `${entities.length} ${entities.length === 1 ? 'value' : 'values'}`;
  if (mode === 'monitor') return `The guardrail counts ${number} and changes nothing, because it only monitors.`;
  return isBlocked ? 'The guardrail refuses a call with this text.' : `The guardrail hides ${number} in this text.`;
}

/** The text as the model reads it. The pseudonyms of a call also have a code. */
function hiddenText(text: string, entities: Explanation['entities']): string {
  let hidden = '';
  let at = 0;
  for (const { start, end, type } of entities) {
    hidden += `${text.slice(at, start)}<${generalTypeOf(type)}>`;
    at = end;
  }
  return hidden + text.slice(at);
}
