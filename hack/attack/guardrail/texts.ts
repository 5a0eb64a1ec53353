/** Texts, names and members that cost more than their length. */
import { BYTES_PER_BODY_BYTE, BYTES_PER_CALL } from '../../../guardrail/memoryBudget.ts';
import { mebibytes } from '../measure.ts';
import { basic, pseudonymsIn, textsOf, type Answer } from './client.ts';
import type { GuardrailAttack, Target } from './attack.ts';

const MB = 1_000_000;

/** The allowed statuses: success and the limits. */
const BOUNDED = [200, 400, 413, 429];

/** Requires a status that the API describes from every answer. A dropped connection is a fault. */
export function answered(target: Target, what: string, answers: readonly Answer[], allowed = BOUNDED): void {
  for (const { status, text } of answers) {
    if (allowed.includes(status)) continue;
    target.fault(`${what}: ${status === 0 ? `no answer (${text})` : `status ${status}`}`);
  }
}

/** Sends the same call several times in parallel. */
async function volley(target: Target, count: number, body: object | Buffer): Promise<Answer[]> {
  const { attacker: key } = target.keys;
  return Promise.all(Array.from({ length: count }, () => target.send({ key, body })));
}

/** Pseudonymizes a text, and sends answers that repeat its pseudonyms many times. */
async function repeatInAnswer(target: Target, text: string, times: number): Promise<void> {
  const { attacker: key } = target.keys;
  const masked = await target.send({ key, body: basic('request', { texts: [text] }) });
  answered(target, 'the request', [masked]);
  const pseudonyms = pseudonymsIn(textsOf(masked).join(' '));
  if (masked.status !== 200 || pseudonyms.length === 0) return;
  const said = pseudonyms.slice(0, 20).map((pseudonym) => `${pseudonym} `.repeat(times));
  const answers = await Promise.all(said.map((one) => target.send({ key, body: basic('response', { texts: [one] }) })));
  answered(target, 'the answer', answers);
}

const names = (random: Target['random'], count: number): string =>
  Array.from({ length: count }, () => {
    const first = random.pick(['Anna', 'Bernd', 'Carla', 'David', 'Elena', 'Frank', 'Greta', 'Irina', 'Jonas', 'Lena']);
    const last = random.letters(7);
    return `${first} ${last.charAt(0).toUpperCase()}${last.slice(1)}`;
  }).join(' ');

const attacks: readonly GuardrailAttack[] = [
  {
    name: 'repeated-names',
    run: async (target) => {
      await repeatInAnswer(target, 'Anna Schmidt '.repeat(7_876), 2_000);
      await repeatInAnswer(target, 'Anna Schmidt, '.repeat(7_000), 2_000);
    },
  },
  {
    name: 'long-values',
    run: async (target) => {
      const long = target.random.letters(30_000);
      for (const text of [
        `See https://example.org/${long} for it.`,
        `Write to ${long}@example.org today.`,
        `The key is sk-${long.slice(0, 20_000)}A1 as said.`,
        `Anna${' Maria'.repeat(8_000)} Schmidt is here.`,
      ]) {
        await repeatInAnswer(target, text, 3_000);
      }
    },
  },
  {
    name: 'names-1mb',
    run: async (target) => {
      const [same, others] = ['Anna Schmidt '.repeat(MB / 13), names(target.random, MB / 14)];
      for (const text of [same, others]) {
        answered(target, 'a text of 1 MB', await volley(target, 2, basic('request', { texts: [text] })));
      }
    },
  },
  {
    name: 'names-10mb',
    run: async (target) => {
      const text = 'Anna Schmidt '.repeat((10 * MB) / 13);
      answered(target, 'a text of 10 MB', await volley(target, 2, basic('request', { texts: [text] })));
      // As many small values in as many texts as are allowed.
      const texts = Array.from({ length: 9_000 }, () => 'Anna Schmidt and Bernd Meyer. '.repeat(35));
      answered(target, '9,000 texts', await volley(target, 1, basic('request', { texts })));
    },
  },
  {
    name: 'distinct-emails',
    run: async (target) => {
      const { canaries, random } = target;
      const kept = canaries.email();
      const mails = Array.from({ length: 80_000 }, () => `${random.letters(12)}@example.org`);
      const body = basic('request', { texts: [`${kept} ${mails.join(' ')}`] });
      answered(target, '2 MB of addresses', await volley(target, 2, body));
    },
  },
  {
    name: 'memory-law',
    store: 'memory',
    run: async (target) => {
      const { random } = target;
      const { attacker: key } = target.keys;
      const prose = 'Please summarise the notes of the meeting, and send them to all who were there yesterday.\n';
      const notes = { at: '2026-01-31', note: prose, by: 'Anna Schmidt' };
      const mail = (): string => `${random.letters(12)}@example.org, `;
      const bodies: readonly (readonly [what: string, texts: () => string[]])[] = [
        ['1 MB of prose', () => [prose.repeat(MB / prose.length)]],
        ['10 MB of prose', () => [prose.repeat((10 * MB) / prose.length)]],
        ['9,000 texts of 1 kB', () => Array.from({ length: 9_000 }, (_, at) => `${at} ${prose.repeat(11)}`)],
        ['1 MB of names', () => [names(random, MB / 14)]],
        ['120 kB of names', () => [names(random, 8_000)]],
        ['250 kB of addresses', () => [Array.from({ length: 9_500 }, mail).join('')]],
        ['10 MB of addresses', () => [Array.from({ length: 400_000 }, mail).join('')]],
        ['2 MB of JSON in a text', () => [JSON.stringify(Array.from({ length: 14_000 }, () => notes))]],
      ];
      for (const [what, texts] of bodies) {
        const body = Buffer.from(JSON.stringify(basic('request', { texts: texts() })));
        const allowed = BYTES_PER_BODY_BYTE * body.length + BYTES_PER_CALL;
        const peak = await target.peakDuring(async () => {
          answered(target, what, [await target.send({ key, body })]);
        });
        if (peak > allowed)
          target.fault(`${what}: memory grew by ${mebibytes(peak)}; the limit is ${mebibytes(allowed)}`);
      }
    },
  },
  {
    name: 'many-small-texts',
    store: 'memory',
    run: async (target) => {
      for (const [count, text] of [
        [100_000, 'a'],
        [10_000, 'a'],
        [10_000, ''],
        [10_000, '<'],
      ] as const) {
        const texts = Array.from({ length: count }, () => text);
        answered(target, `${count} texts`, await volley(target, 3, basic('request', { texts })));
        answered(target, `${count} texts of an answer`, await volley(target, 3, basic('response', { texts })));
      }
    },
  },
  {
    name: 'deep-json',
    store: 'memory',
    run: async (target) => {
      const { canaries } = target;
      const value = JSON.stringify(canaries.email());
      for (const depth of [500, 100_000]) {
        for (const [open, close] of [
          ['[', ']'],
          ['{"a":', '}'],
        ] as const) {
          const deep = `${open.repeat(depth)}${value}${close.repeat(depth)}`;
          const plain = `{"input_type":"request","texts":["x"],"structured_messages":[{"role":"user","content":${deep}}]}`;
          const tools = `{"input_type":"request","texts":["x"],"tools":[{"a":${deep}}]}`;
          // A string that contains JSON is also searched.
          const quoted = JSON.stringify(deep);
          const call = `{"function":{"arguments":${quoted}}}`;
          const calls = `{"input_type":"response","texts":[],"tool_calls":[${call}]}`;
          for (const body of [plain, tools, calls])
            answered(target, 'deep JSON', await volley(target, 1, Buffer.from(body)));
        }
      }
    },
  },
  {
    name: 'huge-members',
    store: 'memory',
    run: async (target) => {
      const { canaries, random } = target;
      const name = `${canaries.token()}${'k'.repeat(4 * MB)}`;
      const members = Object.fromEntries(
        Array.from({ length: 50_000 }, (_, at) => [`${random.letters(4)}${at}`, 'Anna']),
      );
      for (const message of [
        { role: 'user', content: 'x', [name]: 'Anna Schmidt' },
        { role: 'user', ...members },
      ]) {
        answered(target, 'huge members', await volley(target, 2, basic('request', { structured_messages: [message] })));
      }
      answered(
        target,
        'unknown members',
        await volley(target, 2, { ...basic('request', { texts: ['x'] }), ...members }),
      );
    },
  },
  {
    name: 'many-tools',
    store: 'memory',
    run: async (target) => {
      const description = 'Writes to anna.schmidt@example.org on behalf of Bernd Meyer. ';
      const tools = Array.from({ length: 5_000 }, (_, at) => ({
        type: 'function',
        function: {
          name: `tool-${at}`,
          description,
          parameters: { type: 'object', properties: { to: { type: 'string', description } } },
        },
      }));
      const calls = tools.map(({ function: { name } }) => ({
        function: { name, arguments: JSON.stringify({ to: '<PERSON_AAAAAA1A>', of: [[[description]]] }) },
      }));
      answered(target, '5,000 tools', await volley(target, 2, basic('request', { texts: ['x'], tools })));
      answered(target, '5,000 tool calls', await volley(target, 2, basic('response', { tool_calls: calls })));
    },
  },
  {
    name: 'costly-patterns',
    store: 'memory',
    run: async (target) => {
      const size = 40_000;
      const units = [
        ...['1', '@', 'a.', 'a@', '-', '4111 ', '<', '&lt;', '\\u003c', '\\', '<PERSON_', '(ID ', '://', '%3C'],
        ...['+49 ', 'www.', 'DE89 ', "'", 'Anna ', 'von ', '\u0301', '\ud83d\ude00', '\u200b', ':', '1.1.', 'ab:'],
        ...['"', '[', 'Dr. '],
      ];
      const texts = units.map((unit) => unit.repeat(Math.ceil(size / unit.length)));
      for (const phase of ['request', 'response'] as const) {
        for (const text of texts) {
          answered(target, `40 kB of ${text.slice(0, 8)}`, await volley(target, 1, basic(phase, { texts: [text] })));
        }
      }
    },
  },
];

export const textAttacks = [...attacks];
