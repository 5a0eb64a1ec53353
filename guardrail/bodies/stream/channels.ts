/** The channels of a stream: which member of which event continues which text. */
import {
  itemsOf,
  memberOf,
  type Node,
  type ObjectNode,
  SIGNATURE_KEYS,
  type StringNode,
  stringOf,
  type TextKind,
} from '../../messages/messages.ts';

/** A piece of a text that arrives over several events. */
export interface Piece {
  /** The names of the scopes that contain the text, from the outermost, and the name of the text. */
  readonly channel: string;
  readonly kind: TextKind;
  readonly node: StringNode;
}

/** A piece as an event is read. */
export interface Delta extends Piece {
  /** @returns an event of the same shape that adds a text to the channel and nothing else. */
  readonly eventWith: (text: string) => string;
}

export interface EventReading<Found extends Piece = Delta> {
  readonly deltas: readonly Found[];
  /** Whether the event ends a channel: after its own delta, or before the event. */
  readonly ends: (channel: string) => boolean;
}

// A stream keeps `ends` of its last event. Written inside the function that reads the event, it would keep the event too.
const ENDS_NOTHING: EventReading['ends'] = () => false;
const ENDS_ALL: EventReading['ends'] = () => true;

function endsWithin(scope: string): EventReading['ends'] {
  return (channel) => channel.startsWith(scope);
}

/** @param scopes outermost scopes. An event can have thousands, and as many channels. */
function endsIn(scopes: ReadonlySet<string>): EventReading['ends'] {
  return scopes.size === 0 ? ENDS_NOTHING : (channel) => scopes.has(channel.slice(0, channel.indexOf('/') + 1));
}

function endsOneOf(channels: ReadonlySet<string>): EventReading['ends'] {
  return channels.size === 0 ? ENDS_NOTHING : (channel) => channels.has(channel);
}

/** The reading of an event that continues no text. */
export const NOTHING: EventReading = { deltas: [], ends: ENDS_NOTHING };

/** Reads an event by its shape, because a gateway can answer in the shape of another API. */
export function readEvent(root: Node, text: string): EventReading {
  if (root.kind !== 'object') return NOTHING;
  const { choices, candidates, type } = root.value;
  if (Array.isArray(choices)) return readChoices(root, text);
  if (Array.isArray(candidates)) return readCandidates(root, text);
  if (typeof type !== 'string') return NOTHING;
  if (/^(?:message|content_block)_/.test(type)) return readBlock(root, type);
  return readTyped(root, text, type);
}

/** Members that are complete in each event, or that are no text. */
const WHOLE = new Set<string>([
  ...SIGNATURE_KEYS,
  ...['role', 'id', 'type', 'name', 'object', 'model', 'finish_reason', 'status', 'data', 'format'],
]);
const WHOLE_OBJECTS = new Set(['annotations', 'citations', 'logprobs']);

/** OpenAI's chat and completions: `choices[].delta` or `choices[].text`. */
function readChoices(root: ObjectNode, text: string): EventReading {
  const deltas: Delta[] = [];
  const ended = new Set<string>();
  const envelope = rawMembers(root, text, (name, { kind }) => name !== 'usage' && isScalar(kind));
  for (const [at, choice] of itemsOf(memberOf(root, 'choices')).entries()) {
    const index = indexOf(choice) ?? at;
    const scope = `choice ${index}/`;
    const eventOf = (content: string): string =>
      objectOf([...envelope, `"choices":[{"index":${index},${content},"logprobs":null,"finish_reason":null}]`]);
    const completion = memberOf(choice, 'text');
    if (completion?.kind === 'string') {
      const eventWith = (rest: string): string => eventOf(`"text":${JSON.stringify(rest)}`);
      deltas.push({ channel: `${scope}text`, kind: 'text', node: completion, eventWith });
    }
    for (const leaf of leavesOf(memberOf(choice, 'delta'), scope, (json) => json)) {
      const { channel, node, kind, wrap } = leaf;
      const eventWith = (rest: string): string => eventOf(`"delta":${wrap(JSON.stringify(rest))}`);
      deltas.push({ channel, node, kind, eventWith });
    }
    if (stringOf(memberOf(choice, 'finish_reason')) !== undefined) ended.add(scope);
  }
  return { deltas, ends: endsIn(ended) };
}

interface Leaf {
  readonly channel: string;
  readonly kind: TextKind;
  readonly node: StringNode;
  /** Puts JSON in place of the string, without the other members. */
  readonly wrap: (json: string) => string;
}

/** The strings of a delta: each place continues the same place of earlier deltas. */
function leavesOf(node: Node | undefined, path: string, wrap: (json: string) => string): Leaf[] {
  if (node?.kind !== 'object') return [];
  return node.members.flatMap(({ name: { value: name }, node: member }): Leaf[] => {
    const key = JSON.stringify(name);
    const inner = (json: string): string => wrap(`{${key}:${json}}`);
    if (WHOLE_OBJECTS.has(name)) return [];
    if (member.kind === 'string') {
      const kind = name === 'arguments' ? 'arguments' : 'text';
      return WHOLE.has(name) ? [] : [{ channel: path + name, kind, node: member, wrap: inner }];
    }
    if (member.kind !== 'array') return leavesOf(member, `${path}${name}/`, inner);
    return member.items.flatMap((item, at) => {
      const index = indexOf(item);
      const type = stringOf(memberOf(item, 'type'));
      const kept = [
        ...(index === undefined ? [] : [`"index":${index}`]),
        ...(type === undefined || name === 'tool_calls' ? [] : [`"type":${JSON.stringify(type)}`]),
      ];
      const inItem = (json: string): string => inner(`[${objectOf([...kept, json.slice(1, -1)])}]`);
      return leavesOf(item, `${path}${name} ${index ?? at}/`, inItem);
    });
  });
}

/** Anthropic's content blocks. */
function readBlock(root: ObjectNode, type: string): EventReading {
  const index = indexOf(root);
  if (type === 'message_delta' || type === 'message_stop') return { deltas: [], ends: ENDS_ALL };
  if (index === undefined) return NOTHING;
  const scope = `block ${index}/`;
  if (type === 'content_block_stop') return { deltas: [], ends: endsWithin(scope) };
  const delta = memberOf(root, type === 'content_block_start' ? 'content_block' : 'delta');
  if (delta?.kind !== 'object') return NOTHING;
  const deltas = delta.members.flatMap(({ name: { value: name }, node }): Delta[] => {
    const deltaType = DELTA_TYPES[name];
    if (deltaType === undefined || node.kind !== 'string') return [];
    const eventWith = (rest: string): string =>
      JSON.stringify({ type: 'content_block_delta', index, delta: { type: deltaType, [name]: rest } });
    return [{ channel: scope + name, kind: name === 'partial_json' ? 'arguments' : 'text', node, eventWith }];
  });
  return { deltas, ends: ENDS_NOTHING };
}

const DELTA_TYPES: Readonly<Partial<Record<string, string>>> = {
  text: 'text_delta',
  partial_json: 'input_json_delta',
  thinking: 'thinking_delta',
};

/** OpenAI's responses, transcriptions and others whose events have names such as `response.output_text.delta`. */
function readTyped(root: ObjectNode, text: string, type: string): EventReading {
  const idOf = (key: string): string => textOf(memberOf(root, key));
  const name = type.replace(/\.(?:delta|done)$/, '');
  const scope = `output ${idOf('output_index')}/`;
  const inPart = `${scope}part ${idOf('content_index')} ${idOf('summary_index')}/`;
  if (type.endsWith('.delta')) {
    const node = memberOf(root, 'delta');
    if (node?.kind !== 'string') return NOTHING;
    const kept = rawMembers(root, text, (member, { kind }) => isScalar(kind) && member !== 'delta');
    const eventWith = (rest: string): string => objectOf([...kept, `"delta":${JSON.stringify(rest)}`]);
    const kind = name.endsWith('_arguments') ? 'arguments' : 'text';
    return { deltas: [{ channel: inPart + name, kind, node, eventWith }], ends: ENDS_NOTHING };
  }
  if (/^response\.(?:completed|failed|incomplete|cancelled)$|^error$/.test(type)) return { deltas: [], ends: ENDS_ALL };
  if (!type.endsWith('.done')) return NOTHING;
  const ended = type.endsWith('item.done') ? scope : type.endsWith('part.done') ? inPart : inPart + name;
  return { deltas: [], ends: endsWithin(ended) };
}

/** Gemini: the parts of each candidate are one text, and the thoughts another. */
function readCandidates(root: ObjectNode, text: string): EventReading {
  const deltas: Delta[] = [];
  const ended = new Set<string>();
  const envelope = rawMembers(root, text, (_, { kind }) => isScalar(kind));
  for (const [at, candidate] of itemsOf(memberOf(root, 'candidates')).entries()) {
    const index = indexOf(candidate) ?? at;
    const scope = `candidate ${index}/`;
    const names: string[] = itemsOf(memberOf(memberOf(candidate, 'content'), 'parts')).map((part) => {
      const node = memberOf(part, 'text');
      const isThought = memberOf(part, 'thought')?.value === true;
      const name = node?.kind === 'string' ? (isThought ? 'thought' : 'text') : 'other';
      if (node?.kind === 'string') {
        const eventWith = (rest: string): string => {
          const content = { parts: [{ text: rest, ...(isThought && { thought: true }) }], role: 'model' };
          return objectOf([...envelope, `"candidates":${JSON.stringify([{ content, index }])}`]);
        };
        deltas.push({ channel: scope + name, kind: 'text', node, eventWith });
      }
      return name;
    });
    const isFinal = stringOf(memberOf(candidate, 'finishReason') ?? memberOf(candidate, 'finish_reason')) !== undefined;
    for (const name of ['text', 'thought']) {
      // A part of another kind comes after the text before it. Some models send a finish reason with each piece of a text.
      if ((isFinal || names.length > 0) && !names.includes(name)) ended.add(scope + name);
    }
  }
  return { deltas, ends: endsOneOf(ended) };
}

function indexOf(node: Node): number | undefined {
  const index = memberOf(node, 'index')?.value;
  return typeof index === 'number' ? index : undefined;
}

/** A name or a number, for the name of a channel. */
function textOf(node: Node | undefined): string {
  return node?.kind === 'string' || node?.kind === 'scalar' ? String(node.value) : '';
}

function isScalar(kind: Node['kind']): boolean {
  return kind === 'string' || kind === 'scalar';
}

/** The members of an object that a test accepts, as they stand. */
function rawMembers(node: ObjectNode, text: string, accepts: (name: string, node: Node) => boolean): string[] {
  return node.members
    .filter(({ name, node: member }) => accepts(name.value, member))
    .map(({ name, node: member }) => `${text.slice(name.start, name.end)}:${text.slice(member.start, member.end)}`);
}

function objectOf(members: readonly string[]): string {
  return `{${members.filter((member) => member !== '').join(',')}}`;
}
