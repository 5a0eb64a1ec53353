/**
 * What alerts do over time, evaluated by the code of Prometheus. The program in the folder promrules/ is built from Go modules
 * once and cached: promtool itself contains the clients of all clouds, and takes minutes to build.
 */
import { runProgram } from './executables.ts';
import { ensureGoProgram } from './goProgram.ts';
import type { Report } from './progress.ts';

/** An alert that fires. */
export interface FiringAlert {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Rules and samples. */
export interface RuleTrial {
  /** The groups of rules, in YAML. */
  readonly rules: string;
  /** Each line has a series and its values, one a minute, in the notation of promtool: `up{job="a"} 1x10 0x5`. */
  readonly series: readonly string[];
  /** The minutes of which the alerts are wanted, in ascending order. */
  readonly at: readonly number[];
}

/**
 * The program, built if it is not in the cache.
 * @throws Error with the remedy if it cannot be built
 */
export function ensurePromrules(report?: Report): Promise<string> {
  return ensureGoProgram('promrules', report);
}

/** The alerts that fire at each of the times. @throws Error if Prometheus refuses a rule */
export async function firingAlerts(trial: RuleTrial): Promise<FiringAlert[][]> {
  const output = await runProgram(await ensurePromrules(), [], { input: JSON.stringify(trial) });
  return JSON.parse(output) as FiringAlert[][];
}
