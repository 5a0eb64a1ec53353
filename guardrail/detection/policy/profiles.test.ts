import { expect } from 'chai';
import type { Span } from '../contract.ts';
import { compilePolicy } from './policy.ts';
import type { Profile } from './profiles.ts';
import { parsePolicy } from './schema.ts';

const span = (type: string, detector = 'builtin', score = 0.9): Span => ({
  start: 0,
  end: 4,
  type,
  score,
  detector,
  rule: 'rule',
});
const judge = (yaml: string, type: string, profile?: Profile, team?: string, detector?: string): string | undefined =>
  compilePolicy(parsePolicy(yaml), profile).actionOf(span(type, detector), 'Anna', team);

const replaced = 'pseudonymize';
const kept = undefined;

describe('profiles', () => {
  for (const type of ['PERSON', 'ADDRESS', 'EMAIL_ADDRESS', 'DATE_OF_BIRTH', 'USERNAME', 'URL', 'API_KEY', 'COORDINATE', 'IP_ADDRESS', 'VIN', 'AGE'])
    it(`both replace ${type}`, () => {
      expect(judge('{}', type, 'personal')).to.equal(replaced);
      expect(judge('{}', type, 'confidential')).to.equal(replaced);
    }); // prettier-ignore

  for (const type of ['LOCATION', 'ORGANIZATION', 'PUBLIC_PERSON', 'PUBLIC_URL', 'NRP', 'DATE_TIME'])
    it(`only confidential replaces ${type}`, () => {
      expect(judge('{}', type, 'personal')).to.equal(kept);
      expect(judge('{}', type, 'confidential')).to.equal(replaced);
    });

  it('default to personal', () => {
    expect(judge('{}', 'ORGANIZATION')).to.equal(kept);
  });

  const team = 'teams: {legal: {profile: confidential}, sales: {profile: personal}}';
  for (const [what, yaml, profile, from, expected] of [
    ['the setting', '{}', 'confidential', undefined, replaced],
    ['the policy before the setting', 'profile: confidential', 'personal', undefined, replaced],
    ['the policy before the setting, the other way', 'profile: personal', 'confidential', undefined, kept],
    ['the team before the policy', `profile: personal\n${team}`, 'personal', 'legal', replaced],
    ['the team before the policy, the other way', `profile: confidential\n${team}`, 'confidential', 'sales', kept],
    ['the policy for another team', `profile: confidential\n${team}`, 'personal', 'other', replaced],
    ['the setting for a call without a team', team, 'confidential', undefined, replaced],
  ] as const)
    it(`apply ${what}`, () => expect(judge(yaml, 'ORGANIZATION', profile, from)).to.equal(expected));

  for (const [what, yaml, type, profile, expected] of [
    ['entities before the profile', 'entities: {ORGANIZATION: pseudonymize}', 'ORGANIZATION', 'personal', replaced],
    ['entities of a replaced type', 'entities: {PERSON: ignore}', 'PERSON', 'personal', kept],
    ['the profile before the default', 'default: block', 'ORGANIZATION', 'personal', kept],
    ['the default for other types', 'default: block', 'PERSON', 'personal', 'block'],
    ['the default without the profile', 'default: block', 'ORGANIZATION', 'confidential', 'block'],
    ['the profile with only a threshold', 'entities: {LOCATION: {threshold: 0.1}}', 'LOCATION', 'personal', kept],
    ['a threshold of confidential', 'entities: {LOCATION: {threshold: 0.95}}', 'LOCATION', 'confidential', kept],
    ['PERSON for public persons', 'entities: {PERSON: block}', 'PUBLIC_PERSON', 'confidential', 'block'],
    ['URL for public URLs', 'entities: {URL: ignore}', 'PUBLIC_URL', 'confidential', kept],
    ['the profile before PERSON', 'entities: {PERSON: block}', 'PUBLIC_PERSON', 'personal', kept],
    ['PUBLIC_PERSON before the profile', 'entities: {PUBLIC_PERSON: block}', 'PUBLIC_PERSON', 'personal', 'block'],
    ['PUBLIC_PERSON alone', 'entities: {PUBLIC_PERSON: ignore}', 'PERSON', 'confidential', replaced],
    [
      'PUBLIC_PERSON before PERSON',
      'entities: {PUBLIC_PERSON: ignore, PERSON: block}',
      'PUBLIC_PERSON',
      'confidential',
      kept,
    ],
    ['ADDRESS as a type of its own', 'entities: {LOCATION: ignore}', 'ADDRESS', 'confidential', replaced],
    [
      'an allow list for PERSON to public persons',
      'allow: [{value: Anna, types: [PERSON]}]',
      'PUBLIC_PERSON',
      'confidential',
      kept,
    ],
    [
      'an allow list for PUBLIC_PERSON to them alone',
      'allow: [{value: Anna, types: [PUBLIC_PERSON]}]',
      'PERSON',
      'confidential',
      replaced,
    ],
  ] as const)
    // prettier-ignore
    it(`apply ${what}`, () => expect(judge(yaml, type, profile)).to.equal(expected));

  for (const detector of ['deny-list', 'custom'])
    it(`do not apply to values of the policy itself (${detector})`, () => {
      expect(judge('{}', 'ORGANIZATION', 'personal', undefined, detector)).to.equal(replaced);
      expect(judge('entities: {ORGANIZATION: ignore}', 'ORGANIZATION', 'personal', undefined, detector)).to.equal(kept);
    });

  it('reject another name', () => {
    expect(() => parsePolicy('profile: secret')).to.throw('profile must be personal or confidential.');
    expect(() => parsePolicy('teams: {a: {profile: 1}}')).to.throw('teams.a.profile must be personal or confidential.');
  });
});
