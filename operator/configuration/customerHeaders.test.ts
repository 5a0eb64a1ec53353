import { expect } from 'chai';
import { customerHeadersOf } from './baseSettings.ts';

describe('the headers in which LiteLLM looks for a customer', () => {
  const cases: readonly (readonly [what: string, settings: string, headers: string[]])[] = [
    ['no configuration', '', []],
    ['no such setting', 'general_settings: {master_key: sk-1}', []],
    ['the old setting', 'general_settings: {user_header_name: X-Customer}', ['x-customer']],
    ['a mapping', 'general_settings: {user_header_mappings: {header_name: X-A, litellm_user_role: customer}}', ['x-a']],
    [
      'several mappings of several roles',
      'general_settings:\n  user_header_mappings:\n  - {header_name: X-A, litellm_user_role: customer}\n  - {header_name: X-B, litellm_user_role: internal_user}\n  - {header_name: X-C, litellm_user_role: Customer}',
      ['x-a', 'x-c'],
    ],
    [
      'both settings',
      'general_settings: {user_header_name: x-a, user_header_mappings: [{header_name: x-b, litellm_user_role: customer}]}',
      ['x-b', 'x-a'],
    ],
    ['another section', 'litellm_settings: {user_header_name: x-a}', []],
    ['a shared section', 'x: &x {user_header_name: x-a}\ngeneral_settings: *x', ['x-a']],
    [
      'values of other types',
      'general_settings: {user_header_name: [x], user_header_mappings: [1, {header_name: 2}]}',
      [],
    ],
    ['names that no header has', 'general_settings: {user_header_name: "x a,b"}', []],
    ['invalid YAML', 'general_settings: [', []],
  ];
  for (const [what, settings, headers] of cases) {
    it(`are read from ${what}`, () => {
      expect(customerHeadersOf(settings)).to.deep.equal(headers);
    });
  }
});
