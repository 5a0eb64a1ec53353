import { Agent, request } from 'undici';
import { z } from 'zod';
import { CircuitBreaker } from './circuitBreaker.ts';
import { toUtf16 } from './text/codePoints.ts';
import {
  DetectorUnavailableError,
  type DependencyState,
  type Detector,
  type DetectOptions,
  type EntityType,
  type RuleId,
  type Span,
} from './contract.ts';
import { httpClientSpan, inSpan, traceHeadersOf, type CallSpan, type SpanStart } from '../telemetry/telemetry.ts';
import { identifiesSomebody } from './recognizers/generic/personalUrls.ts';
import { presidioRule } from './rules.ts';
import { resolveOverlaps } from './spans.ts';
import { withPersonalUrls } from './urlContents.ts';

export interface PresidioOptions {
  /** Base URL of the analyzer. */
  readonly url: string;
  /** Timeout of a call, in milliseconds; default 1000. */
  readonly timeoutMs?: number;
  /** ISO 639-1 codes of the languages of the analyzer's models; default `en`. Each call asks for all of them. */
  readonly languages?: readonly string[];
}

const name = 'presidio';
/** The lowest score of a result. Presidio scores US_BANK_NUMBER at 0.01 to 0.05, and PHONE_NUMBER at 0.4. */
const scoreThreshold = 0.35;
/** The maximum number of characters per call. A long call blocks a worker of the server. */
const batchCharacters = 50_000;
const batchTexts = 64;
/** Concurrent calls; a Presidio server has one or two workers. */
const concurrency = 4;
/** How long calls are suspended after repeated failures. */
const coolDownMs = 5000;
const maxResponse = 32 * 1024 * 1024;

/** The most names of recognizers that are kept. */
const MOST_RULES = 256;

const result = z.object({
  entity_type: z.string(),
  start: z.int().min(0),
  end: z.int().min(0),
  score: z.number(),
  recognition_metadata: z.object({ recognizer_name: z.string().max(100).optional().catch(undefined) }).nullish(),
});
const answerSchema = z.array(z.array(result));

/**
 * Creates a detector that calls a Presidio analyzer server. It handles these properties of the server: offsets are code
 * points; results overlap (an e-mail address and two URLs inside it) and are sorted by score; an empty text, an unknown
 * language or an unknown entity returns status 500; every connection is closed after the response.
 */
export const createPresidioDetector = (options: PresidioOptions): Detector => new PresidioDetector(options);

class PresidioDetector implements Detector {
  readonly name = name;
  readonly isRemote = true;
  private readonly base: string;
  private readonly timeoutMs: number;
  private readonly languages: readonly string[];
  private readonly span: SpanStart;
  private readonly dispatcher: Agent;
  private readonly rules = new Map<string, RuleId>();
  private readonly breaker = new CircuitBreaker({ failures: 3, coolDownMs });

  constructor({ url, timeoutMs = 1000, languages = ['en'] }: PresidioOptions) {
    this.base = url.replace(/\/+$/, '');
    this.timeoutMs = timeoutMs;
    this.languages = languages;
    this.span = httpClientSpan('POST /analyze', url);
    // The server announces keep-alive but closes the connection: a second request on it fails at random.
    this.dispatcher = new Agent({
      pipelining: 0,
      connections: 16,
      connect: { timeout: timeoutMs },
      maxResponseSize: maxResponse,
    });
  }

  async detect(texts: readonly string[], { signal }: DetectOptions): Promise<Span[][]> {
    const batches = batchesOf(texts);
    if (batches.length === 0) return texts.map(() => []);
    if (!this.breaker.tryStart())
      throw new DetectorUnavailableError(
        `Presidio failed repeatedly. Calls to it are suspended for ${coolDownMs / 1000} s.`,
      );
    const timeout = AbortSignal.timeout(this.timeoutMs);
    const stop = new AbortController();
    try {
      const found = await this.analyzeBatches(texts, batches, AbortSignal.any([signal, timeout, stop.signal]));
      this.breaker.succeeded();
      return found;
    } catch (error) {
      stop.abort();
      if (signal.aborted) {
        this.breaker.abandoned();
        throw new DetectorUnavailableError('The call to Presidio was aborted.');
      }
      const reason = timeout.aborted ? `Presidio did not respond within ${this.timeoutMs} ms` : reasonOf(error);
      this.breaker.failed(reason);
      throw new DetectorUnavailableError(`${reason}.`);
    }
  }

  async state(): Promise<DependencyState> {
    const known = this.breaker.state();
    if (!known.up && !this.breaker.tryStart()) return known;
    try {
      await this.call('/health', AbortSignal.timeout(this.timeoutMs));
      this.breaker.succeeded();
    } catch (error) {
      this.breaker.failed(reasonOf(error));
      const state = this.breaker.state();
      return state.up ? { up: false, reason: unreachable, since: new Date() } : state;
    }
    return { up: true };
  }

  close(): Promise<void> {
    return this.dispatcher.close();
  }

  private async analyzeBatches(
    texts: readonly string[],
    batches: readonly number[][],
    signal: AbortSignal,
  ): Promise<Span[][]> {
    const found: Span[][] = texts.map(() => []);
    let next = 0;
    const work = async (): Promise<void> => {
      for (let batch = batches[next++]; batch; batch = batches[next++]) {
        const some = batch.map((index) => texts[index] ?? '');
        const byLanguage = await Promise.all(this.languages.map((language) => this.analyze(some, language, signal)));
        const spans = some.map((text, at) =>
          resolveOverlaps(text, withPersonalUrls(byLanguage.flatMap((lists) => lists[at] ?? []))),
        );
        batch.forEach((index, at) => (found[index] = spans[at] ?? []));
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, batches.length) }, work));
    return found;
  }

  private async analyze(texts: readonly string[], language: string, signal: AbortSignal): Promise<Span[][]> {
    const body = { text: texts, language, score_threshold: scoreThreshold };
    const answer = await inSpan(this.span, (span) => this.call('/analyze', signal, body, span));
    // For a list of one text, current servers return a list of lists; older servers return one list.
    const lists = answerSchema.safeParse(
      texts.length === 1 && Array.isArray(answer) && !Array.isArray(answer[0]) ? [answer] : answer,
    );
    if (!lists.success || lists.data.length !== texts.length)
      throw new Failure('Presidio sent a response that does not match the request');
    return texts.map((text, index) => {
      const at = toUtf16(text);
      return (lists.data[index] ?? []).map(
        ({ entity_type: type, start: from, end: to, score, recognition_metadata: by }): Span => {
          const [start, end] = [at(from), at(to)];
          const rule = this.ruleOf(by?.recognizer_name);
          return { start, end, type: finerType(type, text.slice(start, end)), score, detector: name, rule };
        },
      );
    });
  }

  /** The rule of a recognizer. A server has a few dozen; the names of more are not kept. */
  private ruleOf(recognizer = 'unknown'): RuleId {
    const known = this.rules.get(recognizer);
    if (known !== undefined) return known;
    const rule = presidioRule(recognizer);
    if (this.rules.size < MOST_RULES) this.rules.set(recognizer, rule);
    return rule;
  }

  private async call(path: string, signal: AbortSignal, body?: unknown, span?: CallSpan): Promise<unknown> {
    const response = await request(`${this.base}${path}`, {
      dispatcher: this.dispatcher,
      signal,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        connection: 'close',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(span && traceHeadersOf(span)),
      },
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: this.timeoutMs,
      bodyTimeout: this.timeoutMs,
    });
    span?.set({ 'http.response.status_code': response.statusCode });
    if (response.statusCode !== 200) {
      span?.fail(String(response.statusCode));
      await response.body.dump();
      throw new Failure(`Presidio responded with status ${response.statusCode}`);
    }
    const content = response.headers['content-type'];
    if (path === '/health' && !String(content).includes('json')) return response.body.text();
    return response.body.json();
  }
}

/** The type of a value of Presidio, which has one for all places and one for all URLs. */
function finerType(type: EntityType, value: string): EntityType {
  if (type === 'LOCATION') return /\d/.test(value) ? 'ADDRESS' : type;
  if (type === 'URL') return identifiesSomebody(value) ? type : 'PUBLIC_URL';
  return type;
}

const unreachable = 'Presidio is unreachable';
const reasonOf = (error: unknown): string => (error instanceof Failure ? error.message : unreachable);

class Failure extends Error {}

/**
 * The indexes of the texts that are not blank, in batches. One call for many texts is much cheaper than one call each.
 */
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
