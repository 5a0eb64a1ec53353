import { expect } from 'chai';
import { instanceOf } from '../instance/testing/instances.ts';
import type { ProxyDeployment } from './sidecar.ts';
import { nextTls, type ServedTls, templateTls } from './runningTls.ts';
import { guardrailWorkload } from './workload.ts';

const served = (secretName: string, isMutual = false): ServedTls => ({ secretName, isMutual });
const OWN = served('main-guardrail-tls');
const OTHER = served('other');
const mutual = (tls: ServedTls): ServedTls => ({ ...tls, isMutual: true });

describe('TLS of a running guardrail', () => {
  for (const tls of [undefined, OWN, mutual(OTHER)]) {
    it(`is read from its Deployment: ${JSON.stringify(tls ?? 'plain HTTP')}`, () => {
      const objects = guardrailWorkload(
        instanceOf(),
        {},
        {
          ...{ defaultImage: 'image', policy: undefined, keyRevision: '0.0', configHash: 'h' },
          tls: tls && { ...tls, caConfigMap: 'main-guardrail-ca', hasPrivateCa: true },
        },
      );
      const deployment = objects.find(({ kind }) => kind.kind === 'Deployment')?.object;
      expect(templateTls(deployment as unknown as ProxyDeployment)).to.deep.equal(tls);
    });
  }

  const CASES: [
    what: string,
    running: ServedTls | undefined,
    wanted: ServedTls,
    isGatewayReady: boolean,
    next: ServedTls | undefined,
  ][] = [
    ['plain HTTP stays until the gateway is ready', undefined, OWN, false, undefined],
    ['plain HTTP goes when the gateway is ready', undefined, OWN, true, OWN],
    ['what it serves stays while a pod of the gateway is not ready', OWN, OWN, false, OWN],
    ['clients need no certificate until the gateway has one', OWN, mutual(OWN), false, OWN],
    ['clients need a certificate when the gateway has one', OWN, mutual(OWN), true, mutual(OWN)],
    [
      'clients need a certificate while a pod of the gateway is not ready',
      mutual(OWN),
      mutual(OWN),
      false,
      mutual(OWN),
    ],
    ['clients need no certificate anymore at once', mutual(OWN), OWN, false, OWN],
    ['another certificate waits', OWN, OTHER, false, OWN],
    ['another certificate waits, and client certificates too', OWN, mutual(OTHER), false, OWN],
    ['another certificate comes when the gateway is ready', mutual(OWN), OTHER, true, OTHER],
  ];
  for (const [what, running, wanted, isGatewayReady, next] of CASES) {
    it(`changes when every call can follow: ${what}`, () => {
      expect(nextTls(wanted, running, isGatewayReady)).to.deep.equal(next);
    });
  }
});
