/** What the parts of a test run report, and what the run as a whole says. Pure. */
import type { TestFailure } from './worker.ts';

/** The result of a part of a test run: a test file, a check, or a program with cases of its own. */
export interface Outcome {
  /** The path of a file, or a title. */
  readonly name: string;
  readonly passed: number;
  readonly failures: readonly TestFailure[];
  readonly wallMs: number;
  /** Unknown for programs whose processes are not children of this one. */
  readonly processorMs?: number;
}

/** A part that failed and ran once more, alone, after all others. */
export interface SecondRun {
  readonly first: Outcome;
  readonly second: Outcome;
}

/** The result of a test run. */
export interface Verdict {
  readonly passed: number;
  readonly failed: number;
  /** One line for each flaky test, then one for each failure. */
  readonly lines: readonly string[];
}

/** More parts than these may not pass only on the second run: something is wrong with the machine or with the change. */
export const MOST_FLAKY = 3;

/**
 * Counts a run. Of a part that ran twice, the second run counts. If that passed, each failure of the first run is a line
 * `FLAKY name › test: message`. A second failure, or more flaky parts than {@link MOST_FLAKY}, fails the run.
 *
 * @param once the outcomes of the parts that ran once
 * @param other failures that belong to no part, one sentence each
 */
export function verdict(once: readonly Outcome[], twice: readonly SecondRun[], other: readonly string[] = []): Verdict {
  const counted = [...once, ...twice.map(({ second }) => second)];
  const flaky = twice.filter(({ second }) => second.failures.length === 0).map(({ first }) => first);
  const failed = [...counted.flatMap(failureLines('FAILED')), ...other.map((sentence) => `FAILED ${sentence}`)];
  if (flaky.length > MOST_FLAKY) {
    failed.push(
      `FAILED ${flaky.length} files passed only when they ran once more. At most ${MOST_FLAKY} may: find out what they share.`,
    );
  }
  return {
    passed: counted.reduce((sum, { passed }) => sum + passed, 0),
    failed: failed.length,
    lines: [...flaky.flatMap(failureLines('FLAKY')), ...failed],
  };
}

function failureLines(word: 'FAILED' | 'FLAKY'): (outcome: Outcome) => string[] {
  return ({ name, failures }) => failures.map(({ title, message }) => `${word} ${name} › ${title}: ${message}`);
}

/** A table of the times of a run: its stages, then its parts. Slowest first. */
export function timesTable(stages: ReadonlyMap<string, readonly Outcome[]>): string[] {
  const rows: [wall: number, processor: number | undefined, name: string][] = [];
  const add = (name: string, outcomes: readonly Outcome[]): void => {
    const processors = outcomes.flatMap(({ processorMs }) => processorMs ?? []);
    rows.push([sum(outcomes.map(({ wallMs }) => wallMs)), processors.length > 0 ? sum(processors) : undefined, name]);
  };
  for (const [stage, outcomes] of stages) add(`${stage} (${outcomes.length})`, outcomes);
  const stageRows = rows.splice(0).sort(([a], [b]) => b - a);
  for (const outcomes of stages.values()) for (const outcome of outcomes) add(outcome.name, [outcome]);
  rows.sort(([a], [b]) => b - a);
  const line = ([wall, processor, name]: (typeof rows)[number]): string =>
    `${seconds(wall)} ${processor === undefined ? '         -' : seconds(processor)}  ${name}`;
  return ['      wall  processor  stage', ...stageRows.map(line), '', '      wall  processor  file', ...rows.map(line)];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`.padStart(10);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
