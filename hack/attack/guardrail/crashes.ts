/** Terminates the guardrail or its store at arbitrary times. */
import { setTimeout as delay } from 'node:timers/promises';
import { basic, pseudonymsIn, textsOf } from './client.ts';
import type { GuardrailAttack, Target } from './attack.ts';

const RECOVERY_MS = 15_000;

/**
 * Sends calls continuously until stopped.
 *
 * @returns a function that stops them and returns the statuses of all calls
 */
function sendContinuously(target: Target, size: number): () => Promise<number[]> {
  const statuses: number[] = [];
  let isOver = false;
  const text = 'Anna Schmidt met Bernd Meyer. '.repeat(size / 30);
  const loops = Array.from({ length: 12 }, async () => {
    while (!isOver) {
      const value = target.canaries.email();
      const body = basic('request', { texts: [`${value} ${text}`] });
      const { status, text: answer } = await target.send({ key: target.keys.attacker, body });
      statuses.push(status);
      if (status === 200 && answer.includes(value)) target.fault('a request for the model contains a personal value');
      if (status !== 200) await delay(20);
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(loops);
    return statuses;
  };
}

async function untilServed(target: Target): Promise<void> {
  const deadline = performance.now() + RECOVERY_MS;
  while (performance.now() < deadline) {
    const { status } = await target.send({ key: target.keys.other, body: basic('request', { texts: ['Hello.'] }) });
    if (status === 200) return;
    await delay(100);
  }
  target.fault(`no call was served within ${RECOVERY_MS / 1000} s`);
}

const attacks: readonly GuardrailAttack[] = [
  {
    name: 'redis-killed',
    store: 'redis',
    outage: true,
    run: async (target) => {
      const stop = sendContinuously(target, 3_000);
      for (let round = 0; round < 2; round += 1) {
        await delay(300 + target.random.int(300));
        await target.redis?.kill();
        await delay(300 + target.random.int(300));
        const { status } = await target.send({
          key: target.keys.other,
          body: basic('request', { texts: ['a@example.org'] }),
        });
        if (status !== 502)
          target.fault(`without its store, the guardrail responds with status ${status}, expected 502`);
        await target.redis?.restart();
        await untilServed(target);
      }
      const wrong = (await stop()).filter((status) => ![200, 429, 502].includes(status));
      if (wrong.length > 0) target.fault(`unexpected statuses: ${[...new Set(wrong)].join(', ')}`);
    },
  },
  {
    name: 'killed',
    outage: true,
    run: async (target) => {
      const { keys, canaries, random } = target;
      const value = canaries.email();
      const masked = await target.send({
        key: keys.attacker,
        body: basic('request', { texts: [`Write to ${value}.`] }),
      });
      const stop = sendContinuously(target, 3_000);
      await delay(200 + random.int(500));
      await target.end('SIGKILL');
      await target.restart();
      await stop();
      await untilServed(target);
      const texts = textsOf(masked);
      const { text } = await target.send({ key: keys.attacker, body: basic('response', { texts }) });
      if (pseudonymsIn(texts.join(' ')).length === 0) target.fault('a value was not pseudonymized');
      if (target.store === 'redis' && !text.includes(value)) target.fault('a mapping in Redis was lost');
      if (target.store === 'memory' && !text.includes(texts[0] ?? ''))
        target.fault('a pseudonym without a mapping changed');
    },
  },
  {
    name: 'stopped-under-load',
    store: 'redis',
    outage: true,
    run: async (target) => {
      const stop = sendContinuously(target, 10_000);
      await delay(300 + target.random.int(500));
      const end = await target.end('SIGTERM');
      if (end !== 'exit code 0') target.fault(`after SIGTERM, the guardrail ended with ${end}`);
      await target.restart();
      await stop();
      await untilServed(target);
    },
  },
];

export const crashAttacks = [...attacks];
