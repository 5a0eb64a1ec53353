import { expect } from 'chai';
import fc from 'fast-check';
import { runTasks, type Task } from './schedule.ts';

/** Tasks that end when the test says so. */
class Trial {
  readonly running: string[] = [];
  readonly started: string[] = [];
  readonly #ends = new Map<string, PromiseWithResolvers<undefined>>();

  task(name: string, share: number, ready?: Promise<unknown>): Task {
    const end = Promise.withResolvers<undefined>();
    this.#ends.set(name, end);
    return {
      name,
      share,
      ...(ready && { ready }),
      run: async () => {
        this.started.push(name);
        this.running.push(name);
        await end.promise.finally(() => this.running.splice(this.running.indexOf(name), 1));
      },
    };
  }

  async end(name: string, error?: Error): Promise<void> {
    const end = this.#ends.get(name);
    if (error) end?.reject(error);
    else end?.resolve(undefined);
    await settled();
  }
}

/** Lets all continuations of settled promises run. */
const settled = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

describe('schedule', () => {
  it('starts tasks in order while the processors have room, and smaller ones before one that does not fit', async () => {
    const trial = new Trial();
    const run = runTasks([trial.task('a', 1), trial.task('b', 0.5), trial.task('c', 1), trial.task('d', 0.5)], 2);
    expect(trial.running).to.deep.equal(['a', 'b', 'd']);
    await trial.end('b');
    expect(trial.running).to.deep.equal(['a', 'd']);
    await trial.end('d');
    expect(trial.running).to.deep.equal(['a', 'c']);
    await trial.end('a');
    await trial.end('c');
    await run;
  });

  it('starts a task that is larger than the processors when nothing else runs', async () => {
    const trial = new Trial();
    const run = runTasks([trial.task('large', 5), trial.task('small', 1)], 2);
    expect(trial.running).to.deep.equal(['large']);
    await trial.end('large');
    expect(trial.running).to.deep.equal(['small']);
    await trial.end('small');
    await run;
  });

  it('starts a task only when it is ready', async () => {
    const trial = new Trial();
    const server = Promise.withResolvers<undefined>();
    const run = runTasks([trial.task('needs a server', 1, server.promise), trial.task('other', 1)], 1);
    expect(trial.running).to.deep.equal(['other']);
    await trial.end('other');
    expect(trial.running).to.deep.equal([]);
    server.resolve(undefined);
    await settled();
    expect(trial.running).to.deep.equal(['needs a server']);
    await trial.end('needs a server');
    await run;
  });

  for (const what of ['a server that cannot start', 'a task that throws'] as const) {
    it(`starts nothing more after ${what}, and rejects when the running tasks have ended`, async () => {
      const trial = new Trial();
      const server = Promise.withResolvers<undefined>();
      const run = runTasks([trial.task('a', 1), trial.task('b', 1, server.promise), trial.task('c', 1)], 1);
      const outcome = run.then(
        () => 'resolved',
        (error: unknown) => String(error),
      );
      if (what === 'a task that throws') {
        await trial.end('a', new Error('no'));
      } else {
        server.reject(new Error('no'));
        await settled();
        expect(trial.running).to.deep.equal(['a']);
        await trial.end('a');
      }
      expect(await outcome).to.equal('Error: no');
      expect(trial.started).to.deep.equal(['a']);
    });
  }

  it('runs each task once, and never more than fits', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: 0.1, max: 3, noNaN: true }), { maxLength: 20 }),
        fc.double({ min: 0.5, max: 4, noNaN: true }),
        async (shares, processors) => {
          const started: number[] = [];
          const running = new Set<number>();
          await runTasks(
            shares.map((share, index) => ({
              name: String(index),
              share,
              run: async () => {
                started.push(index);
                running.add(index);
                const used = [...running].reduce((sum, each) => sum + (shares[each] ?? 0), 0);
                if (running.size > 1) expect(used).to.be.at.most(processors + 1e-9);
                for (let turn = 0; turn < index % 3; turn += 1) await Promise.resolve();
                running.delete(index);
              },
            })),
            processors,
          );
          expect(started.toSorted((a, b) => a - b)).to.deep.equal([...shares.keys()]);
        },
      ),
    );
  });
});
