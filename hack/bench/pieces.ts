/**
 * Measures the CPU time that a streamed answer costs the service, with each client of LiteLLM: `Full` sends each piece with
 * its carry, `Generic` sends all text so far with each piece. Prints the time of a piece also for a quarter of the pieces: it
 * would stay the same if the time were linear in the length of the answer.
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
  const who = { request_data: { user_api_key_hash: 'hash' } };
  const markup = `<p class="note">${text.trim()}</p>\n`;
  const asked = (body: object): Promise<{ texts: string[] }> =>
    post(basic, { ...who, litellm_call_id: 'call', input_type: 'request', ...body });
  const redacted = {
    Full: await post<{ texts: string[] }>('/v1/guard/redact', { texts: [text] }),
    Generic: await asked({ texts: [text] }),
    Markup: await asked({ texts: [markup] }),
  };
  const piecesOf = ({ texts: [sent = ''] }: { texts: string[] }, pieces: number): string[] => {
    const answer = sent.repeat(1 + (PIECES * CHARACTERS) / sent.length);
    return Array.from({ length: pieces }, (_, at) => answer.slice(at * CHARACTERS, (at + 1) * CHARACTERS));
  };

  let longest = 0;
  let calls = 0;
  const generic = async (sent: { texts: string[] }, pieces: number): Promise<void> => {
    const litellm_call_id = `call ${(calls += 1)}`;
    const parts = piecesOf(sent, pieces);
    for (let at = 1; at <= pieces; at += 1) {
      await post(basic, { ...who, litellm_call_id, input_type: 'response', texts: [parts.slice(0, at).join('')] });
    }
  };
  const streams: Record<string, (pieces: number) => Promise<void>> = {
    Full: async (pieces) => {
      let carry = '';
      for (const [at, piece] of piecesOf(redacted.Full, pieces).entries()) {
        const body = { text: piece, carry, final: at === pieces - 1 };
        ({ carry } = await post<{ carry: string }>('/v1/guard/rehydrate/stream', body));
        longest = Math.max(longest, carry.length);
      }
    },
    Generic: (pieces) => generic(redacted.Generic, pieces),
    'Generic, HTML': (pieces) => generic(redacted.Markup, pieces),
  };
  const bestOf = async (stream: (pieces: number) => Promise<void>, pieces: number): Promise<number> => {
    const rounds: number[] = [];
    // The first rounds are a warm-up.
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await cpuMs();
      await stream(pieces);
      rounds.push((await cpuMs()) - before);
    }
    return Math.min(...rounds.slice(2)) / pieces;
  };
  for (const [name, stream] of Object.entries(streams)) {
    const quarter = await bestOf(stream, Math.ceil(PIECES / 4));
    const all = await bestOf(stream, PIECES);
    process.stdout.write(
      `${name.padEnd(14)} ${PIECES} pieces of ${CHARACTERS} characters: ${all.toFixed(2)} ms of CPU a piece, ${(all / quarter).toFixed(2)} x the time with a quarter of them\n`,
    );
  }
  process.stdout.write(`The longest carry has ${longest} characters.\n`);
  await pool.close();
  service.disconnect();
  await once(service, 'exit');
}
