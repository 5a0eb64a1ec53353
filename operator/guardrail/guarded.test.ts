import { expect } from 'chai';
import { instanceOf } from '../instance/testing/instances.ts';
import type { ExclusiveInputs } from './guarded.ts';
import { exclusivePolicy, guardedService, guardedUrl, portsExcept } from './guarded.ts';

describe('the Service for applications', () => {
  for (const [what, target, selector, targetPort] of [
    ['sidecars', 8082, { 'gateway.guardrail.dev/guarded-by': 'main' }, 8082],
    [
      'a Deployment',
      'Deployment',
      { 'app.kubernetes.io/name': 'guardrail', 'app.kubernetes.io/instance': 'main' },
      'inline',
    ],
  ] as const) {
    it(`leads to the pods of ${what}, always at the same address`, () => {
      const { object } = guardedService(instanceOf(), target);
      expect(object.metadata.name).to.equal('main-guarded');
      expect(object).to.have.deep.nested.property('spec.selector', selector);
      expect(object).to.have.deep.nested.property('spec.ports', [
        { name: 'http', port: 8081, targetPort, protocol: 'TCP' },
      ]);
    });
  }

  it('has the address in the status', () => {
    expect(guardedUrl(instanceOf(), 'http://main-guardrail.ai.svc:8080')).to.equal('http://main-guarded.ai.svc:8081');
    expect(guardedUrl(instanceOf(), 'https://main-guardrail.ai.svc:8080')).to.equal('https://main-guarded.ai.svc:8081');
  });
});

describe('the NetworkPolicy that closes the gateway', () => {
  const inputs: ExclusiveInputs = {
    pods: { matchExpressions: [{ key: 'app', operator: 'In', values: ['litellm'] }] },
    gatewayPort: 4000,
    hasForwarder: false,
    operatorNamespace: undefined,
  };
  interface Rule {
    readonly from?: readonly object[];
    readonly ports: readonly { port?: number; endPort?: number; protocol: string }[];
  }
  const rulesOf = (more: Partial<ExclusiveInputs>): readonly Rule[] =>
    (exclusivePolicy(instanceOf(), { ...inputs, ...more }).object as unknown as { spec: { ingress: Rule[] } }).spec
      .ingress;

  it("selects the gateway's pods as their Deployment does", () => {
    expect(exclusivePolicy(instanceOf(), inputs).object).to.have.deep.nested.property('spec.podSelector', inputs.pods);
  });

  for (const [what, more, peers] of [
    ['nothing, if the operator runs elsewhere', {}, 0],
    ['the operator', { operatorNamespace: 'system' }, 1],
    ['the operator and a guardrail of its own Deployment', { operatorNamespace: 'system', hasForwarder: true }, 2],
  ] as const) {
    it(`opens the port of the gateway to ${what}`, () => {
      const rules = rulesOf(more);
      const open = rules.filter(({ ports }) => ports.some(({ port, endPort = port }) => admits(port, endPort, 4000)));
      expect(open.flatMap(({ from = ['everything'] }) => from)).to.have.length(peers);
      // An empty list of peers would admit everything.
      for (const { from } of rules) expect(from).to.not.deep.equal([]);
    });
  }

  it('leaves all other ports open', () => {
    const [rule] = rulesOf({});
    const open = (port: number): boolean =>
      (rule?.ports ?? []).some(({ port: first, endPort = first }) => admits(first, endPort, port));
    expect([1, 3999, 4000, 4001, 65_535].filter(open)).to.deep.equal([1, 3999, 4001, 65_535]);
    expect(rule?.ports).to.deep.include.members([{ protocol: 'UDP' }, { protocol: 'SCTP' }]);
  });

  function admits(first: number | undefined, last: number | undefined, port: number): boolean {
    return first !== undefined && last !== undefined && first <= port && port <= last;
  }

  for (const [closed, expected] of [
    [80, ['1-79', '81-65535']],
    [2, ['1-1', '3-65535']],
    [1, ['2-65535']],
    [65_535, ['1-65534']],
  ] as const) {
    it(`has as open ports all but ${closed}`, () => {
      const ranges = portsExcept(closed) as { port: number; endPort?: number }[];
      expect(ranges.map(({ port, endPort = port }) => `${port}-${endPort}`)).to.deep.equal(expected);
    });
  }
});
