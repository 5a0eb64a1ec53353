import type { KeyObject } from 'node:crypto';
import { createGuard } from '../pseudonymization/pseudonymization.ts';
import type { Analyzer } from '../detection/detection.ts';
import { parseJson } from '../http/http.ts';
import type { Tenant } from '../ids.ts';
import { createLitellmAdapter, isObject, type GatewayExchange } from '../gateways/gateways.ts';
import { createMemoryStore } from '../store/store.ts';

export interface WarmUpOptions {
  readonly analyzer: Analyzer;
  readonly sessionKey: KeyObject;
  readonly customTypes: () => readonly string[];
}

/** Time limit for a detector that does not respond, in milliseconds. Readiness reports such a detector. */
const TIMEOUT_MS = 1000;

/** An example for each kind of recognizer. All values are published examples or test values. */
const TEXT = [
  'My name is Anna Schmidt, I live at 12 Example Street, Springfield, and was born on 1 February 1980.',
  'Write to anna.schmidt@example.org, call +1 202-555-0123, or see https://example.org/anna from 192.0.2.1.',
  'Card 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00, SSN 078-05-1120, password: correct-horse-battery.',
].join('\n');

/**
 * Runs a fictitious request and response through the guard with a temporary store, so that the first real call is not
 * slow: tables are built on first use, and V8 compiles the code that runs.
 */
export async function warmUp({ analyzer, sessionKey, customTypes }: WarmUpOptions): Promise<void> {
  const store = createMemoryStore({ ttlMs: TIMEOUT_MS });
  const guard = createGuard({
    // Overrides a policy that blocks: a refused call would skip the later steps.
    analyzer: {
      ...analyzer,
      analyze: async (texts, context) =>
        (await analyzer.analyze(texts, context)).map((list) =>
          list.map((finding) => ({ ...finding, action: 'pseudonymize' as const })),
        ),
    },
    store,
    sessionKey,
    scope: 'call',
    customTypes,
  });
  const adapter = createLitellmAdapter('gateway');
  const read = (fields: object): GatewayExchange => {
    const body = parseJson(Buffer.from(JSON.stringify({ gateway_call_id: 'warm-up', ...fields })));
    return adapter.read(isObject(body) ? body : {}, { tenant: 'warm-up' as Tenant, isMark: () => false });
  };
  const toolCalls = [{ function: { name: 'send', arguments: JSON.stringify({ text: TEXT }) } }];
  const messages = [
    { role: 'user', content: TEXT },
    { role: 'assistant', tool_calls: toolCalls },
  ];
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const request = read({ input_type: 'request', texts: [TEXT], structured_messages: messages });
    if (request.phase !== 'request') return;
    const context = { identity: request.identity, signal };
    const outcome = await guard.request(request.document, context);
    if (outcome.action === 'BLOCKED') return;
    request.render(outcome);
    const { texts } = outcome.action === 'NONE' ? request.document : outcome;
    const response = read({ input_type: 'response', texts, tool_calls: toolCalls });
    if (response.phase === 'response') response.render(await guard.response(response.document, context));
  } catch {
    // The service starts without the detector. Readiness reports it.
  } finally {
    await store.close();
  }
}
