/**
 * Measures the processor time that a streamed answer costs the service, with each client of LiteLLM: `Full` sends each piece
 * with its carry, `Generic` sends all text so far with each piece. Prints the time of a piece also for a quarter of the pieces:
 * it would stay the same if the time were linear in the length of the answer.
 *
 *     node hack/bench/pieces.ts [pieces] [characters a piece]
 */
import { Pool } from 'undici';
import { BASIC, post, print, processorTime, startGuardrail } from './harness.ts';

const [PIECES = 400, CHARACTERS = 5] = process.argv.slice(2).map(Number);
/** The first round is a warm-up. */
const [ROUNDS, WARM_UP] = [5, 1];
/** Processor time is counted in steps of 10 ms. */
const STREAMS = 2;
const TEXT = 'Please write to anna.schmidt@example.org about the invoice of last month. ';
const SESSION = { 'x-session-id': `litellm-${'a'.repeat(32)}-${'b'.repeat(32)}` };

const service = await startGuardrail();
const pool = new Pool(service.url, { connections: 1 });
const ask = async <T>(path: string, body: object): Promise<T> =>
  JSON.parse(await post(pool, path, JSON.stringify(body), SESSION)) as T;
const basic = (body: object): Promise<{ texts: string[] }> =>
  ask(BASIC, { request_data: { user_api_key_hash: 'hash' }, litellm_call_id: 'call', ...body });

/** The pieces of an answer that repeats a text. */
function piecesOf({ texts: [sent = ''] }: { texts: string[] }, pieces: number): string[] {
  const answer = sent.repeat(1 + (PIECES * CHARACTERS) / sent.length);
  return Array.from({ length: pieces }, (_, at) => answer.slice(at * CHARACTERS, (at + 1) * CHARACTERS));
}

const redacted = await ask<{ texts: string[] }>('/v1/guard/redact', { texts: [TEXT] });
async function full(pieces: number): Promise<void> {
  let carry = '';
  for (const [at, piece] of piecesOf(redacted, pieces).entries()) {
    const body = { text: piece, carry, final: at === pieces - 1 };
    ({ carry } = await ask<{ carry: string }>('/v1/guard/rehydrate/stream', body));
  }
}

let calls = 0;
async function generic(text: string): Promise<(pieces: number) => Promise<void>> {
  const sent = await basic({ input_type: 'request', texts: [text] });
  return async (pieces) => {
    const litellm_call_id = `call ${(calls += 1)}`;
    const parts = piecesOf(sent, pieces);
    for (let at = 1; at <= pieces; at += 1)
      await basic({ litellm_call_id, input_type: 'response', texts: [parts.slice(0, at).join('')] });
  };
}

async function bestOf(stream: (pieces: number) => Promise<void>, pieces: number): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = processorTime(service.pid);
    for (let n = 0; n < STREAMS; n += 1) await stream(pieces);
    rounds.push(processorTime(service.pid) - before);
  }
  return Math.min(...rounds.slice(WARM_UP)) / pieces / STREAMS;
}

const streams = {
  Full: full,
  Generic: await generic(TEXT),
  'Generic, HTML': await generic(`<p class="note">${TEXT.trim()}</p>\n`),
};
for (const [name, stream] of Object.entries(streams)) {
  const [quarter, all] = [await bestOf(stream, Math.ceil(PIECES / 4)), await bestOf(stream, PIECES)];
  print(
    `${name}, ${PIECES} pieces of ${CHARACTERS}`,
    `${all.toFixed(2)} ms of processor time a piece, ${(all / quarter).toFixed(2)} x the time with a quarter of them`,
  );
}
await pool.close();
await service.stop();
