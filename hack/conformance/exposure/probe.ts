import type { Json, JsonObject } from '../../harness/gateway/gateway.ts';
import type { CallOptions, GatewayClient, RawAnswer } from '../client.ts';
import type { Interceptor } from '../interceptor.ts';
import type { Reply, ScriptedWitness } from '../../harness/upstream/modelServer.ts';
import { pseudonymIn } from './outcome.ts';
import { newEmail } from './values.ts';

/** What the probes need. */
export interface ProbeBench {
  readonly client: GatewayClient;
  /** Calls the gateway's administrative routes. */
  readonly admin: GatewayClient;
  readonly model: ScriptedWitness;
  readonly guardrail: Pick<Interceptor, 'exchanges' | 'reset'>;
}

/** Inserts a value in one place and sends it through the gateway. */
export interface Probe {
  /** The name of the route in the table. */
  readonly route: string;
  /** The name of the field in the table. */
  readonly field: string;
  /** Where the value is: in the request, or, as a pseudonym, in the model's answer. */
  readonly side: 'request' | 'answer';
  /** Whether the guardrail skips this place on purpose. */
  readonly spared: boolean;
  /** @returns a value that only this probe uses. */
  readonly value: () => string | Promise<string>;
  /** @returns what the client got. */
  readonly send: (bench: ProbeBench, value: string) => Promise<RawAnswer>;
}

/** Options that differ from the defaults of a probe. */
export interface ProbeOptions extends CallOptions {
  /** The path of the call, if it differs from the route in the table. */
  readonly path?: string;
  readonly method?: string;
  /** Default: an e-mail address. */
  readonly value?: Probe['value'];
  /** Whether the guardrail skips this place on purpose. Default: false. */
  readonly spared?: boolean;
  /** The model's answer, if the default answer of the path does not fit. */
  readonly reply?: Reply;
}

const code = (route: string): string => `\`${route}\``;

/** Creates a probe of a request field. `body` returns the request with the value in that field. */
export function request(
  route: string,
  field: string,
  body: (value: string) => JsonObject | FormData,
  { path = route, method = 'POST', value = newEmail, spared = false, reply, ...options }: ProbeOptions = {},
): Probe {
  return {
    route: code(route),
    field,
    side: 'request',
    spared,
    value,
    send: async ({ client, model }, inserted) => {
      if (reply !== undefined) model.script(() => reply);
      const sent = method === 'GET' ? {} : { body: body(inserted) };
      return client.raw(path.replace('{value}', encodeURIComponent(inserted)), { method, ...sent }, options);
    },
  };
}

/**
 * Creates a probe of an answer field. `body` returns a request with a value that the guardrail replaces; `reply` returns the
 * model's answer with the pseudonym in that field.
 */
export function answer(
  route: string,
  field: string,
  body: (value: string) => JsonObject | FormData,
  reply: (pseudonym: string) => Reply,
  { path = route, value = newEmail, ...options }: ProbeOptions = {},
): Probe {
  return {
    route: code(route),
    field,
    side: 'answer',
    spared: false,
    value,
    send: async ({ client, model }, inserted) => {
      model.script(({ text }) => {
        const pseudonym = pseudonymIn(text);
        return pseudonym === undefined ? undefined : reply(pseudonym);
      });
      return client.raw(path, { body: body(inserted) }, options);
    },
  };
}

/** A server-sent event without a name. */
export const event = (json: Json): string => `data: ${JSON.stringify(json)}\n\n`;

/** A server-sent event with its type as its name. */
export const typed = (json: JsonObject & { type: string }): string => `event: ${json.type}\n${event(json)}`;

const PIECE = 5;

/** Splits a text into pieces small enough to cut a pseudonym. */
export function pieces(text: string): string[] {
  return Array.from({ length: Math.ceil(text.length / PIECE) }, (_, index) =>
    text.slice(index * PIECE, (index + 1) * PIECE),
  );
}
