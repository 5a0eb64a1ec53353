/** Hostile configurations on a real LiteLLM, unchanged and as the operator renders them. Needs LITELLM_LAB. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { GatewayClient } from './client.ts';
import type { Interceptor } from './interceptor.ts';
import { startInterceptor } from './interceptor.ts';
import type { LiteLlmProcess } from '../harness/litellm/litellm.ts';
import { litellmLab, startLiteLlm } from '../harness/litellm/litellm.ts';
import type { ModelServer } from '../harness/upstream/modelServer.ts';
import { startModelServer } from '../harness/upstream/modelServer.ts';
import { startService } from './service.ts';
import { renderProxyConfig } from '../../operator/configuration/proxyConfig.ts';
import {
  bypasses,
  GOOD_PARAMS,
  hostileBases,
  hostileParams,
} from '../../operator/configuration/testing/hostileBases.ts';

const MASTER_KEY = 'sk-hostile';
const MAIL = 'maria.lindholm@example.org';
const messages = [
  { role: 'system', content: `You answer ${MAIL}.` },
  { role: 'user', content: `Write to ${MAIL}, please.` },
];
const faults = {
  'with a closed port': { kind: 'down' },
  'with status 503': { kind: 'status', status: 503 },
} as const;

describe('configurations that bypass the guardrail, on a real LiteLLM', function () {
  this.timeout(60_000);
  let guardrail: Interceptor;
  let model: ModelServer;
  /** The bases that keep their meaning for LiteLLM when rendered, and one rendered text. */
  const rendered: { readonly bases: string[]; readonly text: string; readonly meaning: object }[] = [];
  let litellms: LiteLlmProcess[] = [];
  /** The unchanged configuration with all hostile parameters. */
  let unrendered: LiteLlmProcess;
  const started: { stop(): Promise<void> }[] = [];
  const keep = <Part extends { stop(): Promise<void> }>(part: Part): Part => {
    started.unshift(part);
    return part;
  };

  before(async function () {
    this.timeout(300_000);
    const service = keep(await startService());
    guardrail = keep(await startInterceptor(service.url));
    model = keep(await startModelServer());
    const ours = { callback: 'Generic', url: guardrail.url, timeoutSeconds: 5 } as const;
    const texts = hostileBases.map(({ base }) => {
      const whole = `${setup(model.url)}${around}${base}`;
      return renderProxyConfig(whole, { proxyName: 'litellm', budget: undefined, guardrail: ours }).text;
    });
    for (const [index, meaning] of meaningsOf(texts).entries()) {
      const what = hostileBases[index]?.what ?? '';
      const same = rendered.find((other) => isDeepStrictEqual(other.meaning, meaning));
      if (same === undefined) rendered.push({ bases: [what], text: texts[index] ?? '', meaning });
      else same.bases.push(what);
    }
    const start = async (text: string): Promise<LiteLlmProcess> =>
      keep(await startLiteLlm(text, { GUARDRAIL_API_KEY: service.keys[0] }, { database: false }));
    [unrendered, litellms] = await Promise.all([
      start(unrenderedConfig(model.url, guardrail.url)),
      Promise.all(rendered.map(({ text }) => start(text))),
    ]);
  });
  after(async () => {
    for (const part of started) await part.stop();
  });
  beforeEach(() => {
    model.reset();
  });
  afterEach(() => guardrail.fail(undefined));

  const client = (litellm: LiteLlmProcess): GatewayClient =>
    new GatewayClient(litellm.url, () => ({ authorization: `Bearer ${MASTER_KEY}` }));

  it('keeps the same meaning for LiteLLM for every base', () => {
    expect(rendered.map(({ bases }) => bases.length)).to.deep.equal([hostileBases.length]);
  });

  for (const [how, fault] of Object.entries(faults)) {
    it(`fails when the guardrail is down ${how}, and sends nothing to the model`, async () => {
      await guardrail.fail(fault);
      for (const litellm of litellms) {
        const whole = await client(litellm).post('/v1/chat/completions', { model: 'echo', messages });
        expect(whole.status).to.equal(500);
        expect(JSON.stringify(whole.body)).to.include('Generic Guardrail API failed');
        const streamed = await client(litellm).stream('/v1/chat/completions', { model: 'echo', messages });
        expect(streamed.status).to.equal(500);
      }
      expect(model.saw()).to.deep.equal([]);
    });
  }

  it('pseudonymizes when the guardrail runs', async () => {
    for (const litellm of litellms) {
      const whole = await client(litellm).post('/v1/chat/completions', { model: 'echo', messages });
      expect(JSON.stringify(whole.body)).to.include(MAIL);
      const { status, moments } = await client(litellm).stream('/v1/chat/completions', { model: 'echo', messages });
      expect(status).to.equal(200);
      expect(moments[0]?.at(-1)).to.include(MAIL);
    }
    expect(model.saw()).to.have.length(2 * litellms.length);
    for (const body of model.saw()) {
      expect(body).to.not.include(MAIL);
      expect(body.match(/<EMAIL_ADDRESS_/g)).to.have.length(2);
    }
  });

  for (const [index, { params, proof }] of hostileParams.entries()) {
    if (proof === undefined) continue;
    it(`unchanged: with ${JSON.stringify(params)}, calls ${proof.outcome}`, async () => {
      if (proof.guardrail === 'down') await guardrail.fail({ kind: 'status', status: 503 });
      const call = { model: 'echo', messages, guardrails: [`hostile-${index}`] };
      const text = await answer(proof.streamed, call);
      if (proof.outcome === 'raw') expect(model.saw().join()).to.include(MAIL);
      else expect(text).to.include('<EMAIL_ADDRESS_').and.not.include(MAIL);
    });
  }

  it('unchanged: a pipeline step sends calls without pseudonyms', async () => {
    await guardrail.fail({ kind: 'status', status: 503 });
    await answer(false, { model: 'piped', messages });
    expect(model.saw().join()).to.include(MAIL);
  });

  it('unchanged: a setting of the gateway hides system messages', async () => {
    await answer(false, { model: 'echo', messages, guardrails: ['good'] });
    const [body = ''] = model.saw();
    expect(body).to.include(`You answer ${MAIL}`).and.include('Write to <EMAIL_ADDRESS_');
  });

  async function answer(streamed: boolean, body: Record<string, unknown>): Promise<string> {
    const call = body as Parameters<GatewayClient['post']>[1];
    const gateway = client(unrendered);
    if (!streamed) return JSON.stringify((await gateway.post('/v1/chat/completions', call)).body);
    return (await gateway.stream('/v1/chat/completions', call)).moments[0]?.at(-1) ?? '';
  }
});

/** The part of each base outside the operator's entry: every known bypass. */
const around = bypasses.map(({ base }) => base).join('');

/** The other settings that LiteLLM needs. */
function setup(modelUrl: string): string {
  const model = { model: 'openai/echo', api_base: `${modelUrl}/v1`, api_key: 'sk-none', max_retries: 0 };
  return stringify(
    {
      model_list: ['echo', 'piped'].map((name) => ({ model_name: name, litellm_params: model })),
      general_settings: { master_key: MASTER_KEY },
      router_settings: { num_retries: 0, disable_cooldowns: true },
    },
    { aliasDuplicateObjects: false },
  );
}

/** Reads configurations with LiteLLM's own parser. LiteLLM ignores keys that start with x-. */
function meaningsOf(texts: readonly string[]): object[] {
  const python = join(litellmLab(), 'venv', 'bin', 'python');
  const code = 'import json, sys, yaml; json.dump([yaml.safe_load(text) for text in json.load(sys.stdin)], sys.stdout)';
  const read = JSON.parse(
    execFileSync(python, ['-c', code], { input: JSON.stringify(texts), encoding: 'utf8' }),
  ) as object[];
  return read.map((each) => Object.fromEntries(Object.entries(each).filter(([key]) => !key.startsWith('x-'))));
}

/** All hostile parameters in one configuration, each in an entry that a call requests by name. */
function unrenderedConfig(modelUrl: string, guardrailUrl: string): string {
  const entry = (name: string, params: object): object => ({
    guardrail_name: name,
    litellm_params: { ...GOOD_PARAMS, api_base: guardrailUrl, ...params, default_on: false },
  });
  const step = { guardrail: 'good', on_error: 'allow', on_fail: 'allow' };
  return (
    setup(modelUrl) +
    stringify({
      litellm_settings: { skip_system_message_in_guardrail: true },
      policies: { around: { guardrails: { add: ['good'] }, pipeline: { mode: 'pre_call', steps: [step] } } },
      policy_attachments: [{ policy: 'around', models: ['piped'] }],
      guardrails: [
        entry('good', {}),
        ...hostileParams
          .map(({ params }, index) => entry(`hostile-${index}`, params))
          .filter((_, index) => hostileParams[index]?.proof !== undefined),
      ],
    })
  );
}
