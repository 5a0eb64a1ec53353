/** A GuardrailPolicy in the format of the guardrail. The guardrail's own parser reads what the operator writes. */
import { expect } from 'chai';
import fc from 'fast-check';
import { parsePolicy, policyRevision } from '../../guardrail/guardrail.ts';
import type { GuardrailPolicySpec } from '../api/v1alpha1/v1alpha1.ts';
import { policyText, resourcePath } from './document.ts';

const all: GuardrailPolicySpec = {
  profile: 'Confidential',
  recall: 'Thorough',
  default: { action: 'Block' },
  entities: { PERSON: { threshold: 0.6 }, COORDINATE: { action: 'Ignore', threshold: 0 } },
  allow: [{ value: 'Acme: "1"' }, { pattern: String.raw`support@acme\.example`, types: ['EMAIL_ADDRESS'] }],
  deny: [{ value: 'Project Nightjar', type: 'PROJECT', caseSensitive: true }, { value: 'Fjord' }],
  recognizers: [
    { name: 'number', type: 'EMPLOYEE_ID', pattern: String.raw`\bE-\d{6}\b`, score: 0.5, context: ['staff'] },
  ],
  teams: { research: { profile: 'Personal', entities: { ORGANIZATION: { action: 'Pseudonymize' } } } },
  images: 'Redact',
  remoteImages: 'Pass',
  unreadText: 'Note',
  enforcement: 'Monitor',
  retention: '30d',
  additionalEntityTypes: ['BADGE'],
};

describe('the policy file of a GuardrailPolicy', () => {
  it('has every field of the resource, in the format of the guardrail', () => {
    expect(parsePolicy(policyText(all))).to.deep.equal({
      profile: 'confidential',
      recall: 'thorough',
      default: { action: 'block' },
      entities: { PERSON: { threshold: 0.6 }, COORDINATE: { action: 'ignore', threshold: 0 } },
      allow: all.allow,
      deny: [
        { value: 'Project Nightjar', type: 'PROJECT', caseSensitive: true },
        { value: 'Fjord', type: 'DENIED' },
      ],
      recognizers: all.recognizers,
      teams: { research: { profile: 'personal', entities: { ORGANIZATION: { action: 'pseudonymize' } } } },
      images: 'redact',
      remoteImages: 'pass',
      unreadText: 'note',
      mode: 'monitor',
      mappingTTL: 30 * 86_400_000,
      additionalEntityTypes: ['BADGE'],
    });
  });

  it('leaves out what the resource leaves out, so that the settings of the instance apply', () => {
    expect(policyText({})).to.equal('{}\n');
  });

  const type = fc.constantFrom('PERSON', 'LOCATION', 'EMAIL_ADDRESS', 'US_SSN', 'PUBLIC_PERSON', 'CVV', 'URL');
  const text = fc
    .string({ minLength: 2, maxLength: 200, unit: 'grapheme' })
    .filter((value) => value.trim() === value && value.length >= 2 && value.length <= 200);
  const score = fc.double({ min: 0, max: 1, noNaN: true });
  const rule = fc.oneof(
    fc.record({ action: fc.constantFrom('Pseudonymize', 'Block', 'Ignore') }),
    fc.record({ threshold: score }),
    fc.record({ action: fc.constantFrom('Pseudonymize', 'Block', 'Ignore'), threshold: score }),
  );
  const types = fc.uniqueArray(type, { minLength: 1, maxLength: 3 });
  const optional = { requiredKeys: [] };
  const rules = {
    profile: fc.constantFrom('Personal', 'Confidential'),
    default: rule,
    entities: fc.dictionary(type, rule, { maxKeys: 5 }),
    allow: fc.array(
      fc.oneof(
        fc.record({ value: text, types }, { requiredKeys: ['value'] }),
        fc.record({ pattern: fc.constantFrom('[0-9]+x', 'a|b'), types }, { requiredKeys: ['pattern'] }),
      ),
      { maxLength: 4 },
    ),
    deny: fc.array(fc.record({ value: text, type }, { requiredKeys: ['value'] }), { maxLength: 4 }),
  };
  const team = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }).filter((name) => name !== '__proto__');
  const spec = fc.record(
    {
      ...rules,
      recall: fc.constantFrom('Precise', 'Balanced', 'Thorough'),
      recognizers: fc.array(
        fc.record(
          {
            name: text.filter((name) => name.length <= 100),
            type,
            pattern: fc.constant('E-[0-9]{6}'),
            score,
            context: fc.array(text, { maxLength: 2 }),
          },
          { requiredKeys: ['name', 'type', 'pattern'] },
        ),
        { maxLength: 3 },
      ),
      teams: fc.dictionary(team, fc.record(rules, optional), { maxKeys: 3 }),
      images: fc.constantFrom('Redact', 'Block', 'Pass'),
      remoteImages: fc.constantFrom('Block', 'Pass'),
      unreadText: fc.constantFrom('Mask', 'Block', 'Note'),
      enforcement: fc.constantFrom('Enforce', 'Monitor'),
      retention: fc.constantFrom('1s', '90m', '24h', '365d', '1h30m'),
    },
    optional,
  ) as fc.Arbitrary<GuardrailPolicySpec>;

  it('property: the guardrail accepts every valid resource, and reads its values unchanged', () => {
    fc.assert(
      fc.property(spec, (given) => {
        const read = parsePolicy(policyText(given));
        expect(read.recall).to.equal(given.recall?.toLowerCase());
        expect(read.mode).to.equal(given.enforcement?.toLowerCase());
        expect(read.mappingTTL === undefined).to.equal(given.retention === undefined);
        expect(read.allow).to.deep.equal(given.allow);
        expect(read.deny?.map(({ value }) => value)).to.deep.equal(given.deny?.map(({ value }) => value));
        expect(Object.keys(read.entities ?? {})).to.have.members(Object.keys(given.entities ?? {}));
        expect(Object.keys(read.teams ?? {})).to.have.members(Object.keys(given.teams ?? {}));
        expect(read.recognizers?.map(({ name, pattern }) => ({ name, pattern }))).to.deep.equal(
          given.recognizers?.map(({ name, pattern }) => ({ name, pattern })),
        );
      }),
    );
  });

  it('has a digest of 32 hexadecimal digits, which changes with its content only', () => {
    expect(policyRevision(policyText(all))).to.match(/^[0-9a-f]{32}$/);
    expect(policyRevision(policyText({ ...all }))).to.equal(policyRevision(policyText(all)));
    expect(policyRevision(policyText({ ...all, recall: 'Precise' }))).to.not.equal(policyRevision(policyText(all)));
  });

  it('names fields as the resource has them', () => {
    expect(resourcePath(['mappingTTL'])).to.deep.equal(['spec', 'retention']);
    expect(resourcePath(['mode'])).to.deep.equal(['spec', 'enforcement']);
    expect(resourcePath(['teams', 'mode', 'deny', 0])).to.deep.equal(['spec', 'teams', 'mode', 'deny', 0]);
    expect(resourcePath([])).to.deep.equal(['spec']);
  });
});
