import { expect } from 'chai';
import { renderProxyConfig } from '../../../operator/instance/proxyConfig.ts';
import { readProxyConfig } from './proxyConfig.ts';

const guardrail = { url: 'http://127.0.0.1:8080', timeoutSeconds: 7 };

describe("a gateway's configuration file", () => {
  for (const proxyName of ['gateway', 'litellm']) {
    it(`as the operator renders it for ${proxyName}: who guards, with which key, and the default budget`, () => {
      const budget = { maxBudget: 5, budgetId: 'tier' };
      const text = renderProxyConfig('model_list: []\n', { proxyName, budget, guardrail }).text;
      expect(readProxyConfig(text, proxyName, { GUARDRAIL_API_KEY: 'gk-1' })).to.deep.equal({
        guardrail: { url: 'http://127.0.0.1:8080', key: 'gk-1' },
        guardrailTimeoutMs: 7_000,
        maxEndUserBudgetId: 'tier',
      });
    });
  }

  it('without anything for this gateway: no guardrail', () => {
    for (const text of ['', '# nothing\n', 'model_list: []\nguardrails:\n']) {
      expect(readProxyConfig(text, 'gateway', {}), text).to.deep.equal({ maxEndUserBudgetId: undefined });
    }
  });

  it('that names a key which is not there, or that is wrong: one sentence', () => {
    const { text } = renderProxyConfig('', { proxyName: 'gateway', budget: undefined, guardrail });
    expect(() => readProxyConfig(text, 'gateway', {})).to.throw(/^Set GUARDRAIL_API_KEY, .*\.$/);
    expect(() => readProxyConfig('guardrails: 1', 'gateway', {})).to.throw(
      /^The configuration file .* at guardrails: /,
    );
  });
});
