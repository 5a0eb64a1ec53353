import { expect } from 'chai';
import { EXPLAINED_POLICY, explainedTexts, type ExplainedText } from '../detection/testing/explainedTexts.ts';
import { KEY, startHarness, type Harness } from '../testing/appHarness.ts';

interface Place {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
  readonly by?: string;
  readonly action?: string;
}
interface Explained {
  readonly entities: readonly Place[];
  readonly dropped: readonly Place[];
}
interface Result {
  readonly start: number;
  readonly end: number;
  readonly analysis_explanation: { readonly pattern_name: string; readonly supportive_context_word: string } | null;
}

describe('explanations of the service', function () {
  this.timeout(60_000);
  let harness: Harness;
  before(async () => {
    harness = await startHarness({
      env: {
        ...{ GUARDRAIL_PLAYGROUND: 'true', GUARDRAIL_PRESIDIO_API: 'true', GUARDRAIL_ADMIN_KEYS: 'litellm' },
        GUARDRAIL_POLICY: EXPLAINED_POLICY,
      },
    });
  });
  after(async () => {
    await harness.stop();
  });

  const post = async <Answer>(path: string, body: object): Promise<Answer> => {
    const { status, body: answer } = await harness.call('POST', path, body);
    expect(status).to.equal(200);
    return answer as Answer;
  };
  const isValue =
    ({ text, value }: ExplainedText) =>
    ({ start, end }: { readonly start: number; readonly end: number }): boolean =>
      text.slice(start, end) === value;

  for (const path of ['/explain', '/playground/detect']) {
    it(`are in the answer of ${path}`, async () => {
      for (const explained of explainedTexts) {
        const { text, rule, dropped } = explained;
        const { entities, dropped: candidates } = await post<Explained>(path, { text });
        const found = entities.find((place) => isValue(explained)(place) && place.action !== 'leave');
        expect(found?.rule, text).to.equal(rule);
        if (!dropped) continue;
        const all = candidates.filter(isValue(explained)).map((place) => [place.rule, place.by]);
        expect(all, text).to.deep.include([...dropped]);
      }
    });
  }

  it('are in the answer of Presidio’s API if the caller asks for the decision process', async () => {
    for (const explained of explainedTexts) {
      const { text, rule, word } = explained;
      const body = { text, language: 'en' };
      const results = await post<readonly Result[]>('/analyze', { ...body, return_decision_process: true });
      const explanation = results.find(isValue(explained))?.analysis_explanation;
      expect(explanation?.pattern_name, text).to.equal(rule);
      if (word !== undefined) expect(explanation?.supportive_context_word, text).to.not.equal('');
      expect(explanation === undefined || Object.keys(explanation ?? {}).length === 10, text).to.equal(true);
    }
    const [plain] = await post<readonly Result[]>('/analyze', { text: 'VIN 1HGCM82633A004352', language: 'en' });
    expect(plain?.analysis_explanation).to.equal(null);
  });

  it('leave no text in the log and in metrics, where rules of policies share a label', async () => {
    const before = await finds();
    await harness.call('POST', '/beta/gateway_basic_guardrail_api', {
      input_type: 'request',
      texts: ['Ticket T-4711 is open, aurora, Telephone: 5551234567'],
      request_data: { user_api_key_end_user_id: 'u' },
      gateway_call_id: 'explained',
    });
    const after = await finds();
    for (const rule of ['custom', 'deny-list', 'phone.label'])
      expect((after.get(rule) ?? 0) - (before.get(rule) ?? 0), rule).to.equal(1);
    const metrics = await harness.metrics();
    for (const { text, value } of explainedTexts) {
      expect(metrics).to.not.include(text);
      if (value.length > 8) expect(metrics).to.not.include(value);
    }
    expect(metrics).to.not.match(/custom:|deny-list:/);
  });

  /** The finds by rule. */
  async function finds(): Promise<ReadonlyMap<string, number>> {
    const metrics = await harness.metrics();
    const lines = metrics.matchAll(/^guardrail_rule_finds_total\{rule="([^"]+)"\} (\d+)$/gm);
    return new Map(Array.from(lines, ([, rule = '', count]) => [rule, Number(count)]));
  }

  it('try the draft of a policy and a team, and refuse a draft that is invalid', async () => {
    const text = 'The weather in Lisbon is fine, kim@example.org.';
    const draft = 'teams: { sales: { entities: { LOCATION: { action: pseudonymize } }, allow: [kim@example.org] } }';
    const rules = async (more: object): Promise<readonly string[]> =>
      (await post<Explained>('/playground/detect', { text, ...more })).entities.map(
        ({ rule, action }) => `${rule} ${action ?? ''}`,
      );
    expect(await rules({})).to.deep.equal(['model.location leave', 'email pseudonymize']);
    expect(await rules({ policy: draft, team: 'sales' })).to.deep.equal(['model.location pseudonymize', 'email leave']);
    const sent = { text, policy: draft, team: 'sales', call_id: 'draft' };
    expect((await post<{ text: string }>('/playground/pseudonymize', sent)).text).to.match(
      /^The weather in <LOCATION_\w+> is fine, kim@example\.org\.$/,
    );
    const { status, body } = await harness.call('POST', '/playground/detect', { text, policy: 'entities: 7' });
    expect(status).to.equal(400);
    expect(JSON.stringify(body)).to.include('policy: ').and.not.include(KEY);
  });
});
