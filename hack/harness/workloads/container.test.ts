import { expect } from 'chai';
import { ContainerConfigError, environment, localPaths, references, type Sources, volumeFiles } from './container.ts';
import type { EnvVar } from './kinds.ts';

const data = (entries: Record<string, string>): Map<string, Buffer> =>
  new Map(Object.entries(entries).map(([key, value]) => [key, Buffer.from(value)]));

const sources: Sources = {
  configMap: (name) => (name === 'settings' ? data({ A: 'map a', B: 'map b' }) : undefined),
  secret: (name) => (name === 'keys' ? data({ A: 'secret a', 'api-key': 's3cret' }) : undefined),
};

describe('container of a local process', () => {
  const fromSecret = (name: string, key: string, optional = false): EnvVar => ({
    name: 'KEY',
    valueFrom: { secretKeyRef: { name, key, optional } },
  });

  for (const [what, variable, expected] of [
    ['a value', { name: 'KEY', value: '1' }, { KEY: '1' }],
    ['an empty value', { name: 'KEY' }, { KEY: '' }],
    ['a key of a Secret', fromSecret('keys', 'api-key'), { KEY: 's3cret' }],
    ['an optional key of a missing Secret', fromSecret('none', 'x', true), {}],
    ['an optional key that is missing', fromSecret('keys', 'x', true), {}],
  ] as const) {
    it(`has ${what} in its environment`, () => {
      expect(environment({ name: 'main', env: [variable] }, sources)).to.deep.equal(expected);
    });
  }

  for (const [what, variable, message] of [
    ['a Secret', fromSecret('none', 'x'), 'Secret none does not exist.'],
    ['a key', fromSecret('keys', 'x'), 'Secret keys has no key x, which KEY references.'],
    [
      'a source',
      { name: 'KEY', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      'KEY has a source that local pods do not support.',
    ],
  ] as const) {
    it(`names ${what} that is missing`, () => {
      expect(() => environment({ name: 'main', env: [variable] }, sources)).to.throw(ContainerConfigError, message);
    });
  }

  it('refers to the ConfigMaps and Secrets of its environment and its volumes', () => {
    const { configMaps, secrets } = references({
      spec: {
        containers: [{ name: 'main', env: [{ name: 'A', value: 'a' }, fromSecret('s1', 'k')] }],
        volumes: [
          { name: 'v1', configMap: { name: 'c1' } },
          { name: 'v2', secret: { secretName: 's2' } },
          { name: 'v3', projected: { sources: [{ configMap: { name: 'c2' } }, { configMap: { name: 'c3' } }] } },
          { name: 'v4', emptyDir: {} },
        ],
      },
    });
    expect([...configMaps]).to.have.members(['c1', 'c2', 'c3']);
    expect([...secrets]).to.have.members(['s1', 's2']);
  });

  describe('volume', () => {
    const text = (files: ReadonlyMap<string, Buffer>): object =>
      Object.fromEntries([...files].map(([path, content]) => [path, content.toString()]));

    it('contains every key, or the named ones at their paths', () => {
      expect(text(volumeFiles({ name: 'v', configMap: { name: 'settings' } }, sources))).to.deep.equal({
        A: 'map a',
        B: 'map b',
      });
      const items = [{ key: 'api-key', path: 'deep/key' }];
      expect(text(volumeFiles({ name: 'v', secret: { secretName: 'keys', items } }, sources))).to.deep.equal({
        'deep/key': 's3cret',
      });
    });
    it('joins projected sources', () => {
      const projected = {
        sources: [
          { configMap: { name: 'settings', items: [{ key: 'A', path: 'S' }] } },
          { configMap: { name: 'settings' } },
          { configMap: { name: 'none', optional: true } },
        ],
      };
      expect(text(volumeFiles({ name: 'v', projected }, sources))).to.deep.equal({
        S: 'map a',
        A: 'map a',
        B: 'map b',
      });
    });
    it('is empty otherwise', () => {
      expect(volumeFiles({ name: 'v', emptyDir: {} }, sources).size).to.equal(0);
      expect(volumeFiles({ name: 'v', secret: { secretName: 'none', optional: true } }, sources).size).to.equal(0);
    });
    it('names the missing object', () => {
      expect(() => volumeFiles({ name: 'v', secret: { secretName: 'none' } }, sources)).to.throw(
        'Secret none does not exist.',
      );
      const items = [{ key: 'x', path: 'y' }];
      expect(() => volumeFiles({ name: 'v', configMap: { name: 'settings', items } }, sources)).to.throw(
        "Key x of a volume's file y does not exist.",
      );
    });
  });

  describe('paths', () => {
    const mounts = new Map([
      ['/etc/guardrail', '/tmp/a'],
      ['/etc/guardrail/keys', '/tmp/b'],
    ]);
    for (const [text, expected] of [
      ['/etc/guardrail/policy.yaml', '/tmp/a/policy.yaml'],
      ['/etc/guardrail/keys/api-key', '/tmp/b/api-key'],
      ['/etc/guardrail', '/tmp/a'],
      ['file: /etc/guardrail/x\nother: "/etc/guardrail/keys"', 'file: /tmp/a/x\nother: "/tmp/b"'],
      ['/etc/guardrails/x', '/etc/guardrails/x'],
      ['/opt/etc/guardrail/x', '/opt/etc/guardrail/x'],
      ['etc/guardrail', 'etc/guardrail'],
    ] as const) {
      it(`${JSON.stringify(text)} → ${JSON.stringify(expected)}`, () => {
        expect(localPaths(text, mounts)).to.equal(expected);
      });
    }
  });
});
