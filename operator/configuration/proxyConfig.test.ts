import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { Document, isMap, parse, stringify, YAMLMap } from 'yaml';
import type { ManagedSettings } from './proxyConfig.ts';
import { GUARDRAIL_NAME } from './guardrailEntry.ts';
import { renderProxyConfig } from './proxyConfig.ts';
import { ProxyConfigError } from './proxyConfigDocument.ts';
import { bypasses, hostileBases } from './testing/hostileBases.ts';
import { slowBases } from './testing/slowBases.ts';

const nothing: ManagedSettings = { proxyName: 'litellm', budget: undefined, guardrail: undefined };
const guardrail = { callback: 'Generic', url: 'http://main-guardrail.ai.svc:8080', timeoutSeconds: 10 } as const;
const everything: ManagedSettings = { proxyName: 'litellm', budget: { maxBudget: 5, budgetId: 'own' }, guardrail };

const entry = `  - guardrail_name: gateway-guardrail
    litellm_params:
      guardrail: generic_guardrail_api
      mode: [ pre_call, post_call ]
      default_on: true
      api_base: http://main-guardrail.ai.svc:8080
      api_key: os.environ/GUARDRAIL_API_KEY
      unreachable_fallback: fail_closed
      fail_on_error: true
      timeout: 10
      streaming_transform_mode: incremental_diff
      streaming_end_of_stream_only: false
      skip_system_message_in_guardrail: false
      skip_tool_message_in_guardrail: false
      extra_headers: [ x-guardrail-pseudonymized ]
`;

const full = { ...guardrail, callback: 'Full' } as const;
const fullEntry = `  - guardrail_name: gateway-guardrail
    litellm_params:
      guardrail: llm_shield_proxy
      mode: [ pre_call, post_call ]
      default_on: true
      api_base: http://main-guardrail.ai.svc:8080
      api_key: os.environ/GUARDRAIL_API_KEY
`;

const SAMPLE = join(import.meta.dirname, '../../hack/samples/litellm/config.yaml');
/** The gateway's parser resolves merge keys. */
const AS_GATEWAY = { merge: true, logLevel: 'error' } as const;

interface Entry {
  readonly litellm_params: Readonly<Record<string, unknown>>;
}

function entryOf(text: string): Entry {
  const { guardrails } = parse(text, AS_GATEWAY) as { guardrails: (Entry & { guardrail_name: unknown })[] };
  const [entry, second] = guardrails.filter(({ guardrail_name: name }) => name === GUARDRAIL_NAME);
  if (entry === undefined || second !== undefined) throw new Error('Expected exactly one entry of the operator.');
  return entry;
}

/** The parameters that the entry always has, and those that it may have. */
const ourParams = (parse(entry) as [Entry])[0].litellm_params;
const addable = ['headers', 'extra_headers', 'streaming_sampling_rate', 'additional_provider_specific_params'];

function expectOnlyOurs(text: string): void {
  const made = entryOf(text);
  expect(made).to.have.all.keys('guardrail_name', 'litellm_params');
  expect(made.litellm_params).to.deep.include(ourParams);
  expect([...Object.keys(ourParams), ...addable]).to.include.members(Object.keys(made.litellm_params));
}

/** The configuration without the operator's entry and without bypasses. */
function withoutOurs(text: string): object {
  const { guardrails = [], ...rest } = parse(text, AS_GATEWAY) as { guardrails?: { guardrail_name?: unknown }[] };
  const around = JSON.stringify(rest, (key, value: unknown) => {
    if (key === 'disable_global_guardrails' || key === 'pipeline') return undefined;
    return key === 'opted_out_global_guardrails' ? ['other'] : value;
  });
  const others = guardrails.filter(({ guardrail_name: name }) => name !== GUARDRAIL_NAME);
  return { others, rest: JSON.parse(around) as object };
}

const bomb = `a0: &a0 [1,1,1,1,1,1,1,1,1,1]
${Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join()}]`).join('\n')}
guardrails: [{ guardrail_name: gateway-guardrail, litellm_params: { headers: *a9 } }]
`;

describe('proxy configuration', () => {
  for (const [what, base, ours, expected] of [
    ['nothing into nothing', '', nothing, '{}\n'],
    [
      'everything into nothing',
      '',
      everything,
      `litellm_settings:\n  max_end_user_budget: 5\n  max_end_user_budget_id: own\nguardrails:\n${entry}`,
    ],
    [
      'the settings of a proxy with another name',
      '',
      { proxyName: 'gateway', budget: { maxBudget: 0.5 }, guardrail: undefined },
      'gateway_settings:\n  max_end_user_budget: 0.5\n',
    ],
    [
      'a budget among other settings, and keeps comments, quotes and order',
      '# Ours.\nmodel_list: []   # none yet\n\nlitellm_settings:\n  drop_params: true # important\n  max_end_user_budget: 1 # old\nzeta: "yes"\nalpha: \'no\'\n',
      { ...nothing, budget: { maxBudget: 2 } },
      '# Ours.\nmodel_list: [] # none yet\n\nlitellm_settings:\n  drop_params: true # important\n  max_end_user_budget: 2 # old\nzeta: "yes"\nalpha: \'no\'\n',
    ],
    [
      'a tier instead of an amount',
      'litellm_settings:\n  max_end_user_budget: 1\n  drop_params: true\n',
      { ...nothing, budget: { budgetId: 'gold' } },
      'litellm_settings:\n  drop_params: true\n  max_end_user_budget_id: gold\n',
    ],
    [
      'an entry after those of the admin',
      'guardrails:\n  - guardrail_name: own\n',
      { ...nothing, guardrail },
      `guardrails:\n  - guardrail_name: own\n${entry}`,
    ],
    [
      'the absence of its entry, with the comments of others',
      `guardrails:\n  - guardrail_name: own # mine\n${entry}`,
      { ...nothing, guardrail: 'absent' },
      'guardrails:\n  - guardrail_name: own # mine\n',
    ],
    ['no empty list', `model_list: []\nguardrails:\n${entry}`, { ...nothing, guardrail: 'absent' }, 'model_list: []\n'],
    ['an entry of the client with all texts', '', { ...nothing, guardrail: full }, `guardrails:\n${fullEntry}`],
    [
      'the entry of one client in place of the other',
      `guardrails:\n${entry}  - guardrail_name: own\n`,
      { ...nothing, guardrail: full },
      `guardrails:\n${fullEntry}  - guardrail_name: own\n`,
    ],
    ['the other entry back', `guardrails:\n${fullEntry}`, { ...nothing, guardrail }, `guardrails:\n${entry}`],
    ['an entry under an empty key', 'guardrails:\n', { ...nothing, guardrail }, `guardrails:\n${entry}`],
    [
      'comments alone',
      '# Nothing yet.\n',
      { ...nothing, budget: { maxBudget: 1 } },
      '# Nothing yet.\n\nlitellm_settings:\n  max_end_user_budget: 1\n',
    ],
    [
      'the target of an alias',
      'base: &settings\n  drop_params: true\nlitellm_settings: *settings\n',
      { ...nothing, budget: { maxBudget: 1 } },
      'base: &settings\n  drop_params: true\nlitellm_settings:\n  drop_params: true\n  max_end_user_budget: 1\n',
    ],
    [
      'a long value without line breaks',
      `prompt: ${'word '.repeat(60)}end\n`,
      nothing,
      `prompt: ${'word '.repeat(60)}end\n`,
    ],
  ] as const) {
    it(`puts ${what}`, () => {
      expect(renderProxyConfig(base, ours).text).to.equal(expected);
    });
  }

  it('keeps parameters of the entry that cannot weaken the guardrail, with comments and order', () => {
    const base = `guardrails:
  # Ours.
  - litellm_params:
      # One conversation each.
      extra_headers: [x-session-id, "no"]
      unreachable_fallback: fail_open # no!
      headers: { x-tenant: "yes", "on": '1:30' }
      additional_provider_specific_params: { recall: thorough, images: block, block_entities: [IBAN, "null"] }
      streaming_sampling_rate: 0x0A
    guardrail_name: gateway-guardrail # ours
`;
    const { text, removed } = renderProxyConfig(base, { ...nothing, guardrail });
    expect(text).to.equal(`guardrails:
  # Ours.
  - litellm_params:
      # One conversation each.
      extra_headers: [ x-session-id, "no", x-guardrail-pseudonymized ]
      unreachable_fallback: fail_closed # no!
      headers: { x-tenant: "yes", "on": "1:30" }
      additional_provider_specific_params: { recall: thorough, images: block, block_entities: [ IBAN, "null" ] }
      streaming_sampling_rate: 10
      guardrail: generic_guardrail_api
      mode: [ pre_call, post_call ]
      default_on: true
      api_base: http://main-guardrail.ai.svc:8080
      api_key: os.environ/GUARDRAIL_API_KEY
      fail_on_error: true
      timeout: 10
      streaming_transform_mode: incremental_diff
      streaming_end_of_stream_only: false
      skip_system_message_in_guardrail: false
      skip_tool_message_in_guardrail: false
    guardrail_name: gateway-guardrail # ours
`);
    expect(removed).to.deep.equal(['litellm_params.unreachable_fallback']);
  });

  for (const { what, base, removed } of [...hostileBases, ...bypasses]) {
    it(`removes, and names: ${what}`, () => {
      const rendered = renderProxyConfig(base, { ...nothing, guardrail });
      expect(rendered.removed).to.deep.equal(removed);
      expectOnlyOurs(rendered.text);
      expect(withoutOurs(rendered.text)).to.deep.equal(withoutOurs(base));
      const again = renderProxyConfig(rendered.text, { ...nothing, guardrail });
      expect(again).to.deep.equal({ ...rendered, removed: [] });
    });
  }

  it('lets no base change the entry of the client with all texts, which has no parameters to add', () => {
    for (const { what, base } of [...hostileBases, ...bypasses]) {
      const { text } = renderProxyConfig(base, { ...nothing, guardrail: full });
      const [expected] = parse(fullEntry) as [Entry];
      expect(entryOf(text), what).to.deep.equal(expected);
      expect(withoutOurs(text), what).to.deep.equal(withoutOurs(base));
    }
    const base = `guardrails:\n${entry.replace('fail_closed', 'fail_open')}      headers: { x-tenant: a }\n`;
    expect(renderProxyConfig(base, { ...nothing, guardrail: full })).to.deep.equal({
      text: `guardrails:\n${fullEntry}`,
      removed: ['litellm_params.unreachable_fallback', 'litellm_params.headers'],
      hasIncludes: false,
    });
    expect(renderProxyConfig(`guardrails:\n${entry}`, { ...nothing, guardrail: full }).removed).to.deep.equal([]);
    const other = entry.replace('generic_guardrail_api', 'presidio');
    expect(renderProxyConfig(`guardrails:\n${other}`, { ...nothing, guardrail: full }).removed).to.deep.equal([
      'litellm_params.guardrail',
    ]);
  });

  it('changes nothing if there is no guardrail to call', () => {
    for (const { base } of [...hostileBases, ...bypasses]) {
      const { text, removed, hasIncludes } = renderProxyConfig(base, nothing);
      expect(parse(text, AS_GATEWAY)).to.deep.equal(parse(base, AS_GATEWAY));
      expect({ removed, hasIncludes }).to.deep.equal({ removed: [], hasIncludes: false });
    }
  });

  it('has no entry and no reference to one if the gateway must not call the guardrail', () => {
    for (const { base } of [...hostileBases, ...bypasses]) {
      const { text, removed, hasIncludes } = renderProxyConfig(base, { ...nothing, guardrail: 'absent' });
      const { guardrails = [] } = parse(text, AS_GATEWAY) as { guardrails?: { guardrail_name?: unknown }[] };
      expect(guardrails.map(({ guardrail_name: name }) => name)).to.not.include(GUARDRAIL_NAME);
      expect(text).to.not.match(/guardrail: ["']?gateway-guardrail/);
      expect(withoutOurs(text)).to.deep.equal(withoutOurs(base));
      expect({ removed, hasIncludes }).to.deep.equal({ removed: [], hasIncludes: false });
    }
  });

  it('replaces references to the entry by copies, and keeps all other anchors', () => {
    const base = `x-shared: &shared { drop_params: true } # ours too
guardrails:
  - &own { guardrail_name: own }
  - guardrail_name: gateway-guardrail
    litellm_params: &params { fail_on_error: &no false, <<: *shared }
x-others: [*own, *params, *no]
litellm_settings: { <<: *shared }
`;
    const { text } = renderProxyConfig(base, { ...everything, guardrail });
    expect(text).to.include('x-shared: &shared { drop_params: true } # ours too\n');
    expect(text).to.include('  - &own { guardrail_name: own }\n');
    expect(text).to.include('x-others: [ *own, { fail_on_error: false, <<: { drop_params: true } }, false ]\n');
    expect(text).to.include('litellm_settings: { <<: *shared, max_end_user_budget: 5, max_end_user_budget_id: own }\n');
  });

  it('does not name a key that could be a value', () => {
    const base =
      'guardrails: [{ guardrail_name: gateway-guardrail, litellm_params: { "Bearer sk-1": 1, headers: { "a b": c } } }]';
    const { removed } = renderProxyConfig(base, { ...nothing, guardrail });
    expect(removed).to.deep.equal(['a key with an unusual name', 'a key with an unusual name']);
  });

  it('reports included files', () => {
    const base = 'x-more: &more { include: [more.yaml] }\n<<: *more\n';
    expect(renderProxyConfig(base, { ...nothing, guardrail }).hasIncludes).to.equal(true);
  });

  it('matches the sample configuration', () => {
    const sample = readFileSync(SAMPLE, 'utf8');
    const rendered = renderProxyConfig(sample, { ...nothing, guardrail });
    expect(rendered.removed).to.deep.equal([]);
    const fixed = (text: string): object => {
      const { api_base: _base, timeout: _timeout, ...params } = entryOf(text).litellm_params;
      return { ...entryOf(text), litellm_params: params };
    };
    expect(fixed(sample)).to.deep.equal(fixed(renderProxyConfig('', { ...nothing, guardrail }).text));
    expect(fixed(sample)).to.deep.equal(fixed(rendered.text));
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
    ['a duplicate key, once as an alias', 'a: &key guardrails\n*key : []\n', 'an alias, a tag or a collection'],
    ['a key with a tag', '!!binary guardrails: []\n', 'an alias, a tag or a collection'],
    [
      'an entry that contains itself',
      `guardrails: &list [{ guardrail_name: gateway-guardrail, a: *list }]\nb: *list\n`,
      'refers to itself',
    ],
    ['an entry that merges itself', 'guardrails: [&entry { guardrail_name: own, <<: *entry }]\n', 'refers to itself'],
    ['aliases that expand exponentially', bomb, 'more than 10000 nodes'],
  ] as const) {
    it(`rejects ${what} without showing a value`, () => {
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
    // A merge key that names no mapping is not valid: the gateway rejects the whole file.
    fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('"<<"')),
  );

  it('renders no base much more slowly than a plain list of the same length', () => {
    const cpuOf = (base: string): number => {
      const before = process.threadCpuUsage();
      try {
        renderProxyConfig(base, everything);
      } catch (error) {
        expect(error).to.be.instanceOf(ProxyConfigError);
      }
      return process.threadCpuUsage(before).user;
    };
    const bases = slowBases(32 * 1024);
    const reference = Math.max(...Array.from({ length: 3 }, () => cpuOf(bases['a long list'] ?? '')));
    for (const [what, base] of Object.entries(bases)) expect(cpuOf(base) / reference, what).to.be.below(10);
  });

  it('property: everything else in the base keeps its meaning', () => {
    fc.assert(
      fc.property(configuration, (base) => {
        const { guardrails, litellm_settings, ...rest } = parse(
          renderProxyConfig(stringify(base), everything).text,
        ) as Record<string, unknown>;
        expect(rest).to.deep.equal(parse(stringify(base)));
        expect(litellm_settings).to.deep.equal({ max_end_user_budget: 5, max_end_user_budget_id: 'own' });
        expect(guardrails).to.have.nested.property('[0].guardrail_name', GUARDRAIL_NAME);
      }),
    );
  });

  // A merge key without a mapping is an error for the gateway too.
  const isReadable = (value: unknown): boolean => !JSON.stringify(value).includes('"<<":');
  const params = fc
    .dictionary(
      fc.oneof(fc.constantFrom(...Object.keys(ourParams), ...addable, '__proto__', 'constructor'), fc.string()),
      fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(false)),
    )
    .filter(isReadable);
  const entries = fc.record({
    params,
    more: fc.dictionary(fc.stringMatching(/^[a-z_]{1,12}$/), fc.jsonValue({ maxDepth: 1 })),
    others: configuration,
    by: fc.constantFrom('itself', 'an alias', 'a merge key', 'an anchor', 'an alias to the whole list'),
  });
  const written = ({
    params: own,
    more,
    others,
    by,
  }: typeof entries extends fc.Arbitrary<infer T> ? T : never): string => {
    const key = 'litellm_params';
    const name = { guardrail_name: GUARDRAIL_NAME };
    const rest = Object.fromEntries(Object.entries(more).filter(([each]) => each !== key));
    const document = new Document({
      'x-params': own,
      guardrails: [{ ...rest, ...name, [key]: structuredClone(own) }, { guardrail_name: 'own' }],
      'x-last': others,
    });
    const at = ['guardrails', 0, key];
    const aliasTo = (path: readonly unknown[]): unknown => {
      const node = document.getIn(path);
      if (!isMap(node)) throw new Error('Expected a mapping.');
      return document.createAlias(node, 'shared');
    };
    if (by === 'an alias') document.setIn(at, aliasTo(['x-params']));
    if (by === 'a merge key') {
      document.setIn(at, new YAMLMap());
      document.setIn([...at, '<<'], aliasTo(['x-params']));
    }
    if (by === 'an anchor') document.setIn(['x-last', 'alias'], aliasTo(at));
    if (by === 'an alias to the whole list') {
      document.set('x-params', document.getIn(['guardrails', 0]));
      document.setIn(['guardrails', 0], aliasTo(['x-params']));
    }
    return document.toString();
  };

  it('property: every rendered entry has the settings of the operator, and only allowed other ones', () => {
    fc.assert(
      fc.property(entries, (hostile) => {
        const base = written(hostile);
        const { text } = renderProxyConfig(base, { ...nothing, guardrail });
        expectOnlyOurs(text);
        expect(withoutOurs(text)).to.deep.equal(withoutOurs(base));
        expect(renderProxyConfig(text, { ...nothing, guardrail })).to.deep.equal({
          text,
          removed: [],
          hasIncludes: false,
        });
      }),
    );
  });

  it('property: rendering is idempotent', () => {
    fc.assert(
      fc.property(configuration, (base) => {
        const once = renderProxyConfig(stringify(base), everything).text;
        expect(renderProxyConfig(once, everything).text).to.equal(once);
      }),
    );
  });
});
