/** Which policies are valid, and what is said about the others. */
import { expect } from 'chai';
import type { GuardrailPolicySpec } from '../api/v1alpha1/v1alpha1.ts';
import { checkPolicy } from './check.ts';
import { policyOf } from './testing/policies.ts';

const recognizer = { name: 'number', type: 'EMPLOYEE_ID', pattern: 'E-[0-9]{6}' };

describe('checkPolicy', function () {
  // The first check starts the thread.
  this.timeout(20_000);

  for (const [what, spec] of [
    ['an empty policy', {}],
    ['a rule for a type of the built-in detector', { entities: { EMAIL_ADDRESS: { action: 'Block' } } }],
    ['a rule for a type of Presidio', { entities: { NRP: { action: 'Block' } } }],
    ['a rule for a public person', { entities: { PUBLIC_PERSON: { action: 'Block' } } }],
    [
      'a rule for a type of its recognizers',
      { recognizers: [recognizer], entities: { EMPLOYEE_ID: { threshold: 0 } } },
    ],
    [
      'a rule for a type of its deny list',
      { deny: [{ value: 'Nightjar', type: 'PROJECT' }], entities: { PROJECT: {} } },
    ],
    ['a rule for denied values', { deny: [{ value: 'Nightjar' }], entities: { DENIED: { action: 'Block' } } }],
    [
      'a rule for a type of the deny list of a team',
      { teams: { a: { deny: [{ value: 'Nightjar', type: 'PROJECT' }] } }, entities: { PROJECT: {} } },
    ],
    ['a rule for an additional type', { additionalEntityTypes: ['BADGE'], entities: { BADGE: { action: 'Block' } } }],
  ] as readonly (readonly [string, GuardrailPolicySpec])[]) {
    it(`accepts ${what}`, async () => {
      const check = await checkPolicy(policyOf(spec));
      expect(check, JSON.stringify(check)).to.include({ valid: true });
    });
  }

  for (const [what, spec, reason, message] of [
    [
      'look-around',
      { recognizers: [recognizer, { ...recognizer, pattern: '(?=a)b' }] },
      'InvalidPattern',
      'spec.recognizers[1].pattern uses look-around, which RE2 does not support',
    ],
    [
      'a back reference in a team',
      { teams: { a: { allow: [{ pattern: String.raw`(a)\1` }] } } },
      'InvalidPattern',
      'spec.teams.a.allow[0].pattern uses a back reference',
    ],
    ['a pattern that matches nothing', { allow: [{ pattern: 'a*' }] }, 'InvalidPattern', 'matches the empty text'],
    ['broken syntax', { allow: [{ pattern: '(a' }] }, 'InvalidPattern', 'spec.allow[0].pattern is not a valid RE2'],
    [
      'a misspelled type',
      { entities: { PRESON: { action: 'Block' } } },
      'UnknownEntityType',
      'spec.entities.PRESON is an entity type that nothing finds: write PERSON, add',
    ],
    [
      'a misspelled type of a team',
      { teams: { a: { allow: [{ value: 'ab', types: ['PERSON', 'PLCE'] }] } } },
      'UnknownEntityType',
      'spec.teams.a.allow[0].types[1] is an entity type that nothing finds: correct its spelling, add',
    ],
    ['a type in lower case', { entities: { person: {} } }, 'InvalidValue', 'spec.entities.person must be upper snake'],
    [
      'no-break spaces around a value',
      { deny: [{ value: '\u00a0a' }] },
      'InvalidValue',
      'spec.deny[0].value must have',
    ],
    ['a retention of two years', { retention: '730d' }, 'InvalidValue', 'spec.retention must be a duration'],
    [
      'a policy of more than 256 KiB',
      { deny: Array.from({ length: 1000 }, (_, at) => ({ value: `${at}${'x'.repeat(190)}`, type: 'A'.repeat(40) })) },
      'TooLarge',
      'the limit is 256 KiB',
    ],
  ] as readonly (readonly [string, GuardrailPolicySpec, string, string])[]) {
    it(`refuses ${what}, with the reason and the field`, async () => {
      const check = await checkPolicy(policyOf(spec));
      expect(check).to.include({ valid: false, reason });
      if (!check.valid) expect(check.message).to.include(message).and.match(/\.$/);
    });
  }

  it('shows five errors at most, and the number of the others', async () => {
    const entities = Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [`X_${at}`, { action: 'Block' as const }]),
    );
    const check = await checkPolicy(policyOf({ entities }));
    if (check.valid) throw new Error('The policy is valid.');
    expect(check.message.match(/spec\.entities\.X_/g)).to.have.length(5);
    expect(check.message).to.match(/There are 3 more errors\.$/);
  });
});
