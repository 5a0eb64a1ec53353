import { setTimeout as delay } from 'node:timers/promises';
import { Canaries } from '../canaries.ts';
import type { Group, Trial } from '../suite.ts';
import { answerAttacks } from './answers.ts';
import { crashAttacks } from './crashes.ts';
import { costlyAttacks, oddAttacks } from './resources.ts';
import { tenantAttacks } from './tenants.ts';
import { Namespace } from './namespace.ts';
import { type Context, type OperatorAttack, OperatorTestbed } from './testbed.ts';

/** Attacks that run in parallel: most of their time is waiting. The costly ones use one thread, and run one after the other. */
const TOGETHER: readonly OperatorAttack[] = [...answerAttacks, ...oddAttacks, ...tenantAttacks, ...costlyAttacks];
/** Checks the operator and its other tenants while the attacks run in parallel, and after them. */
const AROUND = 'beside-hostile-tenants';
/**
 * The interval between the starts of attacks that run in parallel. The setup of twenty gateways at once alone occupies two
 * processors for a second, which says nothing about the attacks.
 */
const SETUP_MS = 200;

/** All attacks on the operator. */
export const operatorGroup: Group = {
  name: 'operator',
  attacks: [...TOGETHER.map(({ name }) => name), AROUND, ...crashAttacks.map(({ name }) => name)],
  run: async (trial) => {
    const testbed = await trial.progress.step('The operator on an API server', (report) =>
      OperatorTestbed.start(report),
    );
    try {
      await together(testbed, trial);
      for (const { name, run } of crashAttacks) {
        if (!trial.isChosen(name)) continue;
        const canaries = new Canaries(trial.random(name));
        const attack = async () => run(await contextOf(testbed, trial, canaries, name));
        await trial.attempt(name, () => testbed.runAttack(attack, canaries, { outage: true }));
      }
    } finally {
      await testbed.stop();
    }
  },
};

async function together(testbed: OperatorTestbed, trial: Trial): Promise<void> {
  const chosen = TOGETHER.filter(({ name }) => trial.isChosen(AROUND) || trial.isChosen(name));
  if (chosen.length === 0) return;
  const canaries = new Canaries(trial.random(AROUND));
  const all = async (): Promise<readonly string[]> => {
    const one = ({ name, run }: OperatorAttack): Promise<void> =>
      trial.attempt(name, async () => run(await contextOf(testbed, trial, canaries, name)));
    const waiting = chosen
      .filter((attack) => !costlyAttacks.includes(attack))
      .map(async (attack, at) => {
        await delay(at * SETUP_MS);
        await one(attack);
      });
    for (const attack of costlyAttacks) if (chosen.includes(attack)) await one(attack);
    await Promise.all(waiting);
    return [];
  };
  await trial.attempt(AROUND, () => testbed.runAttack(all, canaries));
}

async function contextOf(testbed: OperatorTestbed, trial: Trial, canaries: Canaries, name: string): Promise<Context> {
  const home = await Namespace.create(name, testbed.client);
  return { testbed, random: trial.random(name), canaries, home };
}
