/** Attempts to read values from another tenant's session. */
import { randomBytes } from 'node:crypto';
import { CODE_ALPHABET } from '../../../guardrail/pseudonymization/pseudonymization.ts';
import { basic, pseudonymsIn, textsOf, type Answer } from './client.ts';
import type { GuardrailAttack, Target } from './attack.ts';
import { answered } from './texts.ts';

/** The minimum length of a code: guessing 40 bits takes too many calls. */
const MIN_CODE_LENGTH = 8;

/**
 * Pseudonymizes a new value.
 *
 * @returns the value, its pseudonym and the session
 */
async function maskOne(
  target: Target,
  key: string,
  id = 'attack',
): Promise<{ readonly value: string; readonly pseudonym: string; readonly session: string }> {
  const value = target.canaries.email();
  const answer = await target.send({ key, body: basic('request', { texts: [`Write to ${value} today.`] }, id) });
  const [pseudonym = ''] = pseudonymsIn(textsOf(answer).join(' '));
  const session = answer.headers['x-session-id'];
  if (pseudonym === '') target.fault(`a value was not pseudonymized (status ${answer.status})`);
  return { value, pseudonym, session: typeof session === 'string' ? session : '' };
}

function mustNotContain(target: Target, what: string, answer: Answer, value: string): void {
  if (answer.text.includes(value)) target.fault(what);
}

const attacks: readonly GuardrailAttack[] = [
  {
    name: 'guessed-codes',
    run: async (target) => {
      const { keys, random } = target;
      const { value, pseudonym } = await maskOne(target, keys.attacker);
      const code = /_([0-9A-Z]+)>$/.exec(pseudonym)?.[1] ?? '';
      if (code.length < MIN_CODE_LENGTH) target.fault(`a pseudonym's code has ${code.length} characters`);
      const label = pseudonym.slice(0, pseudonym.lastIndexOf('_') + 1);
      const guess = (): string => {
        const digits = Array.from(code, () => CODE_ALPHABET.charAt(random.int(CODE_ALPHABET.length)));
        // Includes a digit and a letter, as every code does.
        return `${label}7${digits.slice(2).join('')}K>`;
      };
      const guesses = Array.from({ length: 20_000 }, guess);
      guesses[random.int(guesses.length)] = pseudonym;
      for (const texts of [[guesses.join(' ')], guesses.slice(0, 9_000).concat(pseudonym)]) {
        const answer = await target.send({ key: keys.attacker, body: basic('response', { texts }) });
        answered(target, 'an answer full of guesses', [answer]);
        mustNotContain(target, 'a guess among thousands was restored', answer, value);
      }
      const valid = await target.send({ key: keys.attacker, body: basic('response', { texts: [pseudonym] }) });
      if (!valid.text.includes(value)) target.fault('a valid pseudonym is not restored after the guesses');
    },
  },
  {
    name: 'foreign-sessions',
    run: async (target) => {
      const { keys } = target;
      const { value, pseudonym, session } = await maskOne(target, keys.attacker);
      const path = `/sessions/${session}`;
      const seen = await target.send({ key: keys.other, path, method: 'GET' });
      if (seen.status === 200) target.fault('another tenant can read a session');
      await target.send({ key: keys.other, path, method: 'DELETE' });
      await target.send({ key: keys.other, path: '/subjects/erase', body: { end_user_id: 'mallory' } });
      const own = await target.send({ key: keys.attacker, body: basic('response', { texts: [pseudonym] }) });
      if (!own.text.includes(value)) target.fault('another tenant erased a session');
      const foreign = await target.send({ key: keys.other, body: basic('response', { texts: [pseudonym] }) });
      mustNotContain(target, 'a value was restored for another tenant', foreign, value);
      const unknown = `/sessions/${randomBytes(16).toString('hex')}`;
      answered(
        target,
        'an unknown session',
        [await target.send({ key: keys.other, path: unknown, method: 'GET' })],
        [404],
      );
    },
  },
  {
    name: 'foreign-teams',
    run: async (target) => {
      const { keys } = target;
      const { value, pseudonym } = await maskOne(target, keys.attacker);
      const forged = [
        { user_api_key_team_id: 'attackers2', user_api_key_end_user_id: 'mallory' },
        { user_api_key_hash: 'attackers', user_api_key_end_user_id: 'mallory' },
        { user_api_key_team_id: 'attackers\u0000mallory' },
        { user_api_key_end_user_id: 'mallory' },
      ];
      for (const request_data of forged) {
        const body = { ...basic('response', { texts: [pseudonym] }), request_data };
        mustNotContain(
          target,
          'a value was restored for another team',
          await target.send({ key: keys.attacker, body }),
          value,
        );
      }
    },
  },
  {
    name: 'shared-users-at-peers',
    run: async (target) => {
      const { keys } = target;
      const path = '/v1/peer/check?dialect=portkey';
      const hook = (eventType: string, json: object, more: object = {}): object => ({
        eventType,
        provider: 'openai',
        requestType: 'chatComplete',
        request: { json: { model: 'm', user: 'shared', ...json } },
        ...more,
      });
      const ask = async (content: string): Promise<{ answer: Answer; json: object }> => {
        const body = hook('beforeRequestHook', { messages: [{ role: 'user', content }] });
        const answer = await target.send({ path, key: keys.attacker, body });
        const { transformedData } = JSON.parse(answer.text) as { transformedData?: { request?: { json?: object } } };
        return { answer, json: transformedData?.request?.json ?? {} };
      };
      const value = target.canaries.email();
      const first = await ask(`Write to ${value} today.`);
      const second = await ask(`Write to ${target.canaries.email()} today.`);
      const [pseudonym = ''] = pseudonymsIn(first.answer.text);
      if (pseudonym === '') target.fault(`a value was not pseudonymized for Portkey (status ${first.answer.status})`);
      // The model of the second client returns the first client's pseudonym, with and without the second client's token.
      for (const json of [second.json, {}]) {
        const response = { json: { choices: [{ index: 0, message: { role: 'assistant', content: pseudonym } }] } };
        const answer = await target.send({
          path,
          key: keys.attacker,
          body: hook('afterRequestHook', json, { response }),
        });
        mustNotContain(target, 'a value was restored for a client that names the same user', answer, value);
      }
    },
  },
];

export const sessionAttacks = [...attacks];
