/** What the holder of one API key does to the holder of another. */
import { basic, textsOf } from './client.ts';
import { answered } from './texts.ts';
import type { GuardrailAttack } from './attack.ts';

const MB = 1_000_000;
const LINE = 'Please summarise the notes of Anna Schmidt, and then send them to all who were there.\n';

const attacks: readonly GuardrailAttack[] = [
  {
    name: 'long-texts-of-another-key',
    store: 'memory',
    run: async (target) => {
      const { attacker, other } = target.keys;
      const large = LINE.repeat((9 * MB) / LINE.length);
      const ended: string[] = [];
      const sent = Array.from({ length: 8 }, async () => {
        const answer = await target.send({ key: attacker, body: basic('request', { texts: [large] }) });
        // A call that is shed does not keep others waiting.
        if (answer.status === 200) ended.push('large');
        return answer;
      });
      const value = target.canaries.email();
      const text = `${LINE.repeat(20_000 / LINE.length)}Write to ${value} today.`;
      const small = await target.send({ key: other, body: basic('request', { texts: [text] }) });
      answered(target, 'a text of 20 kB beside eight of 9 MB', [small], [200]);
      if (textsOf(small).join('').includes(value)) target.fault('a value of the other tenant was not replaced');
      // Their places in one queue would let it wait for all that arrived before.
      if (ended.length > 4) target.fault(`a text of 20 kB waited for ${ended.length} of eight texts of 9 MB`);
      answered(target, 'the texts of 9 MB', await Promise.all(sent));
    },
  },
  {
    name: 'mappings-of-another-key',
    store: 'memory',
    run: async (target) => {
      const { attacker, other } = target.keys;
      const value = target.canaries.email();
      const masked = await target.send({ key: other, body: basic('request', { texts: [`Write to ${value}.`] }) });
      const values = (call: number): string =>
        Array.from({ length: 5000 }, (_, at) => `${'x'.repeat(60)}${call}.${at}@example.org`).join('\n');
      for (let call = 0; call < 24; call += 1) {
        const body = {
          ...basic('request', { texts: [values(call)] }),
          request_data: { user_api_key_end_user_id: `${call}` },
        };
        answered(target, 'a text with 5,000 values', [await target.send({ key: attacker, body })]);
      }
      const restored = await target.send({ key: other, body: basic('response', { texts: textsOf(masked) }) });
      if (!textsOf(restored).join('').includes(value)) target.fault('the mapping of another tenant was evicted');
      for (let call = 0; call < 24; call += 1) {
        await target.send({ path: '/subjects/erase', key: attacker, body: { end_user_id: `${call}` } });
      }
    },
  },
];

export const tenantAttacks = [...attacks];
