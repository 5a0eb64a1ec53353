/** Runs attacks: reports progress, limits their time, and counts the results. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Progress, Report } from '../harness/progress.ts';
import type { CaseCounts } from '../runner/exitWith.ts';
import { randomOf, type Random } from './random.ts';

/** Attacks that share one target. */
export interface Group {
  /** The prefix of the names of its attacks. */
  readonly name: string;
  /** Names without the prefix. */
  readonly attacks: readonly string[];
  /** Starts the target, runs the chosen attacks, and stops the target. */
  run(trial: Trial): Promise<void>;
}

/** The interface of a group to the suite. */
export interface Trial {
  readonly random: (name: string) => Random;
  readonly progress: Progress;
  isChosen(attack: string): boolean;
  /**
   * Runs one attack and records its result. Never throws.
   *
   * @param work returns the faults, one phrase for each
   */
  attempt(attack: string, work: (report: Report) => Promise<readonly string[]>): Promise<void>;
}

export interface SuiteOptions {
  readonly seed: number;
  /** Selects attacks by their full names. */
  readonly isChosen: (name: string) => boolean;
  readonly progress: Progress;
  /** The time limit of the suite. An attack that starts after this time fails. */
  readonly limitMs: number;
  /** The time limit of one attack, including its checks. */
  readonly attackMs: number;
}

/** Runs the chosen attacks of all groups: the lanes in parallel, the groups of a lane in sequence. */
export async function runSuite(lanes: readonly (readonly Group[])[], options: SuiteOptions): Promise<CaseCounts> {
  const counts: CaseCounts = { passed: 0, failures: [] };
  const deadline = performance.now() + options.limitMs;
  await Promise.all(lanes.map((groups) => runLane(groups, options, counts, deadline)));
  return counts;
}

async function runLane(
  groups: readonly Group[],
  options: SuiteOptions,
  counts: CaseCounts,
  deadline: number,
): Promise<void> {
  for (const group of groups) {
    const fullName = (attack: string): string => `${group.name}/${attack}`;
    const isChosen = (attack: string): boolean => options.isChosen(fullName(attack));
    if (!group.attacks.some(isChosen)) continue;
    const fail = (name: string, why: string): void => {
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
            fail(name, `the suite reached its time limit of ${options.limitMs / 60_000} minutes before the attack`);
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
        throw new Error(`the attack did not end within ${limitMs / 1000} s`);
      }),
    ]);
  } finally {
    over.abort();
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
