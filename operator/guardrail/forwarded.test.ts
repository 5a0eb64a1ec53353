import { once } from 'node:events';
import { createServer as createPlain, type Server } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect } from 'chai';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { TestAuthority } from '../gateway/testing/certificates.ts';
import { instanceOf } from '../instance/testing/instances.ts';
import { ApiError, type KubeClient, type ResourceKind } from '../runtime/runtime.ts';
import { callGuardrail } from './callGuardrail.ts';
import { forwardedEndpoint } from './erasure.ts';

const SERVICE = 'main-guardrail.ai.svc';
const authority = new TestAuthority();

/** What a user may read: neither the Secret with the keys of the authorities nor anything else. */
function clientOf(ca: string, port: number): Pick<KubeClient, 'get' | 'list' | 'portForward'> {
  const readable: Readonly<Record<string, object>> = {
    'Secret main-guardrail-api-key': { data: { 'api-key': Buffer.from('key-of-the-gateway').toString('base64') } },
    'ConfigMap main-guardrail-ca': { data: { 'ca.crt': ca } },
  };
  const pod = {
    metadata: { namespace: 'ai', name: 'guardrail-1' },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
  return {
    get: ({ kind }: ResourceKind, { name }: { readonly name: string }) => {
      const found = readable[`${kind} ${name}`];
      return found === undefined
        ? Promise.reject(new ApiError(`cannot get ${kind} ${name}`, { status: 403 }))
        : Promise.resolve(found);
    },
    list: () => Promise.resolve([pod]),
    portForward: (): Promise<Duplex> => Promise.resolve(connect(port, '127.0.0.1')),
  } as unknown as Pick<KubeClient, 'get' | 'list' | 'portForward'>;
}

function runningAt(scheme: 'http' | 'https'): GatewayInstance {
  const status = { guardrail: { mode: 'Deployment', endpoint: `${scheme}://${SERVICE}:8080` } };
  return { ...instanceOf({ guardrail: { tls: {} } }), status } as GatewayInstance;
}

describe('a guardrail that a user calls through a forwarded port', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function listen(hosts: readonly string[] | undefined): Promise<number> {
    const answer = (_: unknown, response: { end(text: string): unknown }): unknown => response.end('welcome');
    const server = hosts === undefined ? createPlain(answer) : createServer(authority.server({ hosts }), answer);
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** @returns the body, or the code of the error */
  async function call(instance: GatewayInstance, ca: string, port: number): Promise<string | undefined> {
    const endpoint = await forwardedEndpoint(clientOf(ca, port), instance);
    if (endpoint === undefined) return undefined;
    const get = { method: 'GET', path: '/', signal: AbortSignal.timeout(5000) } as const;
    return await callGuardrail(endpoint, get).then(
      ({ body }) => body,
      (error: unknown) => (error as NodeJS.ErrnoException).code,
    );
  }

  const CASES: [what: string, scheme: 'http' | 'https', hosts: string[] | undefined, ca: string, outcome: string][] = [
    ['answers by plain HTTP', 'http', undefined, authority.ca, 'welcome'],
    ['answers by TLS', 'https', [SERVICE], authority.ca, 'welcome'],
    [
      'is refused with a certificate for another name',
      'https',
      ['other'],
      authority.ca,
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ],
    [
      'is refused with a certificate of another authority',
      'https',
      [SERVICE],
      new TestAuthority().ca,
      'CERT_SIGNATURE_FAILURE',
    ],
  ];
  for (const [what, scheme, hosts, ca, outcome] of CASES) {
    it(what, async () => {
      expect(await call(runningAt(scheme), ca, await listen(hosts))).to.equal(outcome);
    });
  }
});
