/** Test data: bases of a gateway's configuration with every known setting that lets requests bypass the guardrail. */
import { stringify } from 'yaml';

/** One base, and what its rendered configuration must not have. */
export interface HostileBase {
  readonly what: string;
  readonly base: string;
  /** The names that the condition lists. */
  readonly removed: readonly string[];
}

/** Parameters of the operator's entry. */
export interface HostileParams {
  readonly params: Readonly<Record<string, unknown>>;
  readonly removed: readonly string[];
  /**
   * How LiteLLM 1.106.2 lets a call bypass the guardrail with the parameter. Without it, later versions do, or other
   * calls do.
   */
  readonly proof?: {
    readonly guardrail: 'up' | 'down';
    readonly streamed: boolean;
    readonly outcome: 'raw' | 'unrestored';
  };
}

/** The operator's entry in LiteLLM, as an admin copies it from the sample. */
export const GOOD_PARAMS = {
  guardrail: 'generic_guardrail_api',
  mode: ['pre_call', 'post_call'],
  api_key: 'os.environ/GUARDRAIL_API_KEY',
  unreachable_fallback: 'fail_closed',
  timeout: 5,
  streaming_transform_mode: 'incremental_diff',
};

const whenDown = { guardrail: 'down', streamed: false, outcome: 'raw' } as const;
const streamWhenDown = { guardrail: 'down', streamed: true, outcome: 'raw' } as const;
const whenUp = { guardrail: 'up', streamed: false, outcome: 'raw' } as const;
const unrestored = { guardrail: 'up', streamed: true, outcome: 'unrestored' } as const;

const fault = (params: Record<string, unknown>, proof?: HostileParams['proof']): HostileParams => ({
  params,
  removed: Object.keys(params),
  ...(proof && { proof }),
});

/** Parameters that bypass the guardrail, belong to a later LiteLLM, or make LiteLLM drop the entry. */
export const hostileParams: readonly HostileParams[] = [
  fault({ fail_on_error: false }, whenDown),
  fault({ unreachable_fallback: 'fail_open' }, streamWhenDown),
  fault({ unreachable_fallback: 'FAIL_OPEN' }, whenDown),
  fault({ optional_params: { streaming_transform_mode: 'block_only' } }, unrestored),
  fault({ optional_params: { streaming_end_of_stream_only: true, streaming_sampling_rate: 9999 } }),
  fault({ streaming_transform_mode: 'block_only' }, unrestored),
  fault({ streaming_end_of_stream_only: true, streaming_buffer_until_moderated: true }),
  fault({ stream_scope: 'non_streaming' }, streamWhenDown),
  fault({ stream_scope: { pre_call: 'streaming' } }, whenUp),
  fault({ scan_raw_request: true }, whenUp),
  fault({ run_in_parallel: true }),
  fault({ scan_only_tool_results: true }, whenUp),
  fault({ skip_system_message_in_guardrail: true, skip_tool_message_in_guardrail: true }),
  fault({ only_scan_new_messages: true, experimental_use_latest_role_message_only: true }),
  fault({ mode: 'logging_only' }, whenUp),
  fault({ mode: ['post_call'] }, whenUp),
  fault({ mode: { tags: { trusted: 'logging_only' }, default: 'pre_call' } }),
  fault({ default_on: false }),
  fault({ guardrail: 'hide-secrets' }),
  // LiteLLM starts without an entry that it does not accept.
  fault({ on_violation: 'alert' }, whenUp),
  fault({ headers: 'x-tenant' }, whenUp),
  fault({ extra_headers: 'x-session-id' }, whenUp),
  fault({ extra_headers: [1] }, whenUp),
  fault({ streaming_sampling_rate: 0 }, whenUp),
  fault({ mask_request_content: true, on_sensitive_data: 'route', sensitive_data_route_to_model: 'gpt-4o' }),
  fault({ skip_if_team_id_in: ['trusted'], max_messages: 1, send_images: false, fire_and_forget: true }),
  { params: { headers: { 'X-API-Key': 'other', host: 'elsewhere' } }, removed: ['headers.X-API-Key', 'headers.host'] },
  {
    params: { additional_provider_specific_params: { streaming_transform_mode: 'block_only', images: 'pass' } },
    removed: [
      'additional_provider_specific_params.streaming_transform_mode',
      'additional_provider_specific_params.images',
    ],
  },
];

const inEntry = (params: object, more: object = {}): string =>
  stringify({
    guardrails: [{ guardrail_name: 'gateway-guardrail', litellm_params: { ...GOOD_PARAMS, ...params }, ...more }],
  });

const inParams = (names: readonly string[]): string[] => names.map((name) => `litellm_params.${name}`);

/** Each parameter as a base, and the ways in which YAML can hide it. */
export const hostileBases: readonly HostileBase[] = [
  ...hostileParams.map(({ params, removed }) => ({
    what: Object.keys(params).join(', '),
    base: inEntry(params),
    removed: inParams(removed),
  })),
  {
    what: 'keys next to the parameters',
    base: inEntry({}, { guardrail_id: 'a', guardrail_info: {}, policy_template: 'p' }),
    removed: ['guardrail_id', 'guardrail_info', 'policy_template'],
  },
  {
    what: 'a second entry of the same name',
    base: `guardrails:
  - { guardrail_name: gateway-guardrail, litellm_params: { guardrail: generic_guardrail_api, mode: pre_call } }
  - { guardrail_name: gateway-guardrail, litellm_params: { guardrail: generic_guardrail_api, mode: pre_call, unreachable_fallback: fail_open } }
`,
    removed: ['litellm_params.mode', 'a second gateway-guardrail'],
  },
  {
    what: 'a merge key in the parameters',
    base: `x-open: &open { fail_on_error: false, scan_raw_request: true }
guardrails:
  - guardrail_name: gateway-guardrail
    litellm_params: { <<: *open, default_on: true }
x-last: *open
`,
    removed: ['litellm_params.fail_on_error', 'litellm_params.scan_raw_request'],
  },
  {
    what: 'a list of merge keys in the entry, with the name in it',
    base: `x-name: &name { guardrail_name: gateway-guardrail }
x-params: &params { litellm_params: { unreachable_fallback: fail_open }, guardrail_id: a }
guardrails:
  - <<: [*name, *params]
`,
    removed: ['litellm_params.unreachable_fallback', 'guardrail_id'],
  },
  {
    what: 'an alias as the entry, and a second one that merges it',
    base: `x-entry: &entry { guardrail_name: gateway-guardrail, litellm_params: &params { fail_on_error: false } }
guardrails:
  - *entry
  - { <<: *entry }
x-others: [*entry, *params]
`,
    removed: ['litellm_params.fail_on_error', 'a second gateway-guardrail'],
  },
  {
    what: 'an entry that others refer to',
    base: `guardrails:
  - &entry
    guardrail_name: &name gateway-guardrail
    litellm_params: &params { fail_on_error: &no false, mode: &mode [pre_call] }
x-others: [*entry, { <<: *params }, *no, { *name : *mode }]
`,
    removed: ['litellm_params.fail_on_error', 'litellm_params.mode'],
  },
  {
    what: 'an alias as the list',
    base: `x-list: &list
  - { guardrail_name: gateway-guardrail, litellm_params: { fail_on_error: false } }
guardrails: *list
`,
    removed: ['litellm_params.fail_on_error'],
  },
  {
    what: 'the list from a top-level merge key',
    base: `x-base: &base { guardrails: [{ guardrail_name: gateway-guardrail, litellm_params: { fail_on_error: false } }] }
<<: *base
`,
    removed: ['litellm_params.fail_on_error'],
  },
  {
    what: 'tags, anchors and other spellings of correct values',
    base: `guardrails:
  - guardrail_name: !!str gateway-guardrail
    litellm_params:
      ? fail_on_error
      : &yes true
      unreachable_fallback: !!binary ZmFpbF9jbG9zZWQ=
      timeout: 0o12
      "default_on": *yes
`,
    removed: ['litellm_params.unreachable_fallback'],
  },
];

/** Settings outside the operator's entry with which calls bypass it. */
export const bypasses: readonly HostileBase[] = [
  {
    what: 'a pipeline step that passes failed calls',
    base: `policies:
  around:
    guardrails: { add: [gateway-guardrail] }
    pipeline: { mode: pre_call, steps: [{ guardrail: gateway-guardrail, on_error: allow, on_fail: allow }] }
  kept: { guardrails: { remove: [gateway-guardrail] } }
policy_attachments:
  - { policy: around, scope: '*' }
  - { policy: kept, scope: '*' }
`,
    removed: ['policies.*.pipeline.steps'],
  },
  {
    what: 'defaults of new keys',
    base: `litellm_settings:
  drop_params: true
  skip_system_message_in_guardrail: true
  skip_tool_message_in_guardrail: true
  default_key_generate_params:
    metadata: { disable_global_guardrails: true, opted_out_global_guardrails: [gateway-guardrail, other] }
`,
    removed: ['disable_global_guardrails', 'opted_out_global_guardrails'],
  },
];
