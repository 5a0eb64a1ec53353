import { expect } from 'chai';
import { policyRevision } from '../../guardrail/guardrail.ts';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { instanceOf } from '../instance/testing/instances.ts';
import { writtenPolicy } from './readPolicy.ts';

const TEXT = '{"deny":[]}';
const OWNER = { apiVersion: 'v1', kind: 'GatewayInstance', name: 'main', uid: 'uid-1' };

describe('the policy file that the operator has written', () => {
  const instance = (policyRevision?: string): GatewayInstance => ({
    ...instanceOf(),
    status: {
      guardrail: {
        ...{ mode: 'Deployment', endpoint: 'http://g', apiKeySecretName: 'k' },
        ...(policyRevision !== undefined && { policyRevision }),
      },
    },
  });
  const map = (data: Record<string, string> | undefined, uid = 'uid-1') => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: {
      name: 'main-guardrail',
      namespace: 'ai',
      uid: 'm',
      resourceVersion: '1',
      ownerReferences: [{ ...OWNER, uid }],
    },
    ...(data && { data }),
  });
  const file = { 'policy.yaml': TEXT };

  for (const [what, stored, status, expected] of [
    ['is in the ConfigMap', map(file), instance(policyRevision(TEXT)), TEXT],
    ['is none without a ConfigMap', undefined, instance(policyRevision(TEXT)), undefined],
    ['is none without the file', map({}), instance(policyRevision(TEXT)), undefined],
    ['is none without data', map(undefined), instance(policyRevision(TEXT)), undefined],
    ['is not what somebody else has written', map(file), instance(policyRevision('other')), undefined],
    ['is none before the operator has written one', map(file), instance(), undefined],
    ['is not that of an earlier instance', map(file, 'uid-0'), instance(policyRevision(TEXT)), undefined],
  ] as const) {
    it(what, () => {
      expect(writtenPolicy(stored, status)).to.equal(expected);
    });
  }
});
