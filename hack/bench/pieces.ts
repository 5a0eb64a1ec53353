/**
 * Measures the CPU time that a streamed answer costs the service, with each client of LiteLLM: `Full` sends each piece with
 * its carry, `Generic` sends all text so far with each piece.
 *
 *     node hack/bench/pieces.ts [pieces] [characters a piece]
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Pool } from 'undici';
import { BENCH_KEY, startBenchService } from './benchService.ts';

const [PIECES = 400, CHARACTERS = 5] = process.argv.slice(2).map(Number);
const ROUNDS = 6;
const CALL = `litellm-${randomBytes(16).toString('hex')}-${randomBytes(16).toString('hex')}`;

if (process.send !== undefined) {
  const app = await startBenchService();
  process.send(app.port);
  process.on('message', () => process.send?.(process.cpuUsage()));
  await new Promise((resolve) => process.once('disconnect', resolve));
  await app.drain();
} else {
  await measure();
}

async function measure(): Promise<void> {
  const service = fork(import.meta.filename);
  const [port] = (await once(service, 'message')) as [number];
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 });

  const post = async <T>(path: string, body: object): Promise<T> => {
    const headers = { 'x-api-key': BENCH_KEY, 'content-type': 'application/json', 'x-session-id': CALL };
    const answer = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
    if (answer.statusCode !== 200) throw new Error(`The response status was ${answer.statusCode}.`);
    return (await answer.body.json()) as T;
  };
  const cpuMs = async (): Promise<number> => {
    const answered = once(service, 'message') as Promise<[NodeJS.CpuUsage]>;
    service.send('cpu');
    const [{ user, system }] = await answered;
    return (user + system) / 1000;
  };

  const text = 'Please write to anna.schmidt@example.org about the invoice of last month. ';
  const basic = '/beta/litellm_basic_guardrail_api';
  const who = { litellm_call_id: 'call', request_data: { user_api_key_hash: 'hash' } };
  const redacted = {
    Full: await post<{ texts: string[] }>('/v1/guard/redact', { texts: [text] }),
    Generic: await post<{ texts: string[] }>(basic, { ...who, input_type: 'request', texts: [text] }),
  };
  const piecesOf = ({ texts: [sent = ''] }: { texts: string[] }): string[] => {
    const answer = sent.repeat(1 + (PIECES * CHARACTERS) / sent.length);
    return Array.from({ length: PIECES }, (_, at) => answer.slice(at * CHARACTERS, (at + 1) * CHARACTERS));
  };

  let longest = 0;
  const streams: Record<string, () => Promise<void>> = {
    Full: async () => {
      let carry = '';
      for (const [at, piece] of piecesOf(redacted.Full).entries()) {
        const body = { text: piece, carry, final: at === PIECES - 1 };
        ({ carry } = await post<{ carry: string }>('/v1/guard/rehydrate/stream', body));
        longest = Math.max(longest, carry.length);
      }
    },
    Generic: async () => {
      const pieces = piecesOf(redacted.Generic);
      for (let at = 1; at <= PIECES; at += 1) {
        await post(basic, { ...who, input_type: 'response', texts: [pieces.slice(0, at).join('')] });
      }
    },
  };
  for (const [name, stream] of Object.entries(streams)) {
    const rounds: number[] = [];
    // The first rounds are a warm-up.
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await cpuMs();
      await stream();
      rounds.push((await cpuMs()) - before);
    }
    const best = Math.min(...rounds.slice(2));
    process.stdout.write(
      `${name.padEnd(8)} ${PIECES} pieces of ${CHARACTERS} characters: ${best.toFixed(0)} ms of CPU, ${(best / PIECES).toFixed(2)} ms a piece\n`,
    );
  }
  process.stdout.write(`The longest carry has ${longest} characters.\n`);
  await pool.close();
  service.disconnect();
  await once(service, 'exit');
}
