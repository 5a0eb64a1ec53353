import { expect } from 'chai';
import { PodAnswers } from './podAnswers.ts';
import type { GuardrailPod, Revisions } from './pods.ts';
import { WrittenLists } from './writtenLists.ts';

const SECOND = 1_000;
const { signal } = new AbortController();

describe('what the pods of a guardrail have answered', () => {
  let now: number;
  let lists: WrittenLists;
  let answers: PodAnswers;
  let asked: string[];
  /** What each pod has now; undefined: it does not answer. */
  let has: Record<string, Revisions | undefined>;
  beforeEach(() => {
    now = 0;
    lists = new WrittenLists();
    answers = new PodAnswers(() => now);
    asked = [];
    has = {};
  });
  const write = (revision: string): void => {
    lists.record(revision, () => new Map());
  };
  const update = async (policy?: string): Promise<Awaited<ReturnType<PodAnswers['update']>>> => {
    const pods = Object.keys(has).map((id): GuardrailPod => ({
      id,
      name: `pod ${id}`,
      ask: () => {
        asked.push(id);
        return Promise.resolve(has[id]);
      },
    }));
    return await answers.update(pods, { lists, policy }, signal);
  };

  it('are those of every pod, and a pod that has everything is not asked again', async () => {
    write('a');
    has = { x: { customerList: 'a', policy: 'p' }, y: { customerList: 'a' } };
    expect(await update('p')).to.include({ list: 1, hasPolicy: false, askAfterMs: 3 * SECOND });
    has.y = { customerList: 'a', policy: 'p' };
    expect(await update('p')).to.include({ hasPolicy: false, askAfterMs: 3 * SECOND });
    now = 3 * SECOND;
    expect(await update('p')).to.deep.equal({ list: 1, hasPolicy: true, askAfterMs: undefined, silent: undefined });
    expect(asked).to.deep.equal(['x', 'y', 'y']);
  });

  it('change with a pod that becomes ready with an older list', async () => {
    write('a');
    write('b');
    has = { x: { customerList: 'b' } };
    expect(await update()).to.include({ list: 2 });
    has.y = { customerList: 'a' };
    expect(await update()).to.include({ list: 1, askAfterMs: 3 * SECOND });
    has.z = {};
    expect(await update()).to.include({ list: 0 });
    delete has.z;
    expect(await update()).to.include({ list: 1 });
    now = 3 * SECOND;
    has.y = { customerList: 'b' };
    expect(await update()).to.include({ list: 2, askAfterMs: undefined });
    expect(asked).to.deep.equal(['x', 'y', 'z', 'y']);
  });

  it('count a list that a pod has read, although another one was written', async () => {
    write('a');
    has = { x: { customerList: 'a' } };
    await update();
    write('b');
    expect(await update()).to.include({ list: 1, askAfterMs: 3 * SECOND });
    write('c');
    has.x = { customerList: 'b' };
    now = 3 * SECOND;
    expect(await update()).to.include({ list: 2 });
    // A list that this process does not know takes nothing back.
    has.x = { customerList: 'unknown' };
    now = 10 * SECOND;
    expect(await update()).to.include({ list: 2 });
  });

  it('do not count for a policy that was written again after another one', async () => {
    has = { x: { policy: 'p' } };
    expect(await update('p')).to.include({ hasPolicy: true });
    has.x = { policy: 'q' };
    expect(await update('q')).to.include({ hasPolicy: true });
    expect(await update('p')).to.include({ hasPolicy: false });
    expect(await update(undefined)).to.include({ hasPolicy: false, askAfterMs: undefined });
  });

  it('are requested less and less often from a pod that does not get its files', async () => {
    write('a');
    has = { x: {} };
    const waits: (number | undefined)[] = [];
    for (const at of [0, 20, 100, 3_600]) {
      now = at * SECOND;
      waits.push((await update()).askAfterMs);
    }
    expect(waits).to.deep.equal([3, 3, 10, 60].map((seconds) => seconds * SECOND));
    has.x = { customerList: 'a' };
    now += 60 * SECOND;
    await update();
    write('b');
    expect((await update()).askAfterMs).to.equal(3 * SECOND);
  });

  it('name a pod that has left the operator without an answer for a minute', async () => {
    write('a');
    has = { x: { customerList: 'a' }, y: undefined };
    expect(await update()).to.include({ list: 0, silent: undefined });
    now = 60 * SECOND;
    expect(await update()).to.include({ silent: 'pod y' });
    has.y = {};
    now = 200 * SECOND;
    expect(await update()).to.include({ list: 0, silent: undefined });
  });
});
