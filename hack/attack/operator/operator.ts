import { Planted } from '../planted.ts';
import type { Group, Trial } from '../suite.ts';
import { answerAttacks } from './answers.ts';
import { crashAttacks } from './crashes.ts';
import { costlyAttacks, oddAttacks } from './resources.ts';
import { type OperatorAttack, OperatorStand } from './testbed.ts';

/** Attacks that mostly wait go on beside each other; what the operator must hold is then looked at once for all. */
const TOGETHER: Readonly<Record<string, readonly OperatorAttack[]>> = {
  'beside-hostile-gateways': answerAttacks,
  'beside-odd-resources': oddAttacks,
};
/** Those that load the operator itself go on alone. */
const ALONE: readonly OperatorAttack[] = [...costlyAttacks, ...crashAttacks];

/** All attacks on the operator. */
export const operatorGroup: Group = {
  name: 'operator',
  attacks: [
    ...Object.entries(TOGETHER).flatMap(([around, attacks]) => [...attacks.map(({ name }) => name), around]),
    ...ALONE.map(({ name }) => name),
  ],
  run: async (trial) => {
    const stand = await trial.progress.step('The operator on an API server', (report) => OperatorStand.start(report));
    try {
      for (const [around, attacks] of Object.entries(TOGETHER)) await together(stand, around, attacks, trial);
      for (const attack of ALONE) {
        if (trial.isChosen(attack.name)) await trial.attempt(attack.name, () => alone(stand, attack, trial));
      }
    } finally {
      await stand.stop();
    }
  },
};

async function together(
  stand: OperatorStand,
  around: string,
  attacks: readonly OperatorAttack[],
  trial: Trial,
): Promise<void> {
  const chosen = attacks.filter(({ name }) => trial.isChosen(around) || trial.isChosen(name));
  if (chosen.length === 0) return;
  const planted = new Planted(trial.random(around));
  await trial.attempt(around, () =>
    stand.suffer(async () => {
      await Promise.all(
        chosen.map(({ name, run }) =>
          trial.attempt(name, () => run({ stand, random: trial.random(name), planted, namespace: name })),
        ),
      );
      return [];
    }, planted),
  );
}

async function alone(
  stand: OperatorStand,
  { name, run, outage }: OperatorAttack,
  trial: Trial,
): Promise<readonly string[]> {
  const [random, planted] = [trial.random(name), new Planted(trial.random(name))];
  const attack = async (): Promise<readonly string[]> => {
    try {
      return await run({ stand, random, planted, namespace: name });
    } finally {
      await stand.clear(name);
    }
  };
  return stand.suffer(attack, planted, outage === undefined ? {} : { outage });
}
