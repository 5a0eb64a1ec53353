import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { atOnce } from '../../eventLoop.ts';
import { policyRevision } from './policyRevision.ts';
import { openPolicy, type PolicySource } from './policySource.ts';
import { PolicyError } from './policyError.ts';

const actionIn = (source: PolicySource): string | undefined =>
  source.current.actionOf(
    { start: 0, end: 1, type: 'PERSON', score: 1, detector: 'builtin', rule: 'builtin' },
    'Anna',
    undefined,
  );

async function until(condition: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 500 && !condition(); attempt++) await sleep(10);
  expect(condition()).to.equal(true);
}

describe('policy source', () => {
  let folder: string;
  let source: PolicySource | undefined;
  const problems: string[] = [];
  const open = (policy: string | undefined): PolicySource => {
    source = openPolicy({
      policy,
      profile: 'confidential',
      intervalMs: 10,
      report: (problem) => problems.push(problem.message),
    });
    return source;
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'policy-'));
    problems.length = 0;
  });
  afterEach(async () => {
    source?.close();
    await rm(folder, { recursive: true });
  });

  it('applies the sample policy', () => {
    const { current } = open(join(import.meta.dirname, '../../../hack/samples/policy.yaml'));
    const judge = (type: string, value: string, score = 1, team?: string): string | undefined =>
      current.actionOf({ start: 0, end: value.length, type, score, detector: 'builtin', rule: 'builtin' }, value, team);
    expect(judge('EMAIL_ADDRESS', 'ada@example.org')).to.equal('pseudonymize');
    expect(judge('CREDIT_CARD', '4111 1111 1111 1111')).to.equal('block');
    expect(judge('ORGANIZATION', 'Initech')).to.equal(undefined);
    expect(judge('ORGANIZATION', 'Initech', 1, 'research')).to.equal('pseudonymize');
    expect(judge('ORGANIZATION', 'Initech', 1, 'legal')).to.equal('pseudonymize');
    expect(judge('COORDINATE', '52.5163, 13.3777')).to.equal(undefined);
    expect([judge('PERSON', 'Anna', 0.5), judge('PERSON', 'Anna', 0.6)]).to.deep.equal([undefined, 'pseudonymize']);
    expect([judge('PERSON', 'Paris'), judge('LOCATION', 'Paris', 1, 'legal')]).to.deep.equal([
      undefined,
      'pseudonymize',
    ]);
    expect(judge('EMAIL_ADDRESS', 'support@acme.example')).to.equal(undefined);
    const text = 'Our employee E-123456 works on Project Nightjar.';
    const found = atOnce(current.find(text, undefined)).map(({ type, start, end }) => [type, text.slice(start, end)]);
    expect(found).to.have.deep.members([
      ['EMPLOYEE_ID', 'E-123456'],
      ['PROJECT', 'Project Nightjar'],
    ]);
  });

  it('accepts no policy, YAML, or a file', async () => {
    expect(actionIn(open(undefined))).to.equal('pseudonymize');
    expect(actionIn(open('entities: {PERSON: block}'))).to.equal('block');
    expect(actionIn(open('{"entities": {"PERSON": "ignore"}}'))).to.equal(undefined);
    await writeFile(join(folder, 'policy.yaml'), 'entities: {PERSON: block}');
    expect(actionIn(open(join(folder, 'policy.yaml')))).to.equal('block');
  });

  it('has the revision of its text, and none without a policy', async () => {
    const text = 'entities: {PERSON: block}';
    const revision = policyRevision(text);
    expect(revision).to.match(/^[0-9a-f]{32}$/);
    expect([open(undefined).current.revision, open(' ').current.revision]).to.deep.equal([undefined, undefined]);
    expect(open(text).current.revision).to.equal(revision);
    await writeFile(join(folder, 'policy.yaml'), text);
    expect(open(join(folder, 'policy.yaml')).current.revision).to.equal(revision);
  });

  it('throws for a missing file or an invalid policy', () => {
    expect(() => open(join(folder, 'none.yaml'))).to.throw(Error, /^names .*, which cannot be read$/);
    expect(() => open('entities: {PERSON: hide}')).to.throw(PolicyError, 'entities.PERSON');
  });

  it('reloads a ConfigMap volume after Kubernetes replaces the symbolic link ..data', async () => {
    const version = async (name: string, content: string): Promise<void> => {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'policy.yaml'), content);
      await symlink(name, join(folder, '..data_tmp'));
      await rename(join(folder, '..data_tmp'), join(folder, '..data'));
    };
    await version('..1', 'entities: {PERSON: block}');
    await symlink('..data/policy.yaml', join(folder, 'policy.yaml'));
    const followed = open(join(folder, 'policy.yaml'));
    expect(actionIn(followed)).to.equal('block');
    await version('..2', 'entities: {PERSON: ignore}');
    await until(() => actionIn(followed) === undefined);
    expect(problems).to.deep.equal([]);
  });

  it('keeps the policy if the new version is invalid, reports it once, and applies the next valid version', async () => {
    const file = join(folder, 'policy.yaml');
    await writeFile(file, 'entities: {PERSON: block}');
    const followed = open(file);
    await writeFile(file, 'entities: {PERSON: hide}');
    await until(() => problems.length > 0);
    expect(actionIn(followed)).to.equal('block');
    expect(problems).to.have.length(1);
    expect(problems[0]).to.include('entities.PERSON');
    expect(followed.current.revision).to.equal(policyRevision('entities: {PERSON: block}'));
    await writeFile(file, 'entities: {PERSON: ignore}');
    await until(() => actionIn(followed) === undefined);
    expect(followed.current.revision).to.equal(policyRevision('entities: {PERSON: ignore}'));
    expect(problems).to.have.length(1);
  });
});

describe('a GuardrailPolicy as the policy of the service', () => {
  const opened = (policy: string): PolicySource =>
    openPolicy({ policy, profile: 'personal', report: (problem) => expect.fail(problem.message) });
  const problemsIn = (policy: string): readonly string[] => {
    try {
      opened(policy);
      return [];
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      return error.problems;
    }
  };
  const manifest = (spec: string): string =>
    `apiVersion: gateway.guardrail.dev/v1alpha1\nkind: GuardrailPolicy\nmetadata: { name: a, namespace: ai }\nspec: ${spec}\nstatus: { instances: 1 }`;
  const fields =
    '{ enforcement: Monitor, retention: 12h, profile: Confidential, entities: { IBAN_CODE: { action: Block } } }';

  it('does what it does as a resource, and so do its fields alone', () => {
    for (const text of [manifest(fields), fields]) {
      const { current } = opened(text);
      expect(current.settings).to.include({ mode: 'monitor', mappingTTL: 12 * 3_600_000 });
      const place = { start: 0, end: 1, score: 1, detector: 'builtin', rule: 'r' };
      expect(current.actionOf({ ...place, type: 'LOCATION' }, 'Leeds', undefined)).to.equal('pseudonymize');
      expect(current.actionOf({ ...place, type: 'IBAN_CODE' }, 'DE89', undefined)).to.equal('block');
    }
  });

  it('applies each policy of the samples', async () => {
    const all = await readFile(join(import.meta.dirname, '../../../hack/samples/policies.yaml'), 'utf8');
    const [standard = '', strict = ''] = all.split('\n---\n');
    expect(opened(standard).current.settings.mappingTTL).to.equal(24 * 3_600_000);
    expect(opened(strict).current.settings).to.include({ recall: 'thorough', images: 'block' });
  });

  const cases: readonly (readonly [text: string, problem: string])[] = [
    [
      manifest('{ entities: { PRESON: { action: Block } } }'),
      'spec.entities.PRESON is an entity type that nothing finds: write PERSON,',
    ],
    [manifest('{ mode: loud }'), 'spec.mode must be enforce or monitor.'],
    ['kind: GatewayInstance\napiVersion: gateway.guardrail.dev/v1alpha1', 'kind must be GuardrailPolicy.'],
    ['kind: GuardrailPolicy\nspec: {}', 'apiVersion '],
    [`${manifest('{}')}\nentities: {}`, 'entities is unknown'],
    ['{ mode: monitor, enforcement: Enforce }', 'enforcement is another name of mode: remove one of the two.'],
    [
      'entities: { ORGANISATION: ignore }',
      'entities.ORGANISATION is an entity type that nothing finds: write ORGANIZATION,',
    ],
    [
      'teams: { a: { allow: [{ value: Paris, types: [PHONE] }] } }',
      'teams.a.allow[0].types[0] is an entity type that nothing finds: write PHONE_NUMBER,',
    ],
    ['entities: { BADGE: block }', 'entities.BADGE is an entity type that nothing finds: correct its spelling,'],
  ];
  for (const [text, problem] of cases) {
    it(`refuses ${JSON.stringify(text)}: ${problem}`, () => {
      expect(problemsIn(text)).to.have.length(1);
      expect(problemsIn(text)[0]).to.match(new RegExp(`^${problem.replaceAll(/[.[\]]/g, String.raw`\$&`)}`));
    });
  }

  it('takes types that are its own, or that it lists', () => {
    const own =
      'entities: { BADGE: block, TICKET: block, DENIED: block, STAFF: ignore }\nadditionalEntityTypes: [BADGE]';
    const found =
      "recognizers: [{ name: t, type: TICKET, pattern: 'T-[0-9]' }]\ndeny: [one, { value: two, type: STAFF }]";
    expect(problemsIn(`${own}\n${found}`)).to.deep.equal([]);
  });
});
