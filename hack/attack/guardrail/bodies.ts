/** Bodies that expand to more than their size, and bodies or connections that never end. */
import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { basic, BASIC, head, openWire, type Wire } from './client.ts';
import type { GuardrailAttack, Target } from './attack.ts';
import { answered } from './texts.ts';

const MIB = 2 ** 20;
const BODY = JSON.stringify(basic('request', { texts: ['Write to anna.schmidt@example.org.'] }));

async function wires(target: Target, count: number): Promise<Wire[]> {
  return Promise.all(Array.from({ length: count }, () => openWire(target.port)));
}

function destroyAll(open: readonly Wire[]): void {
  for (const wire of open) wire.destroy();
}

/** @returns one chunk of a chunked body. */
function chunk(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

const attacks: readonly GuardrailAttack[] = [
  {
    name: 'invalid-encodings',
    store: 'memory',
    run: async (target) => {
      const { canaries, keys } = target;
      const value = canaries.email();
      const odd: [string, Buffer][] = [
        [
          'invalid UTF-8',
          Buffer.concat([Buffer.from(`{"texts":["${value}`), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('"]}')]),
        ],
        ['a truncated character', Buffer.concat([Buffer.from(`{"texts":["${value}`), Buffer.from([0xf0, 0x9f])])],
        ['a lone surrogate', Buffer.from(`{"input_type":"request","texts":["${value} \\ud800"]}`)],
        ['a byte order mark', Buffer.from(`\ufeff{"input_type":"request","texts":["${value}"]}`)],
        ['UTF-16', Buffer.from(`{"input_type":"request","texts":["${value}"]}`, 'utf16le')],
        ['a very long number', Buffer.from(`{"input_type":"request","texts":["${value}"],"n":${'9'.repeat(MIB)}}`)],
        ['text that is not JSON', Buffer.from(`${value} = ${value}`)],
        ['truncated JSON', Buffer.from(`{"texts":["${value}", ${value}`)],
        ['NUL', Buffer.from(`{"input_type":"request","texts":["${value}"]}\u0000`)],
      ];
      for (const path of [BASIC, '/v1/peer/check?dialect=portkey', '/request', '/response', '/subjects/erase']) {
        for (const [what, body] of odd) {
          answered(target, `${what} at ${path}`, [await target.send({ path, key: keys.attacker, body })]);
        }
      }
    },
  },
  {
    name: 'compressed-bombs',
    store: 'memory',
    run: async (target) => {
      const member = gzipSync(Buffer.alloc(64 * MIB, ' '));
      const letters = Buffer.from(`{"input_type":"request","texts":["${'a'.repeat(16 * MIB)}"]}`);
      const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
      const bombs: [string, Buffer][] = [
        // Expands to 1 GiB.
        ['gzip', Buffer.concat(Array.from({ length: 16 }, () => member))],
        ['gzip', gzipSync(letters)],
        ['br', brotliCompressSync(letters, brotli)],
        ['br', brotliCompressSync(Buffer.alloc(64 * MIB, ' '), brotli)],
        ['deflate', gzipSync(Buffer.from(BODY))],
        ['gzip', gzipSync(gzipSync(letters))],
        ['gzip', Buffer.from(BODY)],
        ['gzip', gzipSync(Buffer.from(BODY)).subarray(0, 40)],
      ];
      for (const [encoding, body] of bombs) {
        const call = { key: target.keys.attacker, body, headers: { 'content-encoding': encoding } };
        const answers = await Promise.all(Array.from({ length: 4 }, () => target.send(call)));
        answered(target, `a bomb in ${encoding}`, answers, [400, 413, 415, 429]);
      }
    },
  },
  {
    name: 'unannounced-bodies',
    store: 'memory',
    run: async (target) => {
      const open = await wires(target, 60);
      const piece = chunk(Buffer.alloc(MIB, ' '));
      for (const wire of open) wire.write(`${head(target.keys.attacker, 'transfer-encoding: chunked')}\r\n`);
      // Each body has 9 MiB and does not end.
      for (let n = 0; n < 9; n += 1) {
        for (const { socket } of open) if (!socket.destroyed && socket.writableLength < 2 * MIB) socket.write(piece);
        await delay(60);
      }
      await delay(200);
      destroyAll(open);
    },
  },
  {
    name: 'half-open-bodies',
    store: 'memory',
    run: async (target) => {
      for (const line of ['content-length: 200000', 'transfer-encoding: chunked']) {
        const open = await wires(target, 1_400);
        const begun = line.startsWith('t') ? chunk('{"input_type":"req') : '{"input_type":"req';
        for (const wire of open) {
          wire.write(`${head(target.keys.attacker, line)}\r\n`);
          wire.write(begun);
        }
        await delay(500);
        destroyAll(open);
      }
    },
  },
  {
    name: 'slow-loris',
    store: 'memory',
    run: async (target) => {
      const [heads, bodies] = [await wires(target, 250), await wires(target, 250)];
      const whole = `${head(target.keys.attacker, `content-length: ${BODY.length}`)}\r\n`;
      for (const wire of bodies) wire.write(whole);
      for (let at = 0; at < 30; at += 1) {
        for (const wire of heads) wire.write(whole.charAt(at));
        for (const wire of bodies) wire.write(BODY.charAt(at));
        await delay(40);
      }
      destroyAll([...heads, ...bodies]);
    },
  },
  {
    name: 'early-disconnects',
    run: async (target) => {
      const { random, keys } = target;
      const long = JSON.stringify(basic('request', { texts: ['Anna Schmidt met Bernd Meyer. '.repeat(4_000)] }));
      for (let round = 0; round < 10; round += 1) {
        const open = await wires(target, 40);
        for (const wire of open) {
          wire.write(`${head(keys.attacker, `content-length: ${Buffer.byteLength(long)}`)}\r\n`);
          // Some end in the middle of the body, some during processing.
          wire.write(random.int(2) === 0 ? long : long.slice(0, random.int(long.length)));
        }
        await delay(random.int(60));
        destroyAll(open);
      }
    },
  },
  {
    name: 'pipelining',
    store: 'memory',
    run: async (target) => {
      const { keys } = target;
      const call = `${head(keys.attacker, `content-length: ${Buffer.byteLength(BODY)}`)}\r\n${BODY}`;
      const open = await wires(target, 8);
      for (const wire of open) wire.write(call.repeat(400));
      await delay(500);
      for (const wire of open) {
        const wrong = (wire.received().match(/HTTP\/1\.1 (?!200|413|429)\d+/g) ?? []).slice(0, 1);
        for (const status of wrong) target.fault(`a pipelined call was answered with status ${status}`);
      }
      destroyAll(open);
      // Requests that two parsers of one connection may read differently.
      const smuggled = `GET /metrics HTTP/1.1\r\nhost: guardrail\r\n\r\n`;
      for (const lines of [
        [`content-length: ${BODY.length}`, 'transfer-encoding: chunked'],
        [`content-length: 4`, `content-length: ${BODY.length}`],
        ['transfer-encoding: chunked, identity'],
        ['transfer-encoding : chunked'],
        ['content-length: -1'],
        ['content-length: 0x10'],
      ]) {
        const wire = await openWire(target.port);
        wire.write(`${head(keys.attacker, ...lines)}\r\n${BODY}${smuggled}`);
        await wire.closed(300);
        if (wire.received().includes('process_cpu'))
          target.fault(`${lines.join(', ')}: the body was read as a second call`);
        wire.destroy();
      }
    },
  },
];

export const bodyAttacks = [...attacks];
