import { expect } from 'chai';
import fc from 'fast-check';
import { TestClock, settle } from '../testing/testClock.ts';
import { type Outcome, Priority, WorkQueue } from './workQueue.ts';

const BACKOFF = [100, 10_000] as const;
const done: Outcome = { kind: 'done' };
const failed: Outcome = { kind: 'failed' };

function newQueue(clock = new TestClock()): { queue: WorkQueue; clock: TestClock } {
  return { queue: new WorkQueue(clock, { backoffMs: BACKOFF }), clock };
}

/** Takes all waiting keys. */
async function takeAll(queue: WorkQueue): Promise<string[]> {
  const taken: string[] = [];
  while (queue.depth > 0) {
    const key = await queue.take();
    if (key !== undefined) taken.push(key);
  }
  return taken;
}

describe('the work queue', () => {
  it('merges repeated additions of a waiting key', async () => {
    const { queue } = newQueue();
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key, Priority.changed);
    expect(await takeAll(queue)).to.deep.equal(['a', 'b']);
  });

  it('requeues a key once, after its work, when it is added during the work', async () => {
    const { queue } = newQueue();
    queue.add('a', Priority.changed);
    await queue.take();
    queue.add('a', Priority.changed);
    queue.add('a', Priority.changed);
    expect(queue.depth).to.equal(0);
    queue.finish('a', done);
    expect(await takeAll(queue)).to.deep.equal(['a']);
    queue.finish('a', done);
    expect(queue.size).to.equal(0);
  });

  it('takes changed keys first, then pending, then routine keys', async () => {
    const { queue } = newQueue();
    queue.add('routine', Priority.routine);
    queue.add('pending', Priority.pending);
    queue.add('changed', Priority.changed);
    expect(await takeAll(queue)).to.deep.equal(['changed', 'pending', 'routine']);
  });

  it('takes one new object before 10,000 old ones', async () => {
    const { queue } = newQueue();
    for (let at = 0; at < 10_000; at++) queue.add(`old-${at}`, at % 2 === 0 ? Priority.routine : Priority.pending);
    queue.add('new', Priority.changed);
    expect(await queue.take()).to.equal('new');
  });

  it('is idle while no key waits, is worked on, or is due', async () => {
    const clock = new TestClock();
    let now = 0;
    clock.monotonic = () => now;
    const { queue } = newQueue(clock);
    expect(queue.idle).to.equal(true);
    queue.add('a', Priority.routine);
    expect(queue.idle).to.equal(false);
    await queue.take();
    expect(queue.idle).to.equal(false);
    queue.add('a', Priority.routine);
    queue.finish('a', done);
    expect(queue.idle).to.equal(false);
    await queue.take();
    queue.finish('a', { kind: 'retryAfter', ms: 1_000 });
    expect(queue.idle).to.equal(true);
    // Its timer has not fired.
    now = 1_100;
    expect(queue.depth).to.equal(0);
    expect(queue.idle).to.equal(false);
  });

  describe('between groups', () => {
    /** Keys are `group/number`. */
    const groupOf = (key: string): string => key.split('/')[0] ?? '';
    const fairQueue = (workers: number): WorkQueue =>
      new WorkQueue(new TestClock(), { backoffMs: BACKOFF, fairness: { groupsOf: (key) => [groupOf(key)], workers } });
    const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

    it('takes turns', async () => {
      const queue = fairQueue(1);
      for (const index of numbers(1000)) queue.add(`a/${index}`, Priority.changed);
      for (const key of ['b/0', 'b/1', 'c/0']) queue.add(key, Priority.changed);
      const taken: (string | undefined)[] = [];
      for (const _ of numbers(6)) {
        const key = await queue.take();
        taken.push(key);
        queue.finish(key ?? '', done);
      }
      expect(taken).to.deep.equal(['a/0', 'b/0', 'c/0', 'a/1', 'b/1', 'a/2']);
    });

    it('keeps workers free for other groups, at any priority', async () => {
      const queue = fairQueue(16);
      const taken: string[] = [];
      for (const _ of numbers(16)) void queue.take().then((key) => key !== undefined && taken.push(key));
      for (const index of numbers(1000)) queue.add(`slow/${index}`, Priority.changed);
      await settle();
      expect(taken, 'the first group').to.have.length(8);
      queue.add('b/0', Priority.routine);
      for (const index of numbers(100)) queue.add(`c/${index}`, Priority.pending);
      queue.add('d/0', Priority.pending);
      await settle();
      expect(taken).to.include('b/0').and.include('d/0');
      expect(
        taken.filter((key) => key.startsWith('c/')),
        'half of the free workers',
      ).to.have.length(4);
      // A finished worker takes the next key, so the last group is not starved.
      for (const key of taken.filter((each) => !each.startsWith('slow/'))) queue.finish(key, done);
      queue.finish('slow/0', done);
      await settle();
      expect(taken).to.include('c/4');
    });

    it('shares the workers between outer groups first, however many groups one of them has', async () => {
      const groupsOf = (key: string): string[] => key.split('/').slice(0, -1);
      const queue = new WorkQueue(new TestClock(), { backoffMs: BACKOFF, fairness: { groupsOf, workers: 16 } });
      const taken: string[] = [];
      const working: string[] = [];
      const take = (): void => {
        void queue.take().then((key = '') => {
          taken.push(key);
          working.push(key);
        });
      };
      for (const _ of numbers(16)) take();
      // Keys are `namespace/gateway/number`.
      for (const index of numbers(80)) queue.add(`noisy/${index % 40}/${index}`, Priority.changed);
      await settle();
      expect(taken, 'half of the workers, each for another group').to.have.length(8);
      expect(new Set(taken.map((key) => key.split('/')[1])).size).to.equal(8);
      queue.add('b/0/0', Priority.routine);
      // A group of the same name in another outer group is another one.
      queue.add('c/0/0', Priority.routine);
      await settle();
      expect(taken.slice(8).sort()).to.deep.equal(['b/0/0', 'c/0/0']);
      // No key is lost while its outer group may not get another worker.
      for (let key = working.shift(); key !== undefined; key = working.shift()) {
        queue.finish(key, done);
        take();
        await settle();
      }
      expect(taken).to.have.length(82);
      expect(queue.size).to.equal(0);
    });

    it('property: loses no key, gives a key to one worker at a time, and lets each group take its turn', async () => {
      const adds = fc.array(fc.record({ group: fc.nat(4), key: fc.nat(60) }), {
        maxLength: 200,
      });
      await fc.assert(
        fc.asyncProperty(
          adds,
          fc.integer({ min: 1, max: 8 }),
          fc.infiniteStream(fc.nat(7)),
          async (added, workers, which) => {
            const queue = fairQueue(workers);
            const working: string[] = [];
            const done1 = new Set<string>();
            /** For each waiting group without a worker: the number of keys taken since it began to wait. */
            const waited = new Map<string, number>();
            const open = { takers: 0 };
            const ask = (): void => {
              while (open.takers + working.length < workers) {
                open.takers += 1;
                void queue.take().then((key = '') => {
                  open.takers -= 1;
                  expect(working).to.not.include(key);
                  working.push(key);
                  done1.add(key);
                  for (const [group, count] of waited) waited.set(group, count + 1);
                  waited.delete(groupOf(key));
                });
              }
            };
            const all = new Set(added.map(({ group, key }) => `${group}/${key}`));
            for (const { group, key } of added) queue.add(`${group}/${key}`, Priority.changed);
            ask();
            await settle();
            while (working.length > 0) {
              for (const key of all) {
                const group = groupOf(key);
                const waits = !done1.has(key) && !working.some((each) => groupOf(each) === group);
                if (waits && !waited.has(group)) waited.set(group, 0);
              }
              const [key = ''] = working.splice((which.next().value ?? 0) % working.length, 1);
              queue.finish(key, done);
              ask();
              await settle();
              for (const count of waited.values()) expect(count).to.be.at.most(5);
            }
            expect([...done1].sort()).to.deep.equal([...all].sort());
            expect(queue.size).to.equal(0);
          },
        ),
        { numRuns: 50 },
      );
    });
  });

  it('raises the priority of a waiting key, and never lowers it', async () => {
    const { queue } = newQueue();
    queue.add('a', Priority.routine);
    queue.add('b', Priority.changed);
    queue.add('b', Priority.routine);
    queue.add('c', Priority.pending);
    queue.add('a', Priority.changed);
    expect(await takeAll(queue)).to.deep.equal(['b', 'a', 'c']);
  });

  it('takes routine keys under a flood of changes', async () => {
    const { queue } = newQueue();
    queue.add('old', Priority.routine);
    for (let at = 0; at < 100; at++) queue.add(`new-${at}`, Priority.changed);
    const taken = await takeAll(queue);
    expect(taken.indexOf('old')).to.be.within(1, 20);
  });

  it('requeues a key after the requested time, and at once when it changes before', async () => {
    const { queue, clock } = newQueue();
    queue.add('a', Priority.changed);
    await queue.take();
    queue.finish('a', { kind: 'requeueAfter', ms: 300_000 });
    await clock.advance(299_000);
    expect(queue.depth).to.equal(0);
    await clock.advance(1_001);
    expect(await takeAll(queue)).to.deep.equal(['a']);
    queue.finish('a', { kind: 'requeueAfter', ms: 300_000 });
    queue.add('a', Priority.changed);
    expect(await takeAll(queue)).to.deep.equal(['a']);
    queue.finish('a', done);
    await clock.advance(600_000);
    expect(queue.size, 'the earlier requeue is cancelled').to.equal(0);
  });

  it('doubles the backoff with each consecutive failure, up to the maximum, and resets it after a success', async () => {
    const { queue, clock } = newQueue();
    const waits: number[] = [];
    queue.add('a', Priority.changed);
    for (let failure = 0; failure < 9; failure++) {
      await queue.take();
      queue.finish('a', failed);
      const since = clock.monotonic();
      while (queue.depth === 0) await clock.advance(10);
      waits.push(clock.monotonic() - since);
    }
    expect(waits).to.deep.equal([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    await queue.take();
    queue.finish('a', done);
    queue.add('a', Priority.changed);
    await queue.take();
    queue.finish('a', failed);
    await clock.advance(110);
    expect(queue.depth).to.equal(1);
  });

  it('retries a failing key sooner when it changes, but not in a tight loop', async () => {
    const { queue, clock } = newQueue();
    queue.add('a', Priority.changed);
    let rounds = 0;
    // Each round changes its own object and then fails, like a reconcile that throws after a write.
    for (; clock.monotonic() < 60_000; rounds++) {
      await queue.take();
      queue.add('a', Priority.changed);
      queue.finish('a', failed);
      while (queue.depth === 0) await clock.advance(50);
    }
    expect(rounds).to.be.within(55, 70);
  });

  it('shortens a long backoff to one second when the key changes', async () => {
    const { queue, clock } = newQueue();
    queue.add('a', Priority.changed);
    for (let failure = 0; failure < 8; failure++) {
      await queue.take();
      queue.finish('a', failed);
      if (failure < 7) while (queue.depth === 0) await clock.advance(100);
    }
    queue.add('a', Priority.changed);
    expect(queue.depth).to.equal(0);
    await clock.advance(990);
    expect(queue.depth).to.equal(0);
    await clock.advance(20);
    expect(queue.depth).to.equal(1);
  });

  it('does not let a failing key delay a thousand others', async () => {
    const { queue, clock } = newQueue();
    queue.add('bad', Priority.changed);
    for (let at = 0; at < 1_000; at++) queue.add(`good-${at}`, Priority.pending);
    const counts = new Map<string, number>();
    while (counts.size < 1_001) {
      for (const key of await takeAll(queue)) {
        counts.set(key, (counts.get(key) ?? 0) + 1);
        queue.finish(key, key === 'bad' ? failed : done);
      }
      await clock.advance(1);
    }
    expect(Math.max(...[...counts].filter(([key]) => key !== 'bad').map(([, count]) => count))).to.equal(1);
    expect(counts.get('bad')).to.be.below(3);
  });

  it('does not requeue a key before its retry delay is over', async () => {
    const { queue, clock } = newQueue();
    queue.add('a', Priority.changed);
    await queue.take();
    queue.finish('a', { kind: 'retryAfter', ms: 30_000 });
    await clock.advance(29_990);
    expect(queue.depth).to.equal(0);
    await clock.advance(20);
    expect(queue.depth).to.equal(1);
  });

  it('hands a key to a waiting worker', async () => {
    const { queue } = newQueue();
    const taking = queue.take();
    queue.add('a', Priority.changed);
    expect(await taking).to.equal('a');
  });

  it('ends waiting workers when it closes, cancels its timer and drops waiting keys', async () => {
    const { queue, clock } = newQueue();
    queue.add('a', Priority.changed);
    await queue.take();
    queue.finish('a', { kind: 'requeueAfter', ms: 1_000 });
    const taking = queue.take();
    queue.close();
    expect(await taking).to.equal(undefined);
    expect(await queue.take()).to.equal(undefined);
    expect(clock.pending).to.equal(0);
    expect(queue.size).to.equal(0);
  });

  it('keeps no state of finished keys', async () => {
    const { queue, clock } = newQueue();
    for (let round = 0; round < 50; round++) {
      for (let at = 0; at < 100; at++) queue.add(`${round}-${at}`, Priority.changed);
      for (const key of await takeAll(queue))
        queue.finish(key, round % 2 === 0 ? done : { kind: 'requeueAfter', ms: 10 });
      await clock.advance(20);
      for (const key of await takeAll(queue)) queue.finish(key, done);
    }
    expect(queue.size).to.equal(0);
    expect(clock.pending).to.equal(0);
  });

  const keys = fc.constantFrom('a', 'b', 'c', 'd');
  const steps = fc.array(
    fc.oneof(
      fc.record({ do: fc.constant('add' as const), key: keys, priority: fc.constantFrom(...Object.values(Priority)) }),
      fc.record({ do: fc.constant('take' as const) }),
      fc.record({
        do: fc.constant('finish' as const),
        which: fc.nat(3),
        outcome: fc.oneof(
          fc.constant(done),
          fc.constant(failed),
          fc.record({ kind: fc.constantFrom('requeueAfter' as const, 'retryAfter' as const), ms: fc.nat(5_000) }),
        ),
      }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.nat(3_000) }),
    ),
    { maxLength: 60 },
  );

  it('property: never gives a key to two workers, and works on each key after its last addition', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const { queue, clock } = newQueue();
        const working = new Set<string>();
        /** Keys that were added and not taken since. */
        const owed = new Set<string>();
        const begin = async (): Promise<void> => {
          if (queue.depth === 0) return;
          const key = await queue.take();
          if (key === undefined) throw new Error('closed');
          expect(working.has(key), `${key} is with two workers`).to.equal(false);
          working.add(key);
          owed.delete(key);
        };
        for (const step of script) {
          if (step.do === 'add') {
            queue.add(step.key, step.priority);
            owed.add(step.key);
          } else if (step.do === 'take') await begin();
          else if (step.do === 'wait') await clock.advance(step.ms);
          else {
            const key = [...working][step.which % Math.max(1, working.size)];
            if (key === undefined) continue;
            working.delete(key);
            queue.finish(key, step.outcome);
            if (step.outcome.kind !== 'done') owed.add(key);
          }
        }
        // All remaining keys are taken within a minute of virtual time, despite earlier failures.
        for (let at = 0; at < 200 && (owed.size > 0 || working.size > 0); at++) {
          for (const key of working) queue.finish(key, done);
          working.clear();
          await clock.advance(300);
          while (queue.depth > 0) await begin();
        }
        expect([...owed]).to.deep.equal([]);
        for (const key of working) queue.finish(key, done);
        await settle();
        expect(queue.size).to.equal(0);
      }),
      { numRuns: 500 },
    );
  });
});
