/** Runs attacks: shows what goes on, bounds their time, and counts. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Progress, Report } from '../testing/progress.ts';
import type { TestCounts } from '../test/mocha.ts';
import { randomOf, type Random } from './random.ts';

/** Attacks on one thing that is started for them. */
export interface Group {
  /** What the names of its attacks begin with. */
  readonly name: string;
  /** Names without the group's. */
  readonly attacks: readonly string[];
  /** Starts what is attacked, runs those of the attacks that are chosen, and ends all. */
  run(trial: Trial): Promise<void>;
}

/** What a group is given. */
export interface Trial {
  readonly random: (name: string) => Random;
  readonly progress: Progress;
  isChosen(attack: string): boolean;
  /**
   * Runs one attack and notes how it went. Never throws.
   * @param work returns what is wrong, a phrase each
   */
  attempt(attack: string, work: (report: Report) => Promise<readonly string[]>): Promise<void>;
}

export interface SuiteOptions {
  readonly seed: number;
  /** Chooses attacks by their full names. */
  readonly isChosen: (name: string) => boolean;
  readonly progress: Progress;
  /** What is not begun after so many milliseconds fails, so that the suite has an end. */
  readonly limitMs: number;
  /** The most that one attack may take, with its checks. */
  readonly attackMs: number;
}

/** Runs the chosen attacks of all groups: lanes beside each other, and the groups of a lane one after the other. */
export async function runSuite(lanes: readonly (readonly Group[])[], options: SuiteOptions): Promise<TestCounts> {
  const counts: TestCounts = { passed: 0, failed: 0, failures: [] };
  const deadline = performance.now() + options.limitMs;
  await Promise.all(lanes.map((groups) => runLane(groups, options, counts, deadline)));
  return counts;
}

async function runLane(
  groups: readonly Group[],
  options: SuiteOptions,
  counts: TestCounts,
  deadline: number,
): Promise<void> {
  for (const group of groups) {
    const fullName = (attack: string): string => `${group.name}/${attack}`;
    const isChosen = (attack: string): boolean => options.isChosen(fullName(attack));
    if (!group.attacks.some(isChosen)) continue;
    const fail = (name: string, why: string): void => {
      counts.failed += 1;
      counts.failures.push(`${name}: ${why}`);
      options.progress.line(`  ${name}: ${why}`);
    };
    try {
      await group.run({
        random: (name) => randomOf(options.seed, fullName(name)),
        progress: options.progress,
        isChosen,
        attempt: async (attack, work) => {
          const name = fullName(attack);
          if (performance.now() > deadline) {
            fail(name, `it was not begun within ${options.limitMs / 60_000} minutes`);
            return;
          }
          const faults = await options.progress
            .step(name, async (report) => {
              const found = await bounded(work(report), options.attackMs);
              if (found.length > 0) throw new Faults(found);
              return found;
            })
            .catch((error: unknown) => (error instanceof Faults ? error.faults : [describe(error)]));
          if (faults.length === 0) counts.passed += 1;
          else fail(name, faults.join('; '));
        },
      });
    } catch (error) {
      fail(group.name, describe(error));
    }
  }
}

class Faults extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super('An attack succeeded.');
    this.faults = faults;
  }
}

async function bounded<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const over = new AbortController();
  try {
    return await Promise.race([
      work,
      delay(limitMs, undefined, { signal: over.signal }).then((): never => {
        throw new Error(`it did not end within ${limitMs / 1000} s`);
      }),
    ]);
  } finally {
    over.abort();
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
