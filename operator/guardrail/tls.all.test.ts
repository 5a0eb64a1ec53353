/**
 * The real LiteLLM calls a guardrail by TLS, with what the operator publishes for it and the environment variables that the
 * condition ProxyConfigured names. Needs LITELLM_LAB.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { expect } from 'chai';
import { type LiteLlmProcess, startLiteLlm } from '../../hack/harness/litellm/litellm.ts';
import { temporaryFolder } from '../../hack/harness/processes.ts';
import { type ModelServer, startModelServer } from '../../hack/harness/upstream/modelServer.ts';
import { KEY, startHarness, type Harness } from '../../guardrail/testing/appHarness.ts';
import { bundleOf, issue, issuingAuthority, nextAuthorities, type Usage } from '../certificates/certificates.ts';

const MASTER_KEY = 'sk-of-the-test';
const EMAIL = 'zoe.miller@example.org';
const MAIN = { name: 'localhost', dnsNames: ['localhost'] };
const SERVER: Usage = { kind: 'server', dnsNames: MAIN.dnsNames };

describe('LiteLLM before a guardrail with TLS', function () {
  this.timeout(400_000);
  const folder = temporaryFolder('guardrail-tls-');
  let model: ModelServer;
  /** With a certificate of the authority; with one of another authority; with one, and asking for one. */
  let guardrails: Record<'trusted' | 'stranger' | 'mutual', Harness>;
  let variables: Record<'ca' | 'client', Record<string, string>>;

  before(async () => {
    const now = new Date();
    const [ours, others] = [await nextAuthorities([], MAIN, now), await nextAuthorities([], MAIN, now)];
    const [server, stranger] = [
      await issue(issuingAuthority(ours, now), MAIN.name, SERVER, now),
      await issue(issuingAuthority(others, now), MAIN.name, SERVER, now),
    ];
    const client = await issue(issuingAuthority(ours, now), MAIN.name, { kind: 'client' }, now);
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    variables = {
      ca: { SSL_CERT_FILE: file('ca-bundle.crt', `${bundleOf(ours)}${rootCertificates.join('\n')}\n`) },
      client: {
        SSL_CERTIFICATE: file('client.pem', client.certificate + client.key),
        DISABLE_AIOHTTP_TRANSPORT: 'True',
      },
    };
    model = await startModelServer();
    const start = (pair: typeof server, clientCa?: string): Promise<Harness> =>
      startHarness({
        env: {
          GUARDRAIL_TLS_CERT: pair.certificate,
          GUARDRAIL_TLS_KEY: pair.key,
          ...(clientCa === undefined ? {} : { GUARDRAIL_TLS_CLIENT_CA: clientCa }),
        },
      });
    guardrails = {
      trusted: await start(server),
      stranger: await start(stranger),
      mutual: await start(server, bundleOf(ours)),
    };
  });
  after(async () => {
    for (const one of Object.values(guardrails)) await one.app.drain();
    await model.stop();
  });

  const configuration = (): string =>
    JSON.stringify({
      model_list: [
        {
          model_name: 'echo',
          litellm_params: { model: 'openai/echo', api_base: `${model.url}/v1`, api_key: 'sk-none', max_retries: 0 },
        },
      ],
      guardrails: Object.entries(guardrails).map(([name, { app }]) => ({
        guardrail_name: name,
        litellm_params: {
          guardrail: 'generic_guardrail_api',
          mode: ['pre_call', 'post_call'],
          default_on: false,
          api_base: `https://localhost:${app.port}`,
          api_key: KEY,
          unreachable_fallback: 'fail_closed',
        },
      })),
      general_settings: { master_key: MASTER_KEY },
      litellm_settings: { num_retries: 0 },
    });

  /** @returns what the model saw; undefined: the call was refused */
  async function call({ url }: LiteLlmProcess, guardrail: keyof typeof guardrails): Promise<string | undefined> {
    model.reset();
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${MASTER_KEY}` },
      body: JSON.stringify({
        model: 'echo',
        messages: [{ role: 'user', content: `Write to ${EMAIL}.` }],
        guardrails: [guardrail],
      }),
    });
    const answer = await response.text();
    const saw = JSON.stringify(model.saw());
    if (response.status !== 200) {
      expect(saw).to.equal('[]');
      return undefined;
    }
    expect(answer).to.include(EMAIL);
    return saw;
  }

  it('calls it with the bundle, and refuses calls if it does not trust the guardrail, or has no certificate', async () => {
    const litellm = await startLiteLlm(configuration(), variables.ca, { database: false });
    try {
      expect(await call(litellm, 'trusted'))
        .to.include('Write to <EMAIL')
        .and.not.include(EMAIL);
      expect(await call(litellm, 'stranger')).to.equal(undefined);
      expect(await call(litellm, 'mutual')).to.equal(undefined);
    } finally {
      await litellm.stop();
    }
  });

  it('presents its certificate to a guardrail that asks for one', async () => {
    const litellm = await startLiteLlm(configuration(), { ...variables.ca, ...variables.client }, { database: false });
    try {
      expect(await call(litellm, 'mutual'))
        .to.include('Write to <EMAIL')
        .and.not.include(EMAIL);
      expect(await call(litellm, 'stranger')).to.equal(undefined);
    } finally {
      await litellm.stop();
    }
  });
});
