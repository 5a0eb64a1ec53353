import { expect } from 'chai';
import { MAX_YAML_BYTES } from '../../guardrail/guardrail.ts';
import { enforcementOf } from './baseSettings.ts';

const nothing = { blockedUserCheck: false, preCallChecks: false };

describe('enforcementOf', () => {
  for (const [what, text, settings] of [
    ['no configuration', '', {}],
    [
      'a list of callbacks',
      'litellm_settings:\n  callbacks: [prometheus, blocked_user_check]',
      { blockedUserCheck: true },
    ],
    ['one callback', 'litellm_settings: {callbacks: blocked_user_check}', { blockedUserCheck: true }],
    ['callbacks with the same prefix', 'litellm_settings: {callbacks: [blocked_user_checks, 1, {a: b}]}', {}],
    ['the callback of another section', 'general_settings: {callbacks: [blocked_user_check]}', {}],
    ['a comment', '# callbacks: [blocked_user_check]', {}],
    ['checks before calls', 'router_settings: {enable_pre_call_checks: true}', { preCallChecks: true }],
    ['no checks before calls', 'router_settings: {enable_pre_call_checks: false}', {}],
    [
      'both',
      'litellm_settings: {callbacks: [blocked_user_check]}\nrouter_settings: {enable_pre_call_checks: true}',
      { blockedUserCheck: true, preCallChecks: true },
    ],
    ['invalid YAML', 'litellm_settings: [', {}],
    ['sections that are not mappings', 'litellm_settings: 1\nrouter_settings: null', {}],
    ['a list', '[1]', {}],
    ['a shared section', 'x: &x {callbacks: [blocked_user_check]}\nlitellm_settings: *x', { blockedUserCheck: true }],
    [
      'a text that is too long',
      `litellm_settings: {callbacks: blocked_user_check}\n#${'x'.repeat(MAX_YAML_BYTES)}`,
      {},
    ],
  ] as const) {
    it(`is read from ${what}`, () => {
      expect(enforcementOf(text, 'litellm')).to.deep.equal({ ...nothing, ...settings });
    });
  }
});
