import { setTimeout as delay } from 'node:timers/promises';
import { Canaries } from '../canaries.ts';
import { confirm } from '../measure.ts';
import type { Group, Trial } from '../suite.ts';
import { answerAttacks } from './answers.ts';
import { crashAttacks } from './crashes.ts';
import { costlyAttacks, oddAttacks } from './resources.ts';
import { type OperatorAttack, OperatorTestbed } from './testbed.ts';

/** Attacks that mostly wait run in parallel. The operator's state is then checked once for all of them. */
const TOGETHER: Readonly<Record<string, readonly OperatorAttack[]>> = {
  'beside-hostile-gateways': answerAttacks,
  'beside-odd-resources': oddAttacks,
};
/**
 * The interval between the starts of attacks that run in parallel. The setup of twenty gateways at once alone occupies two
 * processors for a second, which says nothing about the attacks.
 */
const SETUP_MS = 200;
/** Attacks that load the operator itself run alone. */
const ALONE: readonly OperatorAttack[] = [...costlyAttacks, ...crashAttacks];

/** All attacks on the operator. */
export const operatorGroup: Group = {
  name: 'operator',
  attacks: [
    ...Object.entries(TOGETHER).flatMap(([around, attacks]) => [...attacks.map(({ name }) => name), around]),
    ...ALONE.map(({ name }) => name),
  ],
  run: async (trial) => {
    const testbed = await trial.progress.step('The operator on an API server', (report) =>
      OperatorTestbed.start(report),
    );
    try {
      for (const [around, attacks] of Object.entries(TOGETHER)) await together(testbed, around, attacks, trial);
      for (const attack of ALONE) {
        if (trial.isChosen(attack.name)) await trial.attempt(attack.name, () => alone(testbed, attack, trial));
      }
    } finally {
      await testbed.stop();
    }
  },
};

async function together(
  testbed: OperatorTestbed,
  around: string,
  attacks: readonly OperatorAttack[],
  trial: Trial,
): Promise<void> {
  const chosen = attacks.filter(({ name }) => trial.isChosen(around) || trial.isChosen(name));
  if (chosen.length === 0) return;
  const canaries = new Canaries(trial.random(around));
  await trial.attempt(around, async () => {
    const { faults, slowdown } = await testbed.runAttack(async () => {
      await Promise.all(
        chosen.map(async ({ name, run }, at) => {
          await delay(at * SETUP_MS);
          await trial.attempt(name, () => run({ testbed, random: trial.random(name), canaries, namespace: name }));
        }),
      );
      return [];
    }, canaries);
    return slowdown === undefined ? faults : [...faults, slowdown];
  });
}

async function alone(
  testbed: OperatorTestbed,
  { name, run, outage }: OperatorAttack,
  trial: Trial,
): Promise<readonly string[]> {
  const [random, canaries] = [trial.random(name), new Canaries(trial.random(name))];
  let runs = 0;
  const attack = async (): Promise<readonly string[]> => {
    // The namespace of a previous run remains.
    const namespace = `${name}${'-again'.repeat(runs)}`;
    runs += 1;
    try {
      return await run({ testbed, random, canaries, namespace });
    } finally {
      await testbed.clear(namespace);
    }
  };
  return confirm(() => testbed.runAttack(attack, canaries, outage === undefined ? {} : { outage }));
}
