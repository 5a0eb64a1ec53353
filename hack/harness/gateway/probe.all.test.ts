import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { startDevGateway } from './gateway.ts';
import type { Json } from './json.ts';

/** A call of the admin API, and its answer. */
interface Exchange {
  /** `METHOD path body` */
  readonly request: string;
  readonly status: number;
  /** The body, with random ids numbered in order of appearance, and times as `<timeZ>`. */
  readonly text: string;
}

const MASTER_KEY = 'sk-master';
/** A key that is not the master key, and the end of each answer that says so. */
const OTHER_KEYS: readonly (readonly [answer: RegExp, headers: Record<string, string>])[] = [
  [/No api key passed in/, {}],
  [/Invalid proxy server token/, { authorization: 'Bearer sk-wrong' }],
  [/Virtual Key expected/, { authorization: 'Bearer not-a-key' }],
];
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /20\d\d-\d\d-\d\dT[\d:.]+(Z|\+00:00)?/g;

/** Parses a recording: a line `METHOD path body`, then a line `  -> status text`. Comments begin with #. */
function recorded(content: string): Exchange[] {
  return [...content.matchAll(/^((?:GET|POST) .*)\n {2}-> (\d+) (.*)$/gm)].map(([, request, status, text]) => ({
    request: request ?? '',
    status: Number(status),
    text: text ?? '',
  }));
}

/**
 * Repeats recorded calls, with the key that each answer shows.
 * @param url a gateway without customers and budgets
 */
async function repeat(url: string, recording: readonly Exchange[]): Promise<Exchange[]> {
  const ids = new Map<string, string>();
  const exchanges: Exchange[] = [];
  for (const { request, text: answer } of recording) {
    const [, method = '', path = '', body = ''] = /^(\S+) (\S+) ?(.*)$/.exec(request) ?? [];
    const [, headers] = OTHER_KEYS.find(([says]) => says.test(answer)) ?? [
      answer,
      { authorization: `Bearer ${MASTER_KEY}` },
    ];
    const response = await fetch(new URL(path, url), {
      method,
      headers: { ...headers, ...(body !== '' && { 'content-type': 'application/json' }) },
      ...(body !== '' && { body }),
    });
    const numbered = (await response.text()).replace(UUID, (id) => {
      const name = ids.get(id) ?? `<uuid${ids.size + 1}>`;
      ids.set(id, name);
      return name;
    });
    const text = numbered.replace(TIME, (_, zone: string | undefined) => `<time${zone ?? '-naive'}>`);
    exchanges.push({ request, status: response.status, text });
  }
  return exchanges;
}

/** The real gateway's database returns the lists in any order. */
function sorted(exchange: Exchange): Exchange {
  if (!/\/(list|info)/.test(exchange.request) || !exchange.text.startsWith('[')) return exchange;
  const rows = (JSON.parse(exchange.text) as Json[]).map((row) => JSON.stringify(row)).sort();
  return { ...exchange, text: rows.join('\n') };
}

describe('the development gateway compared with a recording of the real gateway', () => {
  it('answers every call of the admin API with the same status and body, byte for byte', async () => {
    const lab = process.env.LITELLM_LAB;
    if (lab === undefined)
      throw new Error('Set LITELLM_LAB to the folder of a LiteLLM set-up with golden/customer_probe.txt.');
    const all = recorded(await readFile(join(lab, 'golden', 'customer_probe.txt'), 'utf8'));
    // Nothing here reads the settings of a budget.
    const golden = all.filter(({ request }) => !request.includes('/budget/settings'));
    expect(golden).to.have.length(102);
    for (const [says] of OTHER_KEYS) expect(golden.some(({ text }) => says.test(text))).to.equal(true);
    const gateway = await startDevGateway({ port: 0, masterKey: MASTER_KEY, proxyName: 'litellm' });
    try {
      const exchanges = await repeat(gateway.url, golden);
      expect(exchanges.map(sorted)).to.deep.equal(golden.map(sorted));
    } finally {
      await gateway.stop();
    }
  });
});
