import { expect } from 'chai';
import { parseDocument } from 'yaml';
import { renderProxyConfig } from '../../../operator/configuration/proxyConfig.ts';
import { readProxyConfig } from './proxyConfig.ts';

const guardrail = { callback: 'Generic', url: 'http://127.0.0.1:8080', timeoutSeconds: 7 } as const;

describe("a gateway's configuration file", () => {
  for (const proxyName of ['gateway', 'litellm']) {
    it(`as the operator renders it for ${proxyName}: the guardrail and its key`, () => {
      const budget = { maxBudget: 5, budgetId: 'tier' };
      const text = renderProxyConfig('model_list: []\n', { proxyName, budget, guardrail }).text;
      expect(readProxyConfig(text, proxyName, { GUARDRAIL_API_KEY: 'gk-1' })).to.deep.equal({
        guardrail: { url: 'http://127.0.0.1:8080', key: 'gk-1' },
        guardrailTimeoutMs: 7_000,
      });
    });
  }

  it('without settings for this gateway: no guardrail', () => {
    for (const text of ['', '# nothing\n', 'model_list: []\nguardrails:\n']) {
      expect(readProxyConfig(text, 'gateway', {}), text).to.deep.equal({});
    }
  });

  for (const wrong of [
    { fail_on_error: false },
    { unreachable_fallback: 'fail_open' },
    { optional_params: { streaming_transform_mode: 'block_only' } },
    { streaming_end_of_stream_only: true },
    { skip_system_message_in_guardrail: true },
  ]) {
    it(`rejects a setting that is not implemented here: ${JSON.stringify(wrong)}`, () => {
      const { text } = renderProxyConfig('', { proxyName: 'gateway', budget: undefined, guardrail });
      const document = parseDocument(text);
      for (const [key, value] of Object.entries(wrong)) {
        document.setIn(['guardrails', 0, 'gateway_params', key], value);
      }
      expect(() => readProxyConfig(document.toString(), 'gateway', { GUARDRAIL_API_KEY: 'gk-1' })).to.throw(
        `The configuration file is invalid at guardrails.0.gateway_params.${Object.keys(wrong)[0]}: `,
      );
    });
  }

  it('rejects a missing key and an invalid value', () => {
    const { text } = renderProxyConfig('', { proxyName: 'gateway', budget: undefined, guardrail });
    expect(() => readProxyConfig(text, 'gateway', {})).to.throw(/^Set GUARDRAIL_API_KEY, .*\.$/);
    expect(() => readProxyConfig('guardrails: 1', 'gateway', {})).to.throw(
      /^The configuration file .* at guardrails: /,
    );
  });
});
