import type { Json, JsonObject } from '../../harness/gateway/gateway.ts';
import type { CallOptions, GatewayClient, RawAnswer } from '../client.ts';
import type { Interceptor } from '../interceptor.ts';
import type { Reply, ScriptedWitness } from '../../harness/upstream/modelServer.ts';
import { parse } from 'yaml';
import { pseudonymIn } from './outcome.ts';
import { newEmail, newFile, newImage, newToken } from './values.ts';

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

/** How a row of a table becomes a body, and the options of all its rows. */
export interface Shape {
  readonly body: (row: JsonObject) => JsonObject | FormData;
  readonly options?: ProbeOptions;
}

/** @returns the shape of rows that name the members in which a body differs from this one */
export const over = (base: JsonObject, options: ProbeOptions = {}): Shape => ({
  body: (row) => ({ ...base, ...row }),
  options,
});

/** The creators of values, by their names in a table. */
const VALUES = {
  file: newFile,
  image: newImage,
  /** An image in base64, without the address of a data URL. */
  png: async () => (await newImage()).split(',')[1] ?? '',
  token: newToken,
} as const;

interface RowOptions extends Omit<ProbeOptions, 'value' | 'reply'> {
  readonly value?: keyof typeof VALUES;
  /** JSON. */
  readonly reply?: Json;
}

/**
 * Creates probes of request fields from a table in YAML. It has rows for each route: the name of a shape, the field, in which
 * `<…>` is code, what the shape needs, and options. In strings, `$value` is the value and `$email` any other e-mail address;
 * `$number` is the value as a number.
 */
export function probesOf(shapes: Readonly<Record<string, Shape>>, table: string): Probe[] {
  type Row = readonly [shape: string, field: string, row: JsonObject, options?: RowOptions];
  const routes = parse(table) as Readonly<Record<string, readonly Row[]>>;
  return Object.entries(routes).flatMap(([route, rows]) =>
    rows.map(([name, field, row, { value, reply, ...options } = {}]) => {
      const shape = shapes[name];
      if (shape === undefined) throw new Error(`The table has a row of an unknown shape: ${name}.`);
      return request(
        route,
        field.replaceAll(/<([^>]*)>/g, '`$1`'),
        (inserted) => shape.body(filled(row, inserted) as JsonObject),
        {
          ...shape.options,
          ...options,
          ...(value !== undefined && { value: VALUES[value] }),
          ...(reply !== undefined && { reply: { json: reply } }),
        },
      );
    }),
  );
}

function filled(node: Json, value: string): Json {
  if (node === '$number') return Number(value);
  if (typeof node === 'string') return node.replaceAll('$value', () => value).replaceAll('$email', newEmail);
  if (Array.isArray(node)) return node.map((item) => filled(item, value));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([name, child]) => [name, filled(child, value)]));
}

/** Creates a probe with an e-mail address that is sent in a way of its own. `route` is as the table has it. */
export const sentBy = (route: string, field: string, side: Probe['side'], send: Probe['send']): Probe => ({
  ...{ route, field, side, send },
  ...{ spared: false, value: newEmail },
});

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
