/** Selects and runs attacks: prerequisites, seed and order. */
import { randomInt } from 'node:crypto';
import { ensureBinaries } from '../harness/controlplane/binaries.ts';
import { Progress } from '../harness/progress.ts';
import { findRedisServer } from '../harness/redis.ts';
import type { CaseCounts } from '../runner/exitWith.ts';
import { guardrailGroups } from './guardrail/guardrail.ts';
import { operatorGroup } from './operator/operator.ts';
import { type Group, runSuite } from './suite.ts';

/** The operator mostly waits, so the guardrail is attacked in parallel. */
const LANES: readonly (readonly Group[])[] = [guardrailGroups, [operatorGroup]];
/** The time limit of the whole suite. On two quiet processors, the suite takes a fifth of it. */
const LIMIT_MS = 10 * 60_000;
/** The attacks on the operator that run together take more than a minute, and count as one more. */
const ATTACK_MS = 240_000;

/** The full names of all attacks. */
export const ATTACKS: readonly string[] = LANES.flat().flatMap(({ name, attacks }) =>
  attacks.map((one) => `${name}/${one}`),
);

/**
 * @returns `PROPERTY_SEED`, or a random seed.
 * @throws Error with one sentence if the variable is not an integer
 */
export function defaultSeed(given = process.env.PROPERTY_SEED): number {
  if (given === undefined || given === '') return randomInt(2 ** 31);
  const seed = Number(given);
  if (!Number.isInteger(seed)) throw new Error('PROPERTY_SEED must be an integer.');
  return seed;
}

/**
 * Runs the attacks whose names contain one of these texts, or all attacks.
 *
 * @throws Error if a prerequisite is missing
 */
export async function runAttacks(names: readonly string[], seed: number): Promise<CaseCounts> {
  const isChosen = (attack: string): boolean => names.length === 0 || names.some((name) => attack.includes(name));
  const progress = new Progress();
  progress.line(`Attacks with the seed ${seed}; npm run attack -- --seed ${seed} repeats them.`);
  // On a new machine, the downloads take minutes. They do not count towards the limit.
  if (ATTACKS.some((name) => name.startsWith('guardrail/redis/') && isChosen(name))) {
    await progress.step('Redis', findRedisServer);
  }
  if (operatorGroup.attacks.some((name) => isChosen(`${operatorGroup.name}/${name}`))) {
    await progress.step('Control plane', (report) => ensureBinaries(['kube-apiserver', 'etcd', 'kubectl'], { report }));
  }
  return runSuite(LANES, { seed, isChosen, progress, limitMs: LIMIT_MS, attackMs: ATTACK_MS });
}
