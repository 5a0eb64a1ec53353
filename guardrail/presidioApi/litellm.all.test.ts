/** LiteLLM's own guardrail `presidio`, on a real LiteLLM, with the guardrail in place of Presidio. Needs LITELLM_LAB. */
import { expect } from 'chai';
import { startLiteLlm, type LiteLlmProcess } from '../../hack/harness/litellm/litellm.ts';
import { startModelServer, type ModelServer } from '../../hack/harness/upstream/modelServer.ts';
import { KEY, PLANTED, startHarness, type Harness } from '../testing/appHarness.ts';

const MASTER_KEY = 'sk-master';

interface Guardrail {
  readonly guardrail_name: string;
  readonly litellm_params: object;
}

describe("LiteLLM's guardrail presidio", function () {
  this.timeout(60_000);
  let harness: Harness;
  let model: ModelServer;
  let litellm: LiteLlmProcess;

  /** A guardrail of LiteLLM. Its HTTP client sends the credentials of the URL as basic authentication. */
  const guardrail = (name: string, key: string, params: object): Guardrail => {
    const base = `http://litellm:${encodeURIComponent(key)}@127.0.0.1:${harness.app.port}`;
    const addresses = { presidio_analyzer_api_base: base, presidio_anonymizer_api_base: base };
    return {
      guardrail_name: name,
      litellm_params: { guardrail: 'presidio', mode: 'pre_call', default_on: false, ...addresses, ...params },
    };
  };

  before(async function () {
    this.timeout(300_000);
    harness = await startHarness({ env: { GUARDRAIL_PRESIDIO_API: 'true' } });
    model = await startModelServer();
    const config = {
      model_list: [
        {
          model_name: 'echo',
          litellm_params: { model: 'openai/echo', api_base: `${model.url}/v1`, api_key: 'sk-none' },
        },
      ],
      guardrails: [
        guardrail('masks', KEY, {}),
        // Otherwise LiteLLM masks the answer again after it has restored it.
        guardrail('restores', KEY, { output_parse_pii: true, presidio_filter_scope: 'input' }),
        guardrail('blocks', KEY, { pii_entities_config: { IBAN_CODE: 'BLOCK', EMAIL_ADDRESS: 'MASK' } }),
        guardrail('wrong-key', 'wrong', { pii_entities_config: { EMAIL_ADDRESS: 'MASK' } }),
      ],
      general_settings: { master_key: MASTER_KEY },
      litellm_settings: { num_retries: 0 },
      router_settings: { num_retries: 0, disable_cooldowns: true },
    };
    // JSON is YAML.
    litellm = await startLiteLlm(JSON.stringify(config), {}, { database: false });
  });
  after(async () => {
    await litellm.stop();
    await model.stop();
    await harness.stop();
  });
  beforeEach(() => {
    model.reset();
  });

  /** Sends a message to the echo model. @returns the answer, and what the model saw */
  const chat = async (name: string, content: string): Promise<{ status: number; answer: string; saw: string }> => {
    const response = await fetch(`${litellm.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'echo', messages: [{ role: 'user', content }], guardrails: [name] }),
    });
    return { status: response.status, answer: await response.text(), saw: model.saw().join('\n') };
  };
  const text = `Mail ${PLANTED.email} 😀 or call ${PLANTED.phone}.`;

  it('masks what the model sees', async () => {
    const { status, answer, saw } = await chat('masks', text);
    expect(status, answer).to.equal(200);
    expect(saw).to.include('Mail <EMAIL_ADDRESS> 😀 or call <PHONE_NUMBER>.');
    expect(saw).to.not.include(PLANTED.email);
  });

  it('masks what the model sees, and restores the answer', async () => {
    const { status, answer, saw } = await chat('restores', text);
    expect(status, answer).to.equal(200);
    expect(saw).to.include('Mail <EMAIL_ADDRESS_1> 😀 or call <PHONE_NUMBER_2>.');
    expect(answer).to.include(PLANTED.email).and.include(PLANTED.phone);
  });

  it('refuses what its configuration blocks, and masks the rest', async () => {
    const blocked = await chat('blocks', `Pay to ${PLANTED.iban}.`);
    expect(blocked.status).to.equal(400);
    expect(blocked.saw).to.equal('');
    const masked = await chat('blocks', text);
    expect(masked.saw).to.include(`Mail <EMAIL_ADDRESS> 😀 or call ${PLANTED.phone}.`);
  });

  it('sends nothing to the model with a wrong key, if it has a list of entities', async () => {
    const { status, saw } = await chat('wrong-key', text);
    expect(status).to.be.at.least(400);
    expect(saw).to.equal('');
  });
});
