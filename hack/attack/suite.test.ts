import { Writable } from 'node:stream';
import { expect } from 'chai';
import { Progress } from '../harness/progress.ts';
import { type Group, runSuite, type SuiteOptions } from './suite.ts';

const silent = new Progress(
  new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  }),
);
const options: SuiteOptions = { seed: 1, isChosen: () => true, progress: silent, limitMs: 60_000, attackMs: 60_000 };

/** @returns a group whose attacks report the given faults. */
function group(name: string, attacks: Readonly<Record<string, () => Promise<readonly string[]>>>): Group {
  return {
    name,
    attacks: Object.keys(attacks),
    run: async (trial) => {
      for (const [attack, work] of Object.entries(attacks)) {
        if (trial.isChosen(attack)) await trial.attempt(attack, work);
      }
    },
  };
}
const well = (): Promise<readonly string[]> => Promise.resolve([]);

describe('the attack suite', () => {
  it('counts passed and failed attacks, with the reasons', async () => {
    const attacks = {
      well,
      ill: () => Promise.resolve(['it is slow', 'it leaks']),
      broken: () => Promise.reject(new Error('no connection')),
    };
    expect(await runSuite([[group('a', attacks)]], options)).to.deep.equal({
      passed: 1,
      failures: ['a/ill: it is slow; it leaks', 'a/broken: no connection'],
    });
  });

  it('runs the chosen attacks, and starts only the groups that they need', async () => {
    let started = 0;
    const counted: Group = {
      ...group('b', { well }),
      run: () => {
        started += 1;
        return Promise.resolve();
      },
    };
    const counts = await runSuite([[group('a', { well, other: well })], [counted]], {
      ...options,
      isChosen: (name) => name === 'a/other',
    });
    expect(counts).to.deep.equal({ passed: 1, failures: [] });
    expect(started).to.equal(0);
  });

  it('counts a group that cannot start as a failure, and continues with the next', async () => {
    const broken: Group = { name: 'a', attacks: ['x'], run: () => Promise.reject(new Error('no port')) };
    const counts = await runSuite([[broken, group('b', { well })]], options);
    expect(counts).to.deep.equal({ passed: 1, failures: ['a: no port'] });
  });

  it('aborts an attack after its limit', async () => {
    const hangs = group('a', { hangs: () => new Promise<readonly string[]>(() => undefined) });
    const counts = await runSuite([[hangs]], { ...options, attackMs: 1 });
    expect(counts.failures).to.deep.equal(['a/hangs: the attack did not end within 0.001 s']);
  });

  it("starts none after the suite's limit", async () => {
    const counts = await runSuite([[group('a', { late: well })]], { ...options, limitMs: -1 });
    expect(counts.passed).to.equal(0);
    expect(counts.failures[0]).to.match(/^a\/late: the suite reached its time limit of/);
  });

  it('runs lanes in parallel', async () => {
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    const waits = group('a', { waits: () => promise });
    const ends = group('b', {
      ends: () => {
        resolve([]);
        return promise;
      },
    });
    expect((await runSuite([[waits], [ends]], options)).passed).to.equal(2);
  });
});
