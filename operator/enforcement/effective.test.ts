import { expect } from 'chai';
import { effectivePolicy } from '../configuration/configuration.ts';
import { policyText } from '../policy/policy.ts';
import type { Guardrail, GuardrailPolicySpec } from '../api/v1alpha1/v1alpha1.ts';
import { listedPolicy, serviceSettings } from './effective.ts';

const defaults = {
  ...{
    profile: 'personal',
    recall: 'balanced',
    images: 'redact',
    remoteImages: 'block',
    unreadText: 'mask',
    mode: 'enforce',
  },
  mappingTTL: 86_400_000,
};

describe('the settings of a guardrail', () => {
  it('are in the words and units of the guardrail, with its defaults', () => {
    expect(serviceSettings({})).to.deep.equal(defaults);
    const set: Guardrail = { profile: 'Confidential', enforcement: 'Monitor', mappingTTL: '90m' };
    expect(serviceSettings(set)).to.deep.equal({
      ...defaults,
      ...{ profile: 'confidential', mode: 'monitor', mappingTTL: 5_400_000 },
    });
  });
});

describe('what the policy of a customer adds', () => {
  const effective = {
    ...{ profile: 'Personal', recall: 'Balanced', images: 'Redact', remoteImages: 'Block', unreadText: 'Mask' },
    ...{ enforcement: 'Enforce', retention: '24h' },
  };
  const own: GuardrailPolicySpec = {
    entities: { EMAIL_ADDRESS: { action: 'Block' }, PERSON: { action: 'Ignore' } },
    ...{ recall: 'Thorough', images: 'Pass', enforcement: 'Monitor', retention: '90s' },
  };
  const cases: readonly (readonly [own: GuardrailPolicySpec, allowLooser: boolean, status: object])[] = [
    [{}, false, { effective }],
    [
      own,
      false,
      {
        effective: { ...effective, recall: 'Thorough', retention: '90s' },
        tightened: ['entities.EMAIL_ADDRESS', 'recall', 'retention'],
        notApplied: ['enforcement', 'entities.PERSON', 'images'],
      },
    ],
    [
      own,
      true,
      {
        effective: { ...effective, recall: 'Thorough', images: 'Pass', enforcement: 'Monitor', retention: '90s' },
        tightened: ['entities.EMAIL_ADDRESS', 'recall', 'retention'],
        loosened: ['enforcement', 'entities.PERSON', 'images'],
      },
    ],
  ];
  for (const [spec, allowLooser, status] of cases) {
    it(`is told: ${JSON.stringify(spec)}${allowLooser ? ', where less strict policies are allowed' : ''}`, async () => {
      const compared = await effectivePolicy('test', {
        ...{ customer: policyText(spec), service: policyText({}), settings: serviceSettings({}), allowLooser },
      });
      if (compared === undefined) throw new Error('The policies were not compared.');
      expect(listedPolicy({ name: 'ai/strict', revision: 'r' }, compared, allowLooser)).to.deep.equal({
        ...{ name: 'ai/strict', revision: 'r' },
        ...status,
      });
    });
  }

  it('is compared with a guardrail without a policy', async () => {
    const compared = await effectivePolicy('test', {
      ...{ customer: policyText({}), service: undefined, settings: serviceSettings({}), allowLooser: false },
    });
    expect(compared?.comparison).to.deep.equal({ stricter: [], looser: [] });
  });
});
