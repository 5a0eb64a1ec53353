/**
 * Searches for bodies that keep the event loop of the guardrail: texts × places × policies × sizes, and shapes of JSON × ways. Runs the service in a process of
 * its own, because it measures that process, and prints what it found as JSON.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { startApp } from '../../../guardrail/app/app.ts';
import { readSettings } from '../../../guardrail/settings/settings.ts';
import { threadMs } from '../measure.ts';
import { randomOf, type Random } from '../random.ts';
import { SHAPES, WAYS, type Sent } from './shapes.ts';

/** A body, and how long it kept the event loop at most. */
export interface LongTick {
  /** What the body contains, and where, with which policy. */
  readonly what: string;
  readonly bytes: number;
  readonly status: number;
  /** The processor time of the longest iteration of the event loop, in milliseconds. Other programs have no part in it. */
  readonly longestMs: number;
}

/** Parts of texts that have cost much, or may. */
const PARTS = [
  ...['%41', '&#x41;', '\\u0041', '\u24b6', 'a\u0308', '\u200b', '=?utf-8?q?a?= ', 'QW5uYSBTY2htaWR0 ', '+1', '1.'],
  ...['1\n', '**1', 'Anna Schmidt ', 'anna@example.org ', '4111111111111111 ', 'https://a.example/b?c=d ', 'a '],
  ...['A', '\n', '"', '{"a":', '[', '<b>'],
  ...['<PERSON_K7Q2RTM4> ', 'name: ', 'Dr. ', 'sk-', '/', '\ud83d\ude00', 'é', '東京'],
] as const;

const POLICIES = {
  none: '{}',
  'a denied value': 'deny: [Project Falcon]',
  'denied values with one beginning': `deny: [${Array.from({ length: 99 }, (_, at) => 'a '.repeat(at + 2).trim()).join(', ')}]`,
  'an unbounded pattern': "recognizers: [{name: a, type: A, pattern: '(?s)[A-Z].*[0-9]+;;'}]",
  'a short pattern with context':
    "recognizers: [{name: a, type: A, pattern: '[0-9]{4}', score: 0.3, context: [name, a a]}]",
  'allowed patterns': "allow: [{pattern: '(a|b|c)*d'}, {pattern: '[0-9 ]+x'}]",
} as const;

const SIZES = [20_000, 300_000, 2_000_000];

type Place = (text: string) => object;

const chat = (content: unknown): object => ({ model: 'm', messages: [{ role: 'user', content }] });
const cut = (text: string, length: number): string[] => text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];

/** Where a text stands in a body. */
const PLACES: Readonly<Record<string, Place>> = {
  'one message': (text) => chat(text),
  'messages of 40 characters': (text) => ({
    model: 'm',
    messages: cut(text, 40).map((content) => ({ role: 'user', content })),
  }),
  'parts of one message': (text) => chat(cut(text, 40).map((part) => ({ type: 'text', text: part }))),
  'members of metadata': (text) => ({
    ...chat('Hello.'),
    metadata: Object.fromEntries(cut(text, 20).map((part, at) => [`${at}`, part])),
  }),
  names: (text) => ({ ...chat('Hello.'), ...Object.fromEntries(cut(text, 10).map((part, at) => [`${part}${at}`, 0])) }),
  'arguments of a tool': (text) => ({
    model: 'm',
    messages: [
      {
        role: 'assistant',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: JSON.stringify({ a: cut(text, 40) }) } },
        ],
      },
    ],
  }),
};

/** A body to send. */
interface Target extends Sent {
  readonly what: string;
}

/** What is sent, and the upstream of the proxy, which answers with the answer of what was sent last. */
interface Testbed {
  readonly random: Random;
  readonly upstream: Server;
  readonly sent: { answer: string };
}

/** @param isWhole whether each shape is sent on each way, once, instead of a random choice of bodies */
async function main(seed: number, seconds: number, isWhole: boolean): Promise<void> {
  const sent = { answer: '{}' };
  const upstream = createServer((request, response) => {
    request.resume().once('end', () => response.setHeader('content-type', 'application/json').end(sent.answer));
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const testbed = { random: randomOf(seed, 'ticks'), upstream, sent };
  const found: LongTick[] = [];
  if (isWhole) found.push(...(await measureAll(testbed, POLICIES.none, everyShape())));
  else {
    const end = performance.now() + seconds * 1000;
    const policies = Object.entries(POLICIES);
    for (const [at, [name, policy]] of policies.entries()) {
      const until = end - ((policies.length - 1 - at) * seconds * 1000) / policies.length;
      found.push(...(await measureAll(testbed, policy, randomTargets(testbed.random, name, until))));
    }
  }
  upstream.close();
  upstream.closeAllConnections();
  process.stdout.write(JSON.stringify(found.sort((a, b) => b.longestMs - a.longestMs)));
}

function targetOf(shape: string, way: string): Target {
  const [create, send] = [SHAPES[shape], WAYS[way]];
  if (!create || !send) throw new Error('An unknown shape or way.');
  return { what: `${shape} ${way}`, ...send(create()) };
}

function* everyShape(): Generator<Target> {
  for (const way of Object.keys(WAYS)) for (const shape of Object.keys(SHAPES)) yield targetOf(shape, way);
}

/** Texts, and each fourth time a shape. */
function* randomTargets(random: Random, policy: string, until: number): Generator<Target> {
  for (let at = 0; performance.now() < until; at += 1) {
    if (at % 4 === 3) {
      const [shape, way] = [random.pick(Object.keys(SHAPES)), random.pick(Object.keys(WAYS))];
      const target = targetOf(shape, way);
      yield { ...target, what: `${target.what} with ${policy}` };
      continue;
    }
    const unit = Array.from({ length: 1 + random.int(3) }, () => random.pick(PARTS)).join('');
    const [where, place] = random.pick(Object.entries(PLACES));
    const text = unit.repeat(Math.ceil(random.pick(SIZES) / unit.length));
    yield { ...chatWith(place(text)), what: `${JSON.stringify(unit)} in ${where} with ${policy}` };
  }
}

const chatWith = (body: object): Sent => ({ isInline: true, path: '/v1/chat/completions', body: JSON.stringify(body) });

async function measureAll(
  { random, upstream, sent }: Testbed,
  policy: string,
  targets: Iterable<Target>,
): Promise<LongTick[]> {
  const key = random.letters(20);
  const settings = readSettings({
    ...{ GUARDRAIL_PORT: '0', GUARDRAIL_METRICS_PORT: '0', GUARDRAIL_HOST: '127.0.0.1', GUARDRAIL_PROXY_PORT: '0' },
    ...{ GUARDRAIL_API_KEYS: `search:${key}`, GUARDRAIL_POLICY: policy, GUARDRAIL_PRESIDIO_API: 'true' },
    ...{ GUARDRAIL_PROXY_UPSTREAM: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` },
    GUARDRAIL_MAX_BODY: '32MiB',
  });
  const app = await startApp(settings, { logger: pino({ level: 'silent' }) });
  const send = async ({ path, isInline = false, contentType = 'application/json', body, answer = '{}' }: Sent) => {
    sent.answer = answer;
    const url = `http://127.0.0.1:${(isInline ? app.proxyPort : app.port) ?? 0}${path}`;
    const headers = {
      'content-type': contentType,
      ...(isInline ? { authorization: 'Bearer sk-search' } : { 'x-api-key': key }),
    };
    return measure(url, headers, body);
  };
  // V8 compiles what each call needs.
  for (const place of Object.values(PLACES)) await send(chatWith(place('Anna Schmidt '.repeat(1500))));
  const found: LongTick[] = [];
  for (const { what, ...target } of targets) {
    const { status, longestMs } = await send(target);
    found.push({ what, bytes: Buffer.byteLength(target.body), status, longestMs });
    process.stderr.write(`${longestMs.toFixed(0)} ms: ${what} (${status})\n`);
  }
  await app.drain();
  return found;
}

/** Sends a body. @returns the status, and the processor time of the longest iteration of the event loop until the answer */
async function measure(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<Pick<LongTick, 'status' | 'longestMs'>> {
  const bytes = Buffer.from(body);
  let longestMs = 0;
  let last = threadMs();
  let immediate: NodeJS.Immediate | undefined;
  const tick = (): void => {
    const now = threadMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
    immediate = setImmediate(tick);
  };
  tick();
  try {
    const answer = await fetch(url, { method: 'POST', headers, body: bytes });
    await answer.arrayBuffer();
    return { status: answer.status, longestMs };
  } finally {
    clearImmediate(immediate);
  }
}

if (import.meta.main) await main(Number(process.argv[2]), Number(process.argv[3]), process.argv[4] === 'shapes');
