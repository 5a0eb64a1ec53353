import { demand } from '../judge.ts';
import { holds, isTokens, type Observation, pseudonymIn, strings } from './outcome.ts';

/** The outcomes with the guardrail in the data path as the table writes them, from worst to best. */
export const INLINE_OUTCOMES = {
  behind: '**leaks**: LiteLLM adds it to the request behind the guardrail',
  kept: 'kept: the gateway or the provider needs it',
  dropped: 'dropped by LiteLLM or the guardrail',
  licence: 'rejected by LiteLLM: requires its enterprise license',
  refused: 'rejected by LiteLLM',
  unknown: 'rejected: the guardrail does not know the route',
  unchecked: 'rejected by the guardrail',
  guarded: 'guarded',
  restored: 'restored',
} as const;

type Outcome = (typeof INLINE_OUTCOMES)[keyof typeof INLINE_OUTCOMES];

const CUSTOMER = ['`user`', '`safety_identifier`'];

/** The places where the model may see a value, and why. Documented in guardrail/bodies/README.md. */
const EXCEPTIONS: ReadonlyMap<string, Outcome> = new Map<string, Outcome>([
  ...[
    ...CUSTOMER.map((field) => `\`/v1/chat/completions\` ${field}`),
    ...CUSTOMER.map((field) => `\`/v1/responses\` ${field}`),
  ].map((place): [string, Outcome] => [place, INLINE_OUTCOMES.kept]),
  ...['completions', 'embeddings', 'images/generations'].map((route): [string, Outcome] => [
    `\`/v1/${route}\` \`user\``,
    INLINE_OUTCOMES.kept,
  ]),
  ['`/v1/messages` `metadata.user_id`', INLINE_OUTCOMES.kept],
  ['`/v1/messages` `mcp_servers`', INLINE_OUTCOMES.kept],
  ['`/v1/responses` with MCP tools of LiteLLM results of a tool', INLINE_OUTCOMES.behind],
]);

/**
 * Determines the outcome for a value in a place, which is a route and a field. Except in the documented places, the model must
 * not see the value. The client must never see a pseudonym, also where it echoes the request.
 *
 * @throws Violation if the model saw the value, if the client saw a pseudonym, or if the observation allows no conclusion.
 */
export function judgeInline(observation: Observation, place: string): Outcome {
  const { value, upstream, status, answer } = observation;
  const client = `the client got ${status}: ${answer.slice(0, 300)}`;
  const leaves = [...strings(answer).values()];
  demand(
    leaves.every((text) => pseudonymIn(text) === undefined),
    `The client got a pseudonym: ${answer.slice(0, 300)}`,
  );
  if (upstream.some((text) => holds(text, value))) {
    const exception = EXCEPTIONS.get(place);
    demand(exception !== undefined, `The model saw the value: ${upstream.join('\n').slice(0, 600)}`);
    return exception;
  }
  if (status >= 400) {
    demand(upstream.length === 0, `A request reached the model, and ${client}`);
    return rejection(status, answer);
  }
  demand(upstream.length > 0, `Nothing reached the model, and ${client}`);
  if (isImage(value)) return INLINE_OUTCOMES.guarded;
  const isPseudonymized = upstream.some((text) => pseudonymIn(text) !== undefined);
  if (observation.side === 'request') return isPseudonymized ? INLINE_OUTCOMES.guarded : INLINE_OUTCOMES.dropped;
  demand(isPseudonymized, `The model saw no pseudonym, and ${client}`);
  const isRestored = !isTokens(place) && leaves.some((text) => holds(text, value));
  return isRestored ? INLINE_OUTCOMES.restored : INLINE_OUTCOMES.dropped;
}

/** The model got another image: the value was painted over. */
function isImage(value: string): boolean {
  return /^(?:data:image\/png;base64,)?iVBOR/.test(value);
}

function rejection(status: number, answer: string): Outcome {
  const code = codeIn(answer);
  if (code !== undefined) {
    const isUnknown = ['unknown_route', 'admin_route', 'upgrade_refused'].includes(code);
    return isUnknown ? INLINE_OUTCOMES.unknown : INLINE_OUTCOMES.unchecked;
  }
  if (answer.includes('LiteLLM Enterprise')) return INLINE_OUTCOMES.licence;
  demand(status < 500, `LiteLLM failed with ${status}: ${answer.slice(0, 300)}`);
  return INLINE_OUTCOMES.refused;
}

/** @returns the code of an error of the guardrail. Those of LiteLLM are numbers. */
function codeIn(answer: string): string | undefined {
  return /"(?:code|reason)": ?"([a-z]+(?:_[a-z]+)+)"/.exec(answer)?.[1];
}
