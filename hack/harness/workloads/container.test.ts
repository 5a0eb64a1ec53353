import { expect } from 'chai';
import {
  ContainerConfigError,
  environment,
  expand,
  localPaths,
  references,
  type Sources,
  volumeFiles,
} from './container.ts';
import type { Container, Pod } from './kinds.ts';

const data = (entries: Record<string, string>): Map<string, Buffer> =>
  new Map(Object.entries(entries).map(([key, value]) => [key, Buffer.from(value)]));

const sources: Sources = {
  configMap: (name) => (name === 'settings' ? data({ A: 'map a', B: 'map b' }) : undefined),
  secret: (name) => (name === 'keys' ? data({ A: 'secret a', 'api-key': 's3cret' }) : undefined),
};

function podOf(container: Partial<Container>, spec: object = {}): { pod: Pod; container: Container } {
  const whole = { name: 'main', ...container };
  const metadata = { name: 'pod-1', namespace: 'apps', labels: { app: 'x' } };
  return { pod: { metadata, spec: { containers: [whole], ...spec } }, container: whole };
}

describe('container of a local process', () => {
  describe('environment', () => {
    const cases: [string, Partial<Container>, Record<string, string>][] = [
      ['plain values', { env: [{ name: 'A', value: '1' }, { name: 'EMPTY' }] }, { A: '1', EMPTY: '' }],
      ['a whole ConfigMap', { envFrom: [{ configMapRef: { name: 'settings' } }] }, { A: 'map a', B: 'map b' }],
      [
        'a prefix',
        { envFrom: [{ prefix: 'X_', secretRef: { name: 'keys' } }] },
        { X_A: 'secret a', 'X_api-key': 's3cret' },
      ],
      [
        'the later source wins, and env over envFrom',
        {
          envFrom: [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'keys' } }],
          env: [{ name: 'B', value: 'own' }],
        },
        { A: 'secret a', B: 'own', 'api-key': 's3cret' },
      ],
      [
        'one key',
        { env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'api-key' } } }] },
        { KEY: 's3cret' },
      ],
      [
        'optional references to missing objects',
        {
          envFrom: [{ configMapRef: { name: 'none', optional: true } }],
          env: [
            { name: 'A', valueFrom: { secretKeyRef: { name: 'none', key: 'x', optional: true } } },
            { name: 'B', valueFrom: { configMapKeyRef: { name: 'settings', key: 'none', optional: true } } },
          ],
        },
        {},
      ],
      [
        'fields of the pod',
        {
          env: ['metadata.name', 'metadata.namespace', "metadata.labels['app']", 'status.podIP'].map(
            (fieldPath, index) => ({
              name: `F${index}`,
              valueFrom: { fieldRef: { fieldPath } },
            }),
          ),
        },
        { F0: 'pod-1', F1: 'apps', F2: 'x', F3: '127.0.0.1' },
      ],
      [
        'what was set before',
        {
          env: [
            { name: 'HOST', value: 'h' },
            { name: 'URL', value: 'http://$(HOST)/$(LATER)$$(HOST)' },
            { name: 'LATER', value: '1' },
          ],
        },
        { HOST: 'h', URL: 'http://h/$(LATER)$(HOST)', LATER: '1' },
      ],
    ];
    for (const [what, container, expected] of cases) {
      it(`takes ${what}`, () => {
        const given = podOf(container);
        expect(environment(given.pod, given.container, sources)).to.deep.equal(expected);
      });
    }

    for (const [what, container, message] of [
      ['a ConfigMap', { envFrom: [{ configMapRef: { name: 'none' } }] }, 'ConfigMap none does not exist.'],
      [
        'a Secret',
        { env: [{ name: 'K', valueFrom: { secretKeyRef: { name: 'none', key: 'x' } } }] },
        'Secret none does not exist.',
      ],
      [
        'a key',
        { env: [{ name: 'K', valueFrom: { secretKeyRef: { name: 'keys', key: 'x' } } }] },
        'Secret keys has no key x, which K references.',
      ],
      [
        'a field',
        { env: [{ name: 'K', valueFrom: { fieldRef: { fieldPath: 'spec.none' } } }] },
        'Local pods do not support the field spec.none.',
      ],
      [
        'a source',
        { env: [{ name: 'K', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }] },
        'K has a source that local pods do not support.',
      ],
    ] as [string, Partial<Container>, string][]) {
      it(`names ${what} that is missing`, () => {
        const given = podOf(container);
        expect(() => environment(given.pod, given.container, sources)).to.throw(ContainerConfigError, message);
      });
    }
  });

  it('expands known names, and keeps the rest', () => {
    expect(expand('$(A) $(B) $$(A) $A $$ $', { A: '1' })).to.equal('1 $(B) $(A) $A $ $');
  });

  it('refers to the ConfigMaps and Secrets of its environment and its volumes', () => {
    const { pod } = podOf(
      {
        envFrom: [{ configMapRef: { name: 'c1' } }, { secretRef: { name: 's1' } }],
        env: [
          { name: 'A', valueFrom: { configMapKeyRef: { name: 'c2', key: 'k' } } },
          { name: 'B', valueFrom: { secretKeyRef: { name: 's2', key: 'k' } } },
        ],
      },
      {
        volumes: [
          { name: 'v1', configMap: { name: 'c3' } },
          { name: 'v2', secret: { secretName: 's3' } },
          { name: 'v3', projected: { sources: [{ secret: { name: 's4' } }, { configMap: { name: 'c4' } }] } },
          { name: 'v4', emptyDir: {} },
        ],
      },
    );
    const { configMaps, secrets } = references(pod);
    expect([...configMaps]).to.have.members(['c1', 'c2', 'c3', 'c4']);
    expect([...secrets]).to.have.members(['s1', 's2', 's3', 's4']);
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
        sources: [{ configMap: { name: 'settings' } }, { secret: { name: 'keys', items: [{ key: 'A', path: 'S' }] } }],
      };
      expect(text(volumeFiles({ name: 'v', projected }, sources))).to.deep.equal({
        A: 'map a',
        B: 'map b',
        S: 'secret a',
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
