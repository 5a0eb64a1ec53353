import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import { policyRevision } from '../guardrail.ts';
import { eventually, PLANTED, startHarness, type Harness } from '../testing/appHarness.ts';

const pixels = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'white' } })
  .png()
  .toBuffer();
const IMAGE = `data:image/png;base64,${pixels.toString('base64')}`;
const REMOTE = 'https://images.example.org/photo.png';
/** A code that only a search for all that could be a name replaces. */
const DOUBTFUL = 'Linden is away';

const ask = async (service: Harness, content: Record<string, unknown>): Promise<string> => {
  const { body } = await service.guard({
    input_type: 'request',
    request_data: { user_api_key_team_id: 'team-1', user_api_key_end_user_id: PLANTED.endUser },
    ...content,
  });
  return (body as { action: string }).action;
};

/** Each setting of a policy against the opposite setting of the service. */
const cases: readonly {
  readonly policy: string;
  readonly env: NodeJS.ProcessEnv;
  readonly content: Record<string, unknown>;
  /** The action without the policy, and with it. */
  readonly actions: readonly [string, string];
}[] = [
  {
    policy: 'mode: monitor',
    env: { GUARDRAIL_MODE: 'enforce' },
    content: { texts: [`Mail ${PLANTED.email}`] },
    actions: ['GUARDRAIL_INTERVENED', 'NONE'],
  },
  {
    policy: 'mode: enforce',
    env: { GUARDRAIL_MODE: 'monitor' },
    content: { texts: [`Mail ${PLANTED.email}`] },
    actions: ['NONE', 'GUARDRAIL_INTERVENED'],
  },
  {
    policy: 'images: block',
    env: { GUARDRAIL_IMAGES: 'pass' },
    content: { texts: ['Look'], images: [IMAGE] },
    actions: ['NONE', 'BLOCKED'],
  },
  {
    policy: 'images: pass',
    env: { GUARDRAIL_IMAGES: 'block' },
    content: { texts: ['Look'], images: [IMAGE] },
    actions: ['BLOCKED', 'NONE'],
  },
  {
    policy: 'remoteImages: pass',
    env: { GUARDRAIL_REMOTE_IMAGES: 'block' },
    content: { texts: ['Look'], images: [REMOTE] },
    actions: ['BLOCKED', 'NONE'],
  },
  {
    policy: 'recall: thorough',
    env: { GUARDRAIL_RECALL: 'precise' },
    content: { texts: [DOUBTFUL] },
    actions: ['NONE', 'GUARDRAIL_INTERVENED'],
  },
  {
    policy: 'recall: precise',
    env: { GUARDRAIL_RECALL: 'thorough' },
    content: { texts: [DOUBTFUL] },
    actions: ['GUARDRAIL_INTERVENED', 'NONE'],
  },
];

async function withService<T>(env: NodeJS.ProcessEnv, work: (service: Harness) => Promise<T>): Promise<T> {
  const service = await startHarness({ env });
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

describe('a setting of the policy', () => {
  for (const { policy, env, content, actions } of cases) {
    it(`replaces that of the service: ${policy}`, async () => {
      const without = await withService(env, (service) => ask(service, content));
      const applied = await withService({ ...env, GUARDRAIL_POLICY: policy }, (service) => ask(service, content));
      expect([without, applied]).to.deep.equal(actions);
    });
  }

  it('limits how long a mapping is stored', async () => {
    const expiry = await withService({ GUARDRAIL_POLICY: 'mappingTTL: 5m' }, async (service) => {
      const { headers } = await service.guard({
        input_type: 'request',
        request_data: { user_api_key_team_id: 'team-1', user_api_key_end_user_id: PLANTED.endUser },
        texts: [`Mail ${PLANTED.email}`],
      });
      const id = headers.get('x-session-id') ?? '';
      await service.guard({
        input_type: 'response',
        request_data: { user_api_key_team_id: 'team-1', user_api_key_end_user_id: PLANTED.endUser },
        texts: ['<EMAIL_ADDRESS_ABCDEFGH>'],
      });
      const { body } = await service.call('GET', `/sessions/${id}`);
      return Date.parse((body as { expires_at: string }).expires_at) - Date.now();
    });
    expect(expiry / 60_000).to.be.within(4, 5);
  });

  it('takes effect without a restart, also on whether the service is ready', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'policy-'));
    const path = join(folder, 'policy.yaml');
    const content = { texts: [`Mail ${PLANTED.email}`] };
    try {
      writeFileSync(path, 'mode: enforce\n');
      await withService({ GUARDRAIL_POLICY: path }, async (service) => {
        expect(await ask(service, content)).to.equal('GUARDRAIL_INTERVENED');
        writeFileSync(path, 'mode: monitor\n');
        await eventually(async () => (await ask(service, content)) === 'NONE');
        writeFileSync(path, 'mode: enforce\nimages: block\n');
        await eventually(async () => (await ask(service, content)) === 'GUARDRAIL_INTERVENED');
        expect(await ask(service, { texts: ['Look'], images: [IMAGE] })).to.equal('BLOCKED');
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the revision of the policy', () => {
  const revisionIn = async (service: Harness): Promise<string | undefined> => {
    const { body } = await service.call('GET', '/configuration');
    return (body as { policy: { revision: string } | null }).policy?.revision;
  };
  const env = { GUARDRAIL_ADMIN_KEYS: 'litellm' };

  it('is reported to admins, and is the one in force while its file is not valid', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'policy-'));
    const path = join(folder, 'policy.yaml');
    const [first, second, third] = ['mode: enforce\n', 'mode: monitor\n', 'images: block\n'] as const;
    try {
      writeFileSync(path, first);
      await withService({ ...env, GUARDRAIL_POLICY: path }, async (service) => {
        expect(await revisionIn(service)).to.equal(policyRevision(first));
        writeFileSync(path, second);
        await eventually(async () => (await revisionIn(service)) === policyRevision(second));
        writeFileSync(path, 'mode: never\n');
        await eventually(() => service.logs.some((line) => line.includes('The previous value stays in use.')));
        expect(await revisionIn(service)).to.equal(policyRevision(second));
        writeFileSync(path, third);
        await eventually(async () => (await revisionIn(service)) === policyRevision(third));
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is that of a text in the settings, and null without a policy', async () => {
    const text = 'mode: monitor';
    expect(await withService({ ...env, GUARDRAIL_POLICY: text }, revisionIn)).to.equal(policyRevision(text));
    expect(await withService(env, revisionIn)).to.equal(undefined);
  });
});
