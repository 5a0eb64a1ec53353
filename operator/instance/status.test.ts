import { expect } from 'chai';
import { annotations, type GatewayCustomer, type GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { GuardrailPlan, GuardrailResult } from '../guardrail/guardrail.ts';
import { type ConditionStates, readiness } from './readiness.ts';
import { rotationEvents, transitions } from './events.ts';
import { countCustomers, guardrailStatus, nextStatus, statusWithReady } from './status.ts';
import { good, instanceOf, observed } from './testing/instances.ts';

const now = new Date('2026-01-02T00:00:00Z');
const later = new Date('2026-01-03T00:00:00Z');

function withStatus(findings: ConditionStates, at: Date): GatewayInstance {
  return { ...instanceOf(), status: nextStatus(instanceOf(), findings, observed, at) };
}

describe('instance status', () => {
  for (const [what, change, expected] of [
    ['all requested features are ready', {}, { status: 'True', reason: 'Ready' }],
    [
      'the gateway is unreachable, before all else',
      {
        Reachable: { status: 'False', reason: 'GatewayUnreachable', message: 'x' },
        GuardrailReady: { status: 'False', reason: 'RollingOut', message: 'y' },
      },
      { status: 'False', reason: 'NotReachable', message: 'x' },
    ],
    [
      'the guardrail is not ready, before the configuration that names it',
      {
        GuardrailReady: { status: 'False', reason: 'RollingOut', message: 'y' },
        ProxyConfigured: { status: 'False', reason: 'RollingOut', message: 'z' },
      },
      { status: 'False', reason: 'GuardrailNotReady', message: 'y' },
    ],
    [
      'the guardrail is not ready',
      { GuardrailReady: { status: 'False', reason: 'RollingOut', message: 'y' } },
      { status: 'False', reason: 'GuardrailNotReady', message: 'y' },
    ],
    [
      'the default budget is unknown',
      { DefaultBudgetEnforced: { status: 'Unknown', reason: 'NotReachable', message: 'z' } },
      { status: 'Unknown', reason: 'DefaultBudgetNotEnforced', message: 'z' },
    ],
    [
      'nothing else is requested',
      { GuardrailReady: { status: 'False', reason: 'NotRequested', message: '' } },
      { status: 'True', reason: 'Ready' },
    ],
  ] as const) {
    it(`is ${expected.reason} if ${what}`, () => {
      expect(readiness({ ...good, ...change })).to.include(expected);
    });
  }

  it('is the same object if nothing has changed, so that nothing is written', () => {
    const instance = withStatus(good, now);
    expect(nextStatus(instance, good, observed, later)).to.equal(instance.status);
  });

  it('reports a guardrail as not ready only if one is requested', () => {
    const ready = (finding: ConditionStates['GuardrailReady']): unknown =>
      nextStatus(instanceOf(), { ...good, GuardrailReady: finding }, observed, now).guardrailReady;
    expect(ready(good.GuardrailReady)).to.equal('True');
    expect(ready({ status: 'False', reason: 'RollingOut', message: '' })).to.equal('False');
    expect(ready({ status: 'False', reason: 'NotRequested', message: '' })).to.equal(undefined);
  });

  it('has the time when the status of a condition last changed', () => {
    const instance = withStatus(good, now);
    const other: ConditionStates = {
      ...good,
      GuardrailReady: { status: 'True', reason: 'Ready', message: 'other words' },
    };
    const times = (nextStatus(instance, other, observed, later).conditions ?? []).map(
      ({ lastTransitionTime }) => lastTransitionTime,
    );
    expect(new Set(times)).to.deep.equal(new Set([now.toISOString()]));
    const failing: ConditionStates = {
      ...good,
      GuardrailReady: { status: 'False', reason: 'RollingOut', message: '' },
    };
    const after = nextStatus(instance, failing, observed, later).conditions ?? [];
    expect(
      after.filter(({ lastTransitionTime }) => lastTransitionTime === later.toISOString()).map(({ type }) => type),
    ).to.deep.equal(['Ready', 'Reconciling', 'GuardrailReady']);
  });

  for (const [what, change, expected] of [
    ['nothing fails', {}, undefined],
    [
      'the guardrail rolls out',
      { GuardrailReady: { status: 'False', reason: 'RollingOut', message: 'y' } },
      'Reconciling: y',
    ],
    [
      'a Secret is missing, because it may be on its way',
      { Reachable: { status: 'False', reason: 'SecretNotFound', message: 'x' } },
      'Reconciling: x',
    ],
    [
      'the policy is invalid',
      { GuardrailReady: { status: 'False', reason: 'PolicyInvalid', message: 'y' } },
      'Stalled: y',
    ],
    [
      'a rollout does not progress',
      { ProxyConfigured: { status: 'False', reason: 'RolloutFailed', message: 'z' } },
      'Stalled: z',
    ],
    [
      'the policy is invalid and the gateway is unreachable',
      {
        Reachable: { status: 'False', reason: 'GatewayUnreachable', message: 'x' },
        GuardrailReady: { status: 'False', reason: 'PolicyInvalid', message: 'y' },
      },
      'Stalled: y',
    ],
    [
      'a budget cannot be verified',
      { DefaultBudgetEnforced: { status: 'Unknown', reason: 'NotReachable', message: 'z' } },
      'Reconciling: z',
    ],
  ] as const) {
    it(`is ${expected ?? 'neither Reconciling nor Stalled'} if ${what}`, () => {
      const found = (nextStatus(instanceOf(), { ...good, ...change }, observed, now).conditions ?? []).filter(
        ({ type }) => type === 'Reconciling' || type === 'Stalled',
      );
      expect(
        found.map(({ type, status, message }) => `${type}: ${message}${status === 'True' ? '' : '!'}`),
      ).to.deep.equal(expected === undefined ? [] : [expected]);
    });
  }

  it('keeps what another controller writes, and remembers for which generation a sidecar was contested', () => {
    const written = { customerList: { version: 'v1' }, policy: { revision: 'r1' } };
    const known = instanceOf();
    const instance = { ...known, status: written } as unknown as GatewayInstance;
    const contested = { status: 'False', reason: 'SidecarContested', message: '' } as const;
    const status = nextStatus(instance, { ...good, GuardrailReady: contested }, observed, now);
    expect(status).to.deep.include({ ...written, sidecarContestedGeneration: known.metadata.generation });
    expect(nextStatus(instance, good, observed, now)).to.not.have.property('sidecarContestedGeneration');
  });

  it('keeps what a frozen guardrail does', () => {
    const guardrail = {
      enforcement: 'Monitor',
      policyRevision: 'r1',
      lastHandledApiKeyRotation: '1',
      lastHandledEncryptionKeyRotation: '2',
    } as const;
    const active = { mode: 'Deployment', integration: 'Callback', url: 'http://guardrail' } as const;
    const instance = { ...instanceOf({ guardrail: {} }), status: { guardrail } } as unknown as GatewayInstance;
    expect(guardrailStatus(instance, { active, plan: undefined }, undefined)).to.include(guardrail);
  });

  it('keeps all other conditions if only Ready is written', () => {
    const instance = withStatus(good, now);
    const status = statusWithReady(
      instance,
      { status: 'False', reason: 'Paused', message: '' },
      observed.customers,
      later,
    );
    expect(status.conditions?.map(({ type, status: holds }) => `${type}=${holds}`)).to.have.members([
      'Ready=False',
      'Reachable=True',
      'ProxyConfigured=True',
      'DefaultBudgetEnforced=False',
      'GuardrailReady=True',
    ]);
  });

  for (const [reason, expected] of [
    ['Paused', ['Ready=False']],
    ['InternalError', ['Ready=False', 'Reconciling=True']],
    ['CustomersRemain', ['Ready=False', 'Reconciling=True']],
  ] as const) {
    it(`no longer describes the last reconcile in Stalled after ${reason}`, () => {
      const invalid = { status: 'False', reason: 'PolicyInvalid', message: 'y' } as const;
      const instance = withStatus({ ...good, GuardrailReady: invalid }, now);
      const changed = { ...instance, metadata: { ...instance.metadata, generation: 4 } };
      const ready = { status: 'False', reason, message: 'x' } as const;
      const status = statusWithReady(changed, ready, observed.customers, later);
      const standard = (status.conditions ?? []).filter(({ type }) =>
        ['Ready', 'Reconciling', 'Stalled'].includes(type),
      );
      expect(standard.map(({ type, status: holds }) => `${type}=${holds}`)).to.deep.equal(expected);
      expect(standard.map(({ observedGeneration }) => observedGeneration)).to.deep.equal(standard.map(() => 4));
      expect(status.observedGeneration).to.equal(4);
    });
  }

  for (const [integration, gateway, expected] of [
    ['Callback', 'http://gateway', 'http://gateway'],
    ['Callback', undefined, undefined],
    ['Inline', 'http://gateway', 'http://main-guarded.ai.svc:8081'],
    ['CallbackAndInline', 'http://gateway', 'http://main-guarded.ai.svc:8081'],
  ] as const) {
    it(`names ${expected ?? 'no address'} for applications with ${integration} and the gateway at ${gateway ?? 'no address'}`, () => {
      const active = { mode: 'Sidecar', integration, url: 'http://127.0.0.1:8080' } as const;
      const status = guardrailStatus(instanceOf(), { active, plan: undefined }, gateway);
      expect(status).to.include({ mode: 'Sidecar', integration, endpoint: active.url });
      expect(status?.clientEndpoint).to.equal(expected);
    });
  }

  for (const [what, mode, integration, expected] of [
    ['Inline', 'Deployment', 'Inline', 'https://main-guardrail.ai.svc:8082'],
    ['Callback, until applications call it', 'Deployment', 'Callback', undefined],
    ['a sidecar', 'Sidecar', 'Inline', undefined],
  ] as const) {
    it(`names ${expected ?? 'no address'} for agents with ${what}`, () => {
      const active = { mode, integration, url: 'https://main-guardrail.ai.svc:8080' } as const;
      const keys = { api: { keys: { annotations: {} } }, guardrail: { keys: { annotations: {} } } };
      const plan = {
        wanted: active,
        spec: { mcp: { upstream: 'http://crm' } },
        inputs: {},
        keys,
      } as GuardrailResult['plan'];
      const status = guardrailStatus(instanceOf(), { active, plan }, undefined);
      expect(status?.mcpEndpoint).to.equal(expected);
      const frozen = { ...instanceOf(), status: { guardrail: status } } as GatewayInstance;
      expect(guardrailStatus(frozen, { active, plan: undefined }, undefined)?.mcpEndpoint).to.equal(expected);
    });
  }

  it('names the address for agents when all pods have the port, and keeps it during later rollouts', () => {
    const wanted = { mode: 'Deployment', integration: 'Inline', url: 'http://main-guardrail.ai.svc:8080' } as const;
    const keys = { api: { keys: { annotations: {} } }, guardrail: { keys: { annotations: {} } } };
    const plan = { wanted, spec: { mcp: { upstream: 'http://crm' } }, inputs: {}, keys } as GuardrailResult['plan'];
    const endpointOf = (known: string | undefined, active: typeof wanted): string | undefined => {
      const guardrail = {
        ...guardrailStatus(instanceOf(), { active, plan: undefined }, undefined),
        mcpEndpoint: known,
      };
      const instance = { ...instanceOf(), status: { guardrail } } as GatewayInstance;
      return guardrailStatus(instance, { active, plan }, undefined)?.mcpEndpoint;
    };
    const before = { ...wanted };
    const url = 'http://main-guardrail.ai.svc:8082';
    expect(endpointOf(undefined, before)).to.equal(undefined);
    expect(endpointOf(undefined, wanted)).to.equal(url);
    expect(endpointOf(url, before)).to.equal(url);
  });

  it('counts customers by their status', () => {
    const customers = [{ status: { synced: true } }, { status: { synced: false } }, {}, { status: {} }].map((one) => ({
      ...one,
      metadata: { namespace: 'ai' },
      spec: { customerId: 'c' },
    }));
    expect(countCustomers(instanceOf(), customers as GatewayCustomer[])).to.deep.equal({
      total: 4,
      synced: 1,
      failed: 1,
    });
  });

  for (const [what, metadata, status, counted] of [
    ['of a namespace that is allowed', { namespace: 'shop' }, {}, 1],
    ['of a namespace that is not allowed', { namespace: 'guest' }, { synced: false }, 0],
    [
      'of such a namespace with a mark, which its author can copy',
      { namespace: 'guest', annotations: { [annotations.ownerMark]: '{}' } },
      {},
      0,
    ],
    ['of such a namespace with a record from a time when it was allowed', { namespace: 'guest' }, { specHash: 'x' }, 1],
    ['of such a namespace with a record that may exist', { namespace: 'guest' }, { appliedFields: [] }, 1],
  ] as const) {
    it(`counts ${counted === 1 ? 'a' : 'no'} customer ${what}`, () => {
      const customer = { metadata, status, spec: { customerId: 'c' } } as unknown as GatewayCustomer;
      expect(countCustomers(instanceOf({ allowedNamespaces: ['shop'] }), [customer]).total).to.equal(counted);
    });
  }

  describe('has an event', () => {
    const down: ConditionStates = {
      ...good,
      Reachable: { status: 'False', reason: 'GatewayUnreachable', message: 'x' },
    };
    for (const [what, before, after, expected] of [
      ['never without a transition', good, good, []],
      ['when it is no longer ready', good, down, ['NotReady']],
      ['when it is ready again', down, good, ['Ready']],
      [
        'not for another reason of the same status',
        down,
        { ...good, Reachable: { status: 'False', reason: 'GatewayError', message: 'z' } },
        [],
      ],
      [
        'when the sidecar is contested, once',
        { ...good, GuardrailReady: { status: 'False', reason: 'RollingOut', message: '' } },
        { ...good, GuardrailReady: { status: 'False', reason: 'SidecarContested', message: '' } },
        ['SidecarContested'],
      ],
      [
        'when the guardrail is removed',
        good,
        { ...good, GuardrailReady: { status: 'False', reason: 'NotRequested', message: '' } },
        ['GuardrailRemoved'],
      ],
      [
        'when the gateway runs with its configuration, once',
        { ...good, ProxyConfigured: { status: 'False', reason: 'RollingOut', message: '' } },
        good,
        ['Ready', 'ProxyConfigured'],
      ],
    ] as const) {
      it(what, () => {
        const instance = withStatus(before, now);
        const status = nextStatus(instance, after, observed, later);
        expect(transitions(instance, status).map(({ reason }) => reason)).to.deep.equal(expected);
      });
    }

    it('when it is paused, when it goes on, and when its deletion begins to wait', () => {
      const reasonsAfter = (instance: GatewayInstance, reason: 'Paused' | 'CustomersRemain'): string[] => {
        const ready = { status: 'False', reason, message: 'x' } as const;
        const status = statusWithReady(instance, ready, observed.customers, later);
        return transitions(instance, status).map((event) => event.reason);
      };
      const ready = withStatus(good, now);
      const pausedStatus = statusWithReady(
        ready,
        { status: 'False', reason: 'Paused', message: 'x' },
        observed.customers,
        now,
      );
      const paused = { ...ready, status: pausedStatus };
      expect(reasonsAfter(ready, 'Paused')).to.deep.equal(['Paused']);
      expect(reasonsAfter(paused, 'Paused')).to.deep.equal([]);
      expect(reasonsAfter(paused, 'CustomersRemain')).to.deep.equal(['CustomersRemain', 'Resumed']);
      const resumed = transitions(paused, nextStatus(paused, good, observed, later)).map((event) => event.reason);
      expect(resumed).to.deep.equal(['Ready', 'Resumed']);
    });

    for (const [finished, expected] of [
      [{ api: false, encryption: false }, []],
      [{ api: true, encryption: false }, ['ApiKeyRotated']],
      [{ api: false, encryption: true }, ['EncryptionKeyRotated']],
    ] as const) {
      it(`for each completed rotation of a key: ${expected.join() || 'none'}`, () => {
        const keys = { finished } as unknown as GuardrailPlan['keys'];
        expect(rotationEvents(keys).map(({ reason }) => reason)).to.deep.equal(expected);
        expect(rotationEvents(undefined)).to.deep.equal([]);
      });
    }
  });
});
