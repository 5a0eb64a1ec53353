import { demand } from '../judge.ts';
import type { Exchange } from '../interceptor.ts';

/** What a gateway did with one inserted value, as seen from all sides. */
export interface Observation {
  /** Where the value is: in a request, or, as its pseudonym, in the model's answer. */
  readonly side: 'request' | 'answer';
  readonly value: string;
  /** Whether the guardrail skips this place on purpose, for example a signature or an identifier. */
  readonly spared: boolean;
  /** The requests that reached the model or another server behind the gateway, in order. */
  readonly upstream: readonly string[];
  /** The calls of the guardrail, in order. */
  readonly exchanges: readonly Pick<Exchange, 'phase' | 'body' | 'answer'>[];
  /** The status that the client got. */
  readonly status: number;
  /** What the client got: JSON, server-sent events, or any text. */
  readonly answer: string;
}

/** The outcomes as the table writes them, from worst to best. */
export const OUTCOMES = {
  leaksUnseen: '**leaks**: not sent to the guardrail',
  leaksIgnored: '**leaks**: LiteLLM ignores the pseudonymized text',
  leaksSpared: '**leaks**: the guardrail does not change it',
  unseen: 'pseudonyms: the answer is not sent to the guardrail',
  ignored: 'pseudonyms: LiteLLM ignores the restored text',
  dropped: 'dropped by LiteLLM',
  licence: 'rejected by LiteLLM: requires its enterprise license',
  uncalled: 'rejected: LiteLLM cannot serialize its guardrail call',
  unpackaged: 'rejected: LiteLLM requires a package that it does not install',
  refused: 'rejected by LiteLLM',
  blocked: 'rejected by the guardrail',
  guarded: 'guarded',
  restored: 'restored',
} as const;

export type Outcome = (typeof OUTCOMES)[keyof typeof OUTCOMES];

/** In the name of a message, a pseudonym has square brackets. */
const PSEUDONYM = /<[A-Z][A-Z0-9_]*_[A-Z0-9]{4,}>|\[[A-Z][A-Z0-9_]*_[A-Z0-9]{4,}\]/;

/** @returns the first pseudonym in a text, if any. */
export function pseudonymIn(text: string): string | undefined {
  return PSEUDONYM.exec(unescaped(text))?.[0];
}

/** Some programs escape `<` in JSON. */
function unescaped(text: string): string {
  return text.replaceAll(/\\u003c/gi, '<').replaceAll(/\\u003e/gi, '>');
}

/** @returns whether a text contains a value, in any letter case, plain or escaped for JSON or a URL. */
export function holds(text: string, value: string): boolean {
  const bare = text.replaceAll('\\', '').toLowerCase();
  return [value, encodeURIComponent(value)].some((form) => bare.includes(form.toLowerCase()));
}

/** @returns the text that the guardrail is shown, without the caller's data and the headers. */
function shownText({ body }: Pick<Exchange, 'body'>): string {
  const { request_data: _data, request_headers: _headers, ...texts } = body;
  return JSON.stringify(texts);
}

/**
 * Determines the outcome for a value.
 *
 * @param place the route and the field.
 *
 * @throws Violation if the observation allows no conclusion.
 */
export function judge(observation: Observation, place: string): Outcome {
  return observation.side === 'request' ? judgeRequest(observation) : judgeAnswer(observation, place);
}

function judgeRequest({ value, spared, upstream, exchanges, status, answer }: Observation): Outcome {
  const asked = exchanges.filter(({ phase }) => phase === 'request');
  if (upstream.some((text) => holds(text, value))) {
    const shown = asked.filter((exchange) => holds(shownText(exchange), value));
    if (shown.length === 0) return OUTCOMES.leaksUnseen;
    const replaced = shown.some((exchange) => isReplaced(exchange.answer, value));
    demand(
      replaced !== spared,
      spared ? 'The guardrail replaced the value.' : 'The guardrail received the value and did not replace it.',
    );
    return replaced ? OUTCOMES.leaksIgnored : OUTCOMES.leaksSpared;
  }
  const blocked = asked.some(({ answer: given }) => isBlock(given));
  const client = `the client got ${status}: ${answer.slice(0, 200)}`;
  if (upstream.length === 0 && status >= 400) {
    if (blocked) return OUTCOMES.blocked;
    if (answer.includes('LiteLLM Enterprise')) return OUTCOMES.licence;
    if (asked.length === 0 && answer.includes('Generic Guardrail API failed')) return OUTCOMES.uncalled;
    // Python's error for a base class that could not be imported.
    if (asked.length === 0 && answer.includes('NoneType takes no arguments')) return OUTCOMES.unpackaged;
    demand(status < 500, `Nothing reached the model, and ${client}`);
    return OUTCOMES.refused;
  }
  demand(upstream.length > 0 && status < 400, `${upstream.length} calls reached the model, and ${client}`);
  return upstream.some((text) => pseudonymIn(text) !== undefined) ? OUTCOMES.guarded : OUTCOMES.dropped;
}

/** An answer of the guardrail to one of LiteLLM's clients: with an action, or with texts or an error alone. */
interface GuardrailAnswer {
  readonly action?: string;
  readonly texts?: readonly string[];
  readonly error?: { readonly code?: string };
}

function isBlock(answer: unknown): boolean {
  const { action, error } = answer as GuardrailAnswer;
  return action === 'BLOCKED' || error?.code === 'blocked';
}

function isReplaced(answer: unknown, value: string): boolean {
  const { action, texts } = answer as GuardrailAnswer;
  const isChanged = action === undefined ? texts !== undefined : action === 'GUARDRAIL_INTERVENED';
  return isChanged && !holds(JSON.stringify(answer), value);
}

/** Whether a place holds the tokens of a text. The text beside them is restored, whatever happens to them. */
export function isTokens(place: string): boolean {
  return place.endsWith('`logprobs`');
}

function judgeAnswer({ value, upstream, exchanges, status, answer }: Observation, place: string): Outcome {
  if (upstream.some((text) => holds(text, value))) {
    const shown = exchanges.some((exchange) => exchange.phase === 'request' && holds(shownText(exchange), value));
    demand(!shown, 'The model saw the real value.');
    return OUTCOMES.leaksUnseen;
  }
  const pseudonym = upstream.map(pseudonymIn).find((found) => found !== undefined);
  demand(pseudonym !== undefined, `The model saw no pseudonym, and the client got ${status}: ${answer.slice(0, 200)}`);
  demand(status < 400, `The client got ${status}: ${answer.slice(0, 200)}`);
  const leaves = [...strings(answer).values()];
  if (leaves.some((text) => unescaped(text).includes(pseudonym))) {
    const shown = exchanges.filter(
      (exchange) => exchange.phase === 'response' && unescaped(shownText(exchange)).includes(pseudonym),
    );
    if (shown.length === 0) return OUTCOMES.unseen;
    const restored = shown.some((exchange) => holds(JSON.stringify(exchange.answer), value));
    demand(restored, 'The guardrail received the pseudonym and did not restore it.');
    return OUTCOMES.ignored;
  }
  return !isTokens(place) && leaves.some((text) => holds(text, value)) ? OUTCOMES.restored : OUTCOMES.dropped;
}

/**
 * @returns the strings of an answer by their path in it. Joins the strings of a stream's events that have the same path, so
 * that a text in pieces becomes whole again.
 */
export function strings(answer: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (place: string, node: unknown): void => {
    if (typeof node === 'string') found.set(place, (found.get(place) ?? '') + node);
    else if (typeof node === 'object' && node !== null) {
      for (const [name, child] of Object.entries(node)) visit(`${place}/${name}`, child);
    }
  };
  const events = answer.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length)] : []));
  for (const text of events.length > 0 ? events : [answer]) {
    const json = parsed(text);
    // Events of different types can use one name for different things, for example a whole text and its pieces.
    visit(eventType(json), json);
  }
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function eventType(json: unknown): string {
  const type = typeof json === 'object' && json !== null ? (json as { type?: unknown }).type : undefined;
  return typeof type === 'string' ? type : '';
}
