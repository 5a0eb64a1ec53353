import { expect } from 'chai';
import type { GatewayInstance, GatewayInstanceStatus } from '../api/v1alpha1/v1alpha1.ts';
import { GuardrailNotReadyError } from './basics.ts';
import type { ProxyDeployment } from './sidecar.ts';
import { checkContest } from './sidecarChecks.ts';

describe('a contested sidecar', () => {
  const deployment = { metadata: { name: 'litellm' } } as ProxyDeployment;
  const guardrail = { mode: 'Sidecar', endpoint: 'http://127.0.0.1:8080', apiKeySecretName: 'key' } as const;
  const instanceOf = (status: GatewayInstanceStatus): GatewayInstance =>
    ({ metadata: { name: 'main', generation: 3 }, status }) as GatewayInstance;
  const minute = 60_000;

  it('is one that was removed three times within ten minutes', () => {
    const removals = { times: [] };
    const instance = instanceOf({ guardrail });
    checkContest(instance, deployment, removals, 0);
    checkContest(instance, deployment, removals, 9 * minute);
    checkContest(instance, deployment, removals, 11 * minute);
    expect(() => {
      checkContest(instance, deployment, removals, 12 * minute);
    }).to.throw(GuardrailNotReadyError, 'Deployment litellm 3 times');
  });

  it('stays contested at its generation, and has a new attempt at the next one', () => {
    const removals = { times: [0, 1, 2] };
    expect(() => {
      checkContest(instanceOf({ guardrail, sidecarContestedGeneration: 3 }), deployment, removals, 3);
    }).to.throw(GuardrailNotReadyError);
    checkContest(instanceOf({ guardrail, sidecarContestedGeneration: 2 }), deployment, removals, 3);
    expect(removals.times).to.deep.equal([3]);
  });
});
