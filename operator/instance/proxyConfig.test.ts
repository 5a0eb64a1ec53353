import { expect } from 'chai';
import fc from 'fast-check';
import { parse, stringify } from 'yaml';
import type { OurSettings } from './proxyConfig.ts';
import { GUARDRAIL_NAME, ProxyConfigError, renderProxyConfig, timeoutSecondsOf } from './proxyConfig.ts';

const nothing: OurSettings = { proxyName: 'litellm', budget: undefined, guardrail: undefined };
const guardrail = { url: 'http://main-guardrail.ai.svc:8080', timeoutSeconds: 10 };
const everything: OurSettings = { proxyName: 'litellm', budget: { maxBudget: 5, budgetId: 'own' }, guardrail };

const entry = `  - guardrail_name: gateway-guardrail
    litellm_params:
      guardrail: generic_guardrail_api
      mode: [ pre_call, post_call ]
      default_on: true
      api_base: http://main-guardrail.ai.svc:8080
      api_key: os.environ/GUARDRAIL_API_KEY
      unreachable_fallback: fail_closed
      timeout: 10
      streaming_transform_mode: incremental_diff
`;

describe('proxy configuration', () => {
  for (const [what, guardrailSpec, seconds] of [
    ['images to read, as by default', {}, 30],
    ['slow detectors and images', { detectionTimeout: '40s' }, 49],
    ['texts alone', { images: 'Block' }, 10],
    ['slow detectors', { images: 'Pass', detectionTimeout: '2500ms' }, 12],
  ] as const) {
    it(`has the gateway wait ${seconds} s for a guardrail with ${what}`, () => {
      expect(timeoutSecondsOf(guardrailSpec)).to.equal(seconds);
    });
  }

  for (const [what, base, ours, expected] of [
    ['nothing into nothing', '', nothing, '{}\n'],
    [
      'everything into nothing',
      '',
      everything,
      `litellm_settings:\n  max_end_user_budget: 5\n  max_end_user_budget_id: own\nguardrails:\n${entry}`,
    ],
    [
      'the settings of a proxy of another name',
      '',
      { proxyName: 'gateway', budget: { maxBudget: 0.5 }, guardrail: undefined },
      'gateway_settings:\n  max_end_user_budget: 0.5\n',
    ],
    [
      'a budget among settings, with comments, quotes and order kept',
      '# Ours.\nmodel_list: []   # none yet\n\nlitellm_settings:\n  drop_params: true # important\n  max_end_user_budget: 1 # old\nzeta: "yes"\nalpha: \'no\'\n',
      { ...nothing, budget: { maxBudget: 2 } },
      '# Ours.\nmodel_list: [] # none yet\n\nlitellm_settings:\n  drop_params: true # important\n  max_end_user_budget: 2 # old\nzeta: "yes"\nalpha: \'no\'\n',
    ],
    [
      'a tier in the place of an amount',
      'litellm_settings:\n  max_end_user_budget: 1\n  drop_params: true\n',
      { ...nothing, budget: { budgetId: 'gold' } },
      'litellm_settings:\n  drop_params: true\n  max_end_user_budget_id: gold\n',
    ],
    [
      'an entry behind those of the admin',
      'guardrails:\n  - guardrail_name: own\n',
      { ...nothing, guardrail },
      `guardrails:\n  - guardrail_name: own\n${entry}`,
    ],
    ['an entry under an empty key', 'guardrails:\n', { ...nothing, guardrail }, `guardrails:\n${entry}`],
    [
      'comments alone',
      '# Nothing yet.\n',
      { ...nothing, budget: { maxBudget: 1 } },
      '# Nothing yet.\n\nlitellm_settings:\n  max_end_user_budget: 1\n',
    ],
    [
      'what an alias stands for',
      'base: &settings\n  drop_params: true\nlitellm_settings: *settings\n',
      { ...nothing, budget: { maxBudget: 1 } },
      'base: &settings\n  drop_params: true\n  max_end_user_budget: 1\nlitellm_settings: *settings\n',
    ],
    [
      'a key of many words, unfolded',
      `prompt: ${'word '.repeat(60)}end\n`,
      nothing,
      `prompt: ${'word '.repeat(60)}end\n`,
    ],
  ] as const) {
    it(`puts ${what}`, () => {
      expect(renderProxyConfig(base, ours)).to.equal(expected);
    });
  }

  it('keeps what the admin has added to our entry, and sets the rest right', () => {
    const base =
      'guardrails:\n  - guardrail_name: gateway-guardrail\n    litellm_params:\n      unreachable_fallback: fail_open # no!\n      extra_headers: [x-session-id]\n';
    const [made] = (
      parse(renderProxyConfig(base, { ...nothing, guardrail })) as { guardrails: [{ litellm_params: object }] }
    ).guardrails;
    expect(made.litellm_params).to.include({ unreachable_fallback: 'fail_closed', api_base: guardrail.url });
    expect(made.litellm_params).to.have.deep.property('extra_headers', ['x-session-id']);
  });

  for (const [what, base, message] of [
    ['broken YAML', 'a: 1\nb: [', 'at line 2'],
    ['a list', '- a\n', 'is not a YAML mapping'],
    ['a text', 'hello', 'is not a YAML mapping'],
    ['two documents', 'a: 1\n---\nb: 2\n', 'several YAML documents'],
    [
      'settings that are a list',
      'litellm_settings: [a]\n',
      "litellm_settings in the gateway's configuration is not a mapping",
    ],
    [
      'guardrails that are a mapping',
      'guardrails: {a: b}\n',
      "guardrails in the gateway's configuration is not a list",
    ],
    ['a key twice', 'a: 1\na: 2\n', 'not valid YAML at line 2'],
  ] as const) {
    it(`refuses ${what}, and shows nothing of its values`, () => {
      expect(() => renderProxyConfig(base, everything)).to.throw(ProxyConfigError, message);
    });
  }

  it('shows no value of the base in an error', () => {
    expect(() => renderProxyConfig('master_key: sk-secret\nmaster_key: [sk-secret', everything))
      .to.throw(ProxyConfigError)
      .with.property('message')
      .that.does.not.include('sk-secret');
  });

  const configuration = fc.dictionary(
    fc.stringMatching(/^[a-z_]{1,12}$/).filter((key) => !['guardrails', 'litellm_settings'].includes(key)),
    fc.jsonValue({ maxDepth: 3 }),
  );

  it('law: everything else of the base means what it meant', () => {
    fc.assert(
      fc.property(configuration, (base) => {
        const { guardrails, litellm_settings, ...rest } = parse(
          renderProxyConfig(stringify(base), everything),
        ) as Record<string, unknown>;
        expect(rest).to.deep.equal(parse(stringify(base)));
        expect(litellm_settings).to.deep.equal({ max_end_user_budget: 5, max_end_user_budget_id: 'own' });
        expect(guardrails).to.have.nested.property('[0].guardrail_name', GUARDRAIL_NAME);
      }),
    );
  });

  it('law: rendering what was rendered changes nothing', () => {
    fc.assert(
      fc.property(configuration, (base) => {
        const once = renderProxyConfig(stringify(base), everything);
        expect(renderProxyConfig(once, everything)).to.equal(once);
      }),
    );
  });
});
