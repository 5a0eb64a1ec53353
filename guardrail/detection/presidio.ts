import { Agent, request } from 'undici';
import { z } from 'zod';
import { CircuitBreaker } from './circuitBreaker.ts';
import { toUtf16 } from './text/codePoints.ts';
import { DetectorUnavailableError, type DependencyState, type Detector, type Span } from './contract.ts';
import { resolveOverlaps } from './spans.ts';

export interface PresidioOptions {
  /** Base URL of the analyzer. */
  readonly url: string;
  /** How long a call may take, in milliseconds; default 1000. */
  readonly timeoutMs?: number;
  /** ISO 639-1 codes of languages that the analyzer has models for; default `en`. Each is asked, all finds count. */
  readonly languages?: readonly string[];
}

const name = 'presidio';
/** What a result must score: Presidio gives US_BANK_NUMBER .01 to .05, and PHONE_NUMBER .4. */
const scoreThreshold = 0.35;
/** Characters per call: a server that takes long for one call blocks its worker for all. */
const batchCharacters = 50_000;
const batchTexts = 64;
/** Calls at once; a Presidio server has a worker or two. */
const concurrency = 4;
const maxResponse = 32 * 1024 * 1024;

const result = z.object({ entity_type: z.string(), start: z.int().min(0), end: z.int().min(0), score: z.number() });
const answerSchema = z.array(z.array(result));

/**
 * A Presidio analyzer server. What it does that one would not expect, and is handled here: offsets are code points;
 * results overlap (an e-mail address and two URLs inside it) and come by score; an empty text, an unknown language and
 * an unknown entity are all answered by 500; the server closes every connection.
 */
export function createPresidioDetector({ url, timeoutMs = 1000, languages = ['en'] }: PresidioOptions): Detector {
  const base = url.replace(/\/+$/, '');
  // Its server announces keep-alive and closes all the same: a connection used twice fails by chance.
  const dispatcher = new Agent({
    pipelining: 0,
    connections: 16,
    connect: { timeout: timeoutMs },
    maxResponseSize: maxResponse,
  });
  const breaker = new CircuitBreaker({ failures: 3, coolDownMs: 5000 });

  async function call(path: string, signal: AbortSignal, body?: unknown): Promise<unknown> {
    const response = await request(`${base}${path}`, {
      dispatcher,
      signal,
      method: body === undefined ? 'GET' : 'POST',
      headers: { connection: 'close', ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    if (response.statusCode !== 200) {
      await response.body.dump();
      throw new Failure(`Presidio answered with status ${response.statusCode}`);
    }
    const content = response.headers['content-type'];
    if (path === '/health' && !String(content).includes('json')) return response.body.text();
    return response.body.json();
  }

  async function analyze(texts: readonly string[], language: string, signal: AbortSignal): Promise<Span[][]> {
    const answer = await call('/analyze', signal, { text: texts, language, score_threshold: scoreThreshold });
    // One text in a list is answered by a list of lists, too; older servers answered by one list.
    const lists = answerSchema.safeParse(
      texts.length === 1 && Array.isArray(answer) && !Array.isArray(answer[0]) ? [answer] : answer,
    );
    if (!lists.success || lists.data.length !== texts.length)
      throw new Failure('Presidio gave an answer that does not fit the question');
    return texts.map((text, index) => {
      const at = toUtf16(text);
      return (lists.data[index] ?? []).map(({ entity_type: type, start, end, score }): Span => ({
        start: at(start),
        end: at(end),
        type,
        score,
        detector: name,
      }));
    });
  }

  return {
    name,
    async detect(texts, { signal }) {
      const found: Span[][] = texts.map(() => []);
      const batches = batchesOf(texts);
      if (batches.length === 0) return found;
      if (!breaker.enter())
        throw new DetectorUnavailableError('Presidio failed repeatedly and is not called for a moment.');
      const timeout = AbortSignal.timeout(timeoutMs);
      const stop = new AbortController();
      const either = AbortSignal.any([signal, timeout, stop.signal]);
      try {
        let next = 0;
        const work = async (): Promise<void> => {
          for (let batch = batches[next++]; batch; batch = batches[next++]) {
            const some = batch.map((index) => texts[index] ?? '');
            const byLanguage = await Promise.all(languages.map((language) => analyze(some, language, either)));
            const spans = some.map((text, at) =>
              resolveOverlaps(
                text,
                byLanguage.flatMap((lists) => lists[at] ?? []),
              ),
            );
            batch.forEach((index, at) => (found[index] = spans[at] ?? []));
          }
        };
        await Promise.all(Array.from({ length: Math.min(concurrency, batches.length) }, work));
        breaker.succeeded();
        return found;
      } catch (error) {
        stop.abort();
        if (signal.aborted) {
          breaker.abandoned();
          throw new DetectorUnavailableError('The call was aborted while Presidio was working.');
        }
        const reason = timeout.aborted
          ? `Presidio did not answer within ${timeoutMs} ms`
          : error instanceof Failure
            ? error.message
            : 'Presidio cannot be reached';
        breaker.failed(reason);
        throw new DetectorUnavailableError(`${reason}.`);
      }
    },
    async state(): Promise<DependencyState> {
      const known = breaker.state();
      if (!known.up && !breaker.enter()) return known;
      try {
        await call('/health', AbortSignal.timeout(timeoutMs));
        breaker.succeeded();
      } catch (error) {
        breaker.failed(error instanceof Failure ? error.message : 'Presidio cannot be reached');
        const state = breaker.state();
        return state.up ? { up: false, reason: 'Presidio cannot be reached', since: new Date() } : state;
      }
      return { up: true };
    },
    close: () => dispatcher.close(),
  };
}

class Failure extends Error {}

/** Indexes of the texts that hold anything, in batches: one call for many texts is far cheaper than one each. */
function batchesOf(texts: readonly string[]): number[][] {
  const batches: number[][] = [];
  let characters = Infinity;
  texts.forEach((text, index) => {
    if (!/\S/.test(text)) return;
    const last = batches.at(-1);
    if (!last || characters + text.length > batchCharacters || last.length >= batchTexts) {
      batches.push([index]);
      characters = text.length;
      return;
    }
    last.push(index);
    characters += text.length;
  });
  return batches;
}
