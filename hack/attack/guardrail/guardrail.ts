import type { Group } from '../suite.ts';
import { bodyAttacks } from './bodies.ts';
import { crashAttacks } from './crashes.ts';
import { fuzzAttacks } from './fuzz.ts';
import { imageAttacks } from './images.ts';
import { sessionAttacks } from './sessions.ts';
import type { StoreKind } from './attack.ts';
import { GuardrailTestbed } from './testbed.ts';
import { tenantAttacks } from './tenants.ts';
import { textAttacks } from './texts.ts';
import { tickSearch } from './tickSearch.ts';

const ATTACKS = [
  ...textAttacks,
  ...bodyAttacks,
  ...imageAttacks,
  ...sessionAttacks,
  ...tenantAttacks,
  ...fuzzAttacks,
  ...crashAttacks,
];

/** @returns all attacks on the guardrail with one type of store. */
function group(store: StoreKind): Group {
  const attacks = ATTACKS.filter((attack) => attack.store === undefined || attack.store === store);
  return {
    name: `guardrail/${store}`,
    attacks: attacks.map(({ name }) => name),
    run: async (trial) => {
      const testbed = await trial.progress.step(`The guardrail with its mappings in ${store}`, () =>
        GuardrailTestbed.start(store, trial.random('testbed')),
      );
      try {
        for (const attack of attacks) {
          if (!trial.isChosen(attack.name)) continue;
          await trial.attempt(attack.name, () => testbed.runAttack(attack, trial.random(attack.name)));
        }
      } finally {
        await testbed.stop();
      }
    },
  };
}

export const guardrailGroups: readonly Group[] = [group('memory'), group('redis'), tickSearch];
