import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { startDevGateway } from './gateway.ts';
import type { Json } from './json.ts';
import { type Exchange, probe } from './probe.ts';

/** The real gateway's database returns the lists in any order. */
function sorted(exchange: Exchange): Exchange {
  if (!/\/(list|info)/.test(exchange.request) || !exchange.text.startsWith('[')) return exchange;
  const rows = (JSON.parse(exchange.text) as Json[]).map((row) => JSON.stringify(row)).sort();
  return { ...exchange, text: rows.join('\n') };
}

/** Parses a recording: a line `METHOD path body`, then a line `  -> status text`. Comments begin with #. */
function recorded(content: string): Exchange[] {
  return [...content.matchAll(/^((?:GET|POST) .*)\n {2}-> (\d+) (.*)$/gm)].map(([, request, status, text]) => ({
    request: request ?? '',
    status: Number(status),
    text: text ?? '',
  }));
}

describe('the development gateway compared with a recording of the real gateway', () => {
  it('answers every call of the admin API with the same status and body, byte for byte', async () => {
    const lab = process.env.LITELLM_LAB;
    if (lab === undefined)
      throw new Error('Set LITELLM_LAB to the folder of a LiteLLM set-up with golden/customer_probe.txt.');
    const golden = recorded(await readFile(join(lab, 'golden', 'customer_probe.txt'), 'utf8'));
    const gateway = await startDevGateway({ port: 0, masterKey: 'sk-master', proxyName: 'litellm' });
    try {
      const exchanges = await probe(gateway.url, 'sk-master');
      expect(exchanges.map(({ request }) => request)).to.deep.equal(golden.map(({ request }) => request));
      expect(exchanges.map(sorted)).to.deep.equal(golden.map(sorted));
    } finally {
      await gateway.stop();
    }
  });
});
