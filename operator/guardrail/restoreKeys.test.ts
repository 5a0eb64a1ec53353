import { expect } from 'chai';
import fc from 'fast-check';
import { parseApiKeys } from '../../guardrail/settings/apiKeys.ts';
import { annotations } from '../api/v1alpha1/v1alpha1.ts';
import { apiKeyOf, completeApiKeys, type KeySecret, rotateApiKeys } from './keys.ts';
import { completeRestoreKeys, hasRevokedKeys, restoreKeyName, startedPods, type StartedPods } from './restoreKeys.ts';
import { guardrailEnvironment } from './settings.ts';
import type { ProxyDeployment } from './sidecar.ts';

const gateway = completeApiKeys({ data: {}, annotations: {} });
const tenantsOf = (secret: KeySecret): Record<string, string | undefined> => {
  const keys = parseApiKeys(secret.data['api-keys'] ?? '');
  return Object.fromEntries(
    Object.entries(secret.data).flatMap(([name, key]) => (name === 'api-keys' ? [] : [[name, keys.tenantOf(key)]])),
  );
};

/** Pods that all have the template with these tools, or not all. */
const pods = (tools: readonly string[], areCurrent = true): StartedPods => ({ tools, areCurrent });

describe('keys of tools', () => {
  it('are generated once, and accepted beside that of the gateway', () => {
    const secret = completeRestoreKeys(gateway, ['crm', 'mail']);
    expect(tenantsOf(secret)).to.deep.equal({ 'api-key': 'proxy', 'restore-crm': 'crm', 'restore-mail': 'mail' });
    expect(completeRestoreKeys(secret, ['crm', 'mail'])).to.equal(secret);
    expect(apiKeyOf(secret)).to.equal(apiKeyOf(gateway));
  });

  it('go with the tool', () => {
    const both = completeRestoreKeys(gateway, ['crm', 'mail']);
    const one = completeRestoreKeys(both, ['mail']);
    expect(tenantsOf(one)).to.deep.equal({ 'api-key': 'proxy', 'restore-mail': 'mail' });
    expect(one.data['restore-mail']).to.equal(both.data['restore-mail']);
    expect(completeRestoreKeys(one, [])).to.deep.equal(gateway);
    expect(completeRestoreKeys(gateway, [])).to.equal(gateway);
  });

  it('are accepted no longer without their tool, while pods that name it can still start', () => {
    const both = completeRestoreKeys(gateway, ['crm', 'mail']);
    const one = completeRestoreKeys(both, ['mail'], pods(['crm', 'mail']));
    const accepted = parseApiKeys(one.data['api-keys'] ?? '');
    expect([...accepted.tenants]).to.have.members(['proxy', 'mail', 'crm']);
    expect(accepted.tenantOf(both.data['restore-crm'] ?? '')).to.equal(undefined);
    expect(one.data).to.have.all.keys('api-key', 'api-keys', 'restore-mail');
    expect(hasRevokedKeys(one)).to.equal(true);
    expect(completeRestoreKeys(one, ['mail'], pods(['crm', 'mail']))).to.equal(one);
    // A rotation of the gateway's key keeps it.
    const { secret } = rotateApiKeys(one, 'now', {
      ...{ guardrailsHaveKey: false, gatewayHasKey: true, graceMs: 1, now: new Date() },
    });
    expect(parseApiKeys(secret.data['api-keys'] ?? '').tenants).to.include('crm');
    // The pods start without the tool.
    const rest = completeRestoreKeys(one, ['mail'], pods(['mail']));
    expect(rest).to.deep.equal(completeRestoreKeys(both, ['mail']));
    expect(hasRevokedKeys(rest)).to.equal(false);
  });

  it('are accepted no longer, while a pod of an earlier template can still start', () => {
    const revoked = completeRestoreKeys(completeRestoreKeys(gateway, ['crm', 'mail']), ['mail'], pods(['crm', 'mail']));
    // The template has changed, and not all pods have been replaced.
    expect(completeRestoreKeys(revoked, ['mail'], pods(['mail'], false))).to.equal(revoked);
    const next = completeRestoreKeys(revoked, ['mail'], pods(['mail']));
    expect(hasRevokedKeys(next)).to.equal(false);
    expect(completeRestoreKeys(next, ['mail'], pods(['mail'], false)), 'nothing was revoked').to.equal(next);
  });

  it('are new for a tool that comes back', () => {
    const first = completeRestoreKeys(gateway, ['crm']);
    const back = completeRestoreKeys(completeRestoreKeys(first, [], pods(['crm'])), ['crm'], pods(['crm']));
    expect(tenantsOf(back)).to.deep.equal({ 'api-key': 'proxy', 'restore-crm': 'crm' });
    expect(back.data['restore-crm']).to.not.equal(first.data['restore-crm']);
    expect(hasRevokedKeys(back)).to.equal(false);
  });

  it('of a tool that left together with the value in the Secret are accepted no longer', () => {
    const { data, annotations: noted } = completeRestoreKeys(gateway, ['crm']);
    const { 'restore-crm': key = '', ...rest } = data;
    const secret = completeRestoreKeys({ data: rest, annotations: noted }, [], pods(['crm']));
    expect(parseApiKeys(secret.data['api-keys'] ?? '').tenantOf(key)).to.equal(undefined);
  });

  it('that another caller has are replaced', () => {
    const both = completeRestoreKeys(gateway, ['crm', 'mail']);
    for (const key of [apiKeyOf(gateway), both.data['restore-crm'] ?? '']) {
      const secret = completeRestoreKeys({ ...both, data: { ...both.data, 'restore-mail': key } }, ['crm', 'mail']);
      expect(tenantsOf(secret)).to.deep.equal({ 'api-key': 'proxy', 'restore-crm': 'crm', 'restore-mail': 'mail' });
      expect(secret.data['restore-crm']).to.equal(both.data['restore-crm']);
    }
  });

  it('belong to the tools that the Deployment names', () => {
    const restore = ['crm', 'mail'].map((name) => ({ name, sessions: 'Gateway' as const, types: ['PERSON', 'IBAN'] }));
    const deploymentOf = (spec: object): ProxyDeployment => {
      const containers = [{ name: 'guardrail', env: guardrailEnvironment(spec, 'litellm', 'Deployment') }];
      return { metadata: {}, spec: { template: { spec: { containers } } } } as unknown as ProxyDeployment;
    };
    expect(startedPods(deploymentOf({ restore })).tools).to.deep.equal(['crm', 'mail']);
    expect(startedPods(deploymentOf({})).tools).to.deep.equal([]);
    expect(startedPods(undefined)).to.deep.equal(pods([]));
    // Lines with these names would replace the key of the gateway, or make the file invalid.
    const containers = [
      { env: [{ name: 'GUARDRAIL_RESTORE_KEYS', value: 'a@b:C,proxy@x:*,inline@x:*,A b:*,x\ny@z:*,a@b:C,,:' }] },
    ];
    const edited = { metadata: {}, spec: { template: { spec: { containers } } } } as unknown as ProxyDeployment;
    expect(startedPods(edited).tools).to.deep.equal(['a']);
  });

  for (const key of ['', 'short', 'a,proxy:12345678', apiKeyOf(gateway).slice(1)]) {
    it(`of another form are replaced: ${JSON.stringify(key.slice(0, 20))}`, () => {
      const secret = completeRestoreKeys(gateway, ['crm']);
      const edited = { ...secret, data: { ...secret.data, [restoreKeyName('crm')]: key } };
      expect(tenantsOf(completeRestoreKeys(edited, ['crm']))).to.deep.equal({
        'api-key': 'proxy',
        'restore-crm': 'crm',
      });
    });
  }

  it('property: stay the same at every step of a rotation of the key of the gateway', () => {
    const propagation = fc.record({
      guardrailsHaveKey: fc.boolean(),
      gatewayHasKey: fc.constantFrom(true, false, undefined),
      graceMs: fc.constant(1),
      now: fc.integer({ min: 0, max: 100_000 }).map((ms) => new Date(ms)),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', undefined), propagation)), (steps) => {
        const first = completeRestoreKeys(gateway, ['crm']);
        let secret = first;
        for (const [requested, readers] of steps) {
          ({ secret } = rotateApiKeys(secret, requested, readers));
          expect(tenantsOf(secret)).to.deep.equal({ 'api-key': 'proxy', 'restore-crm': 'crm' });
          expect(secret.data['restore-crm']).to.equal(first.data['restore-crm']);
          const lines = (secret.data['api-keys'] ?? '').trim().split('\n');
          expect(lines.length).to.be.within(2, 3);
          const handled = secret.annotations[annotations.rotateApiKey];
          expect([undefined, 'a', 'b']).to.include(handled);
        }
      }),
    );
  });
});
