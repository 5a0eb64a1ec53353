import { expect } from 'chai';
import { annotations } from '../api/v1alpha1/v1alpha1.ts';
import type { ProxyDeployment } from '../guardrail/guardrail.ts';
import { calledUrl } from './state.ts';

const url = 'http://main-guardrail.ai.svc:8080';
const configured = { guardrailUrl: url, budgetId: undefined, hash: 'new' };

function deploymentOf(hash: string, availableReplicas = 1): ProxyDeployment {
  return {
    metadata: { name: 'litellm', generation: 2 },
    spec: { replicas: 1, template: { metadata: { annotations: { [annotations.configHash]: hash } } } },
    status: { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas },
  } as unknown as ProxyDeployment;
}

describe('the guardrail that the gateway calls', () => {
  for (const [what, observed, expected] of [
    ['every pod has the configuration', { deployment: deploymentOf('new'), configured }, url],
    ['the pods have an older configuration', { deployment: deploymentOf('old'), configured }, undefined],
    ['not every pod is available', { deployment: deploymentOf('new', 0), configured }, undefined],
    ['the Deployment is not known', { deployment: undefined, configured }, url],
    ['the Deployment does not exist', { deployment: 'missing', configured }, undefined],
    [
      'the configuration has no entry',
      { deployment: deploymentOf('new'), configured: { ...configured, guardrailUrl: undefined } },
      undefined,
    ],
  ] as const) {
    it(`is ${expected === undefined ? 'none' : 'known'} if ${what}`, () => {
      expect(calledUrl(observed)).to.equal(expected);
    });
  }
});
