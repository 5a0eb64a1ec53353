import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { startDevGateway } from './gateway.ts';
import type { Json, JsonObject } from './json.ts';

interface Recorded {
  readonly body: JsonObject;
  readonly answer: JsonObject;
}

/** The recorded exchanges of chat calls, and the settings of each request that its first body does not show. */
const CASES: Readonly<Record<string, { headers?: Record<string, string>; stream?: boolean }>> = {
  'identity: x-litellm-end-user-id': { headers: { 'x-litellm-end-user-id': 'cust-9' } },
  'chat: content parts, text + image_url': {},
  'tools: request holds assistant tool_calls and a tool result with values': {},
  'tools: answer is text and a tool call': {},
  'stream: 7 characters a chunk': { stream: true },
};

/** Checks that the fields that differ between machines and calls are present, and removes them. */
function comparable(body: JsonObject): JsonObject {
  const varying = ['litellm_call_id', 'litellm_trace_id', 'litellm_version', 'request_headers'];
  for (const field of varying) expect(body[field], field).to.be.ok;
  const dropped = [...varying, 'additional_provider_specific_params'];
  const kept = Object.entries(body).filter(([field]) => !dropped.includes(field));
  const result = structuredClone(Object.fromEntries(kept));
  for (const call of (result.tool_calls as JsonObject[] | null) ?? []) {
    if (result.input_type === 'response') call.id = 'call';
  }
  return result;
}

describe('the development gateway as guardrail client, compared with a recording of the real gateway', () => {
  for (const [name, { headers = {}, stream = false }] of Object.entries(CASES)) {
    it(`sends the same bodies: ${name}`, async () => {
      const lab = process.env.LITELLM_LAB;
      if (lab === undefined) {
        throw new Error('Set LITELLM_LAB to the folder of a LiteLLM set-up with golden/guardrail_exchanges.json.');
      }
      const file = await readFile(join(lab, 'golden', 'guardrail_exchanges.json'), 'utf8');
      const golden = (JSON.parse(file) as Record<string, Recorded[]>)[name] ?? [];
      const received: JsonObject[] = [];
      const server = createServer((request, response) => {
        const parts: Buffer[] = [];
        request.on('data', (part: Buffer) => parts.push(part));
        request.on('end', () => {
          received.push(JSON.parse(Buffer.concat(parts).toString()) as JsonObject);
          response.end(JSON.stringify(golden[received.length - 1]?.answer ?? {}));
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const gateway = await startDevGateway({
        port: 0,
        masterKey: 'sk-m',
        proxyName: 'litellm',
        guardrail: { url, key: 'sk-guard' },
      });
      try {
        const first = golden[0]?.body;
        const request: Record<string, Json> = {
          model: first?.model ?? null,
          messages: first?.structured_messages ?? null,
          ...(first?.tools !== null && { tools: first?.tools ?? null }),
          ...(stream && { stream }),
        };
        const response = await fetch(`${gateway.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: 'Bearer sk-m', ...headers },
          body: JSON.stringify(request),
        });
        expect(response.status).to.equal(200);
        await response.text();
        expect(received.map(comparable)).to.deep.equal(golden.map(({ body }) => comparable(body)));
      } finally {
        await gateway.stop();
        server.closeAllConnections();
        server.close();
      }
    });
  }
});
