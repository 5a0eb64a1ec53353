import { expect } from 'chai';
import fc from 'fast-check';
import { parseApiKeys } from '../../guardrail/settings/apiKeys.ts';
import { annotations } from '../api/v1alpha1/v1alpha1.ts';
import type { RotationStep, KeySecret, KeyPropagation } from './keys.ts';
import {
  rotateApiKeys,
  rotateEncryptionKeys,
  apiKeyOf,
  completeApiKeys,
  completeGuardrailKeys,
  newestApiKeyOf,
  revisionOf,
} from './keys.ts';

const empty: KeySecret = { data: {}, annotations: {} };
const start = Date.parse('2026-01-01T00:00:00Z');
const ready: KeyPropagation = { guardrailsHaveKey: true, gatewayHasKey: true, graceMs: 35_000, now: new Date(start) };
const later: KeyPropagation = { ...ready, now: new Date(start + 36_000) };

function accepted(secret: KeySecret): string[] {
  return (secret.data['api-keys'] ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace('proxy:', ''));
}

function ring(secret: KeySecret): string[] {
  return (secret.data['encryption-keys'] ?? '').split('\n').filter((line) => line !== '');
}

describe('keys', () => {
  it('are generated once, with 256 bits each', () => {
    const api = completeApiKeys(empty);
    const own = completeGuardrailKeys(empty);
    expect(apiKeyOf(api)).to.match(/^gk-[\w-]{43}$/);
    expect(accepted(api)).to.deep.equal([apiKeyOf(api)]);
    expect(Buffer.from(own.data['session-key'] ?? '', 'base64')).to.have.length(32);
    expect(ring(own).map((key) => Buffer.from(key, 'base64').length)).to.deep.equal([32]);
    expect(completeApiKeys(api)).to.equal(api);
    expect(completeGuardrailKeys(own)).to.equal(own);
    expect(apiKeyOf(completeApiKeys(empty))).to.not.equal(apiKeyOf(api));
  });

  it('that a Secret has are kept, and only the missing one is generated', () => {
    const own = completeGuardrailKeys(empty);
    const restored = completeGuardrailKeys({ ...own, data: { 'session-key': own.data['session-key'] ?? '' } });
    expect(restored.data['session-key']).to.equal(own.data['session-key']);
    expect(ring(restored)).to.have.length(1);
    const api = completeApiKeys(empty);
    expect(apiKeyOf(completeApiKeys({ ...api, data: { 'api-keys': api.data['api-keys'] ?? '' } }))).to.equal(
      apiKeyOf(api),
    );
  });

  it('both API keys are accepted during a rotation', () => {
    const before = completeApiKeys(empty);
    const old = apiKeyOf(before);

    const begun = rotateApiKeys(before, 'one', { ...ready, guardrailsHaveKey: false, gatewayHasKey: false });
    const fresh = newestApiKeyOf(begun.secret);
    expect(begun).to.include({ changed: true, inProgress: true, finished: false });
    expect(apiKeyOf(begun.secret), 'the gateway still sends the old key').to.equal(old);
    expect(accepted(begun.secret)).to.deep.equal([fresh, old]);
    expect(revisionOf(begun.secret)).to.equal(1);

    const unread = rotateApiKeys(begun.secret, 'one', { ...ready, guardrailsHaveKey: false });
    expect(unread).to.include({ changed: false, inProgress: true });

    const used = rotateApiKeys(begun.secret, 'one', { ...ready, gatewayHasKey: false });
    expect(apiKeyOf(used.secret)).to.equal(fresh);
    expect(accepted(used.secret), 'the old key is accepted until the rollout is complete').to.deep.equal([fresh, old]);
    expect(rotateApiKeys(used.secret, 'one', { ...ready, gatewayHasKey: false }).changed).to.equal(false);

    const rolled = rotateApiKeys(used.secret, 'one', ready);
    expect(accepted(rolled.secret), 'terminating pods may still send it').to.deep.equal([fresh, old]);
    expect(rotateApiKeys(rolled.secret, 'one', ready).changed).to.equal(false);

    const done = rotateApiKeys(rolled.secret, 'one', later);
    expect(done).to.include({ changed: true, inProgress: false, finished: true });
    expect(accepted(done.secret)).to.deep.equal([fresh]);
    expect(revisionOf(done.secret), 'the removal of a key causes no rollout').to.equal(1);
    expect(rotateApiKeys(done.secret, 'one', later)).to.include({ changed: false, inProgress: false });
  });

  it('an API key has the same tenant before, during and after its rotation, so that sessions stay readable', () => {
    const tenants = new Set<string | undefined>();
    let secret = completeApiKeys(empty);
    const sent: string[] = [];
    for (const readers of [ready, ready, ready, later]) {
      sent.push(apiKeyOf(secret));
      const keys = parseApiKeys(secret.data['api-keys'] ?? '');
      for (const key of [apiKeyOf(secret), newestApiKeyOf(secret)]) tenants.add(keys.tenantOf(key));
      secret = rotateApiKeys(secret, 'one', readers).secret;
    }
    expect(new Set(sent)).to.have.property('size', 2);
    expect([...tenants]).to.deep.equal(['proxy']);
  });

  it('the old API key is accepted until the next rotation if the rollout of the gateway is unknown', () => {
    const blind: KeyPropagation = { ...ready, gatewayHasKey: undefined };
    const before = completeApiKeys(empty);
    const first = rotateApiKeys(rotateApiKeys(before, 'one', blind).secret, 'one', blind).secret;
    expect(rotateApiKeys(first, 'one', { ...later, gatewayHasKey: undefined })).to.include({
      changed: false,
      inProgress: false,
    });
    const second = rotateApiKeys(first, 'two', blind).secret;
    expect(accepted(second)).to.not.include(apiKeyOf(before));
    expect(accepted(second)).to.include(apiKeyOf(first));
  });

  it('an encryption key decrypts everywhere before it encrypts anywhere, and the old one still decrypts', () => {
    const before = completeGuardrailKeys(empty);
    const [old = ''] = ring(before);
    const begun = rotateEncryptionKeys(before, 'one', { ...ready, guardrailsHaveKey: false });
    const [first, fresh = ''] = ring(begun.secret);
    expect(first, 'the first encrypts').to.equal(old);
    expect(revisionOf(begun.secret)).to.equal(1);
    expect(rotateEncryptionKeys(begun.secret, 'one', { ...ready, guardrailsHaveKey: false }).changed).to.equal(false);
    const read = rotateEncryptionKeys(begun.secret, 'one', ready);
    expect(ring(read.secret)).to.deep.equal([old, fresh]);
    const done = rotateEncryptionKeys(read.secret, 'one', later);
    expect(ring(done.secret)).to.deep.equal([fresh, old]);
    expect(done).to.include({ finished: true, inProgress: false });
    expect(done.secret.data['session-key'], 'the session key never rotates').to.equal(before.data['session-key']);
  });

  const readers = fc.record({
    guardrailsHaveKey: fc.boolean(),
    gatewayHasKey: fc.option(fc.boolean(), { nil: undefined }),
    graceMs: fc.constant(35_000),
    now: fc.integer({ min: 0, max: 1_000 }).map((minutes) => new Date(start + minutes * 60_000)),
  });
  const requests = fc.option(fc.constantFrom('one', 'two', 'three'), { nil: undefined });

  it('property: in every sequence of steps, the current and the previous key of the gateway are accepted', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(requests, readers), { maxLength: 30 }), (steps) => {
        let secret = completeApiKeys(empty);
        for (const [requested, state] of steps) {
          const sentBefore = apiKeyOf(secret);
          const advance: RotationStep = rotateApiKeys(secret, requested, state);
          secret = advance.secret;
          expect(accepted(secret)).to.include(apiKeyOf(secret));
          expect(accepted(secret)).to.include(sentBefore);
          expect(accepted(secret)).to.have.length.at.most(2);
        }
      }),
    );
  });

  it('property: in every sequence of steps, encrypted values can be decrypted', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(requests, readers), { maxLength: 12 }), (steps) => {
        let secret = completeGuardrailKeys(empty);
        for (const [requested, state] of steps) {
          const used = ring(secret)[0];
          secret = rotateEncryptionKeys(secret, requested, state).secret;
          expect(ring(secret)).to.include(used);
        }
      }),
    );
  });

  it('reads a revision annotation that a user has broken as 0', () => {
    expect(revisionOf({ ...empty, annotations: { [annotations.keyRevision]: 'many' } })).to.equal(0);
  });
});
