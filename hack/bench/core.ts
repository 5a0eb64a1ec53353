/**
 * Measures the cost of the pseudonymization core without detection and network: pseudonymizing a chat request, restoring its
 * answer, and restoring one call of its stream. Each figure is a ratio to parsing and writing the same body as JSON in the
 * same run.
 *
 *     node hack/bench/core.ts
 */
import { createSecretKey } from 'node:crypto';
import { MAX_VALUES } from '../../guardrail/detection/contract.ts';
import type { Analyzer, Finding } from '../../guardrail/detection/detection.ts';
import {
  createGuard,
  type CallContext,
  type Guard,
  type RequestDocument,
} from '../../guardrail/pseudonymization/pseudonymization.ts';
import type { Pseudonym, Tenant } from '../../guardrail/ids.ts';
import { createMemoryStore, type MappingStore } from '../../guardrail/store/store.ts';

const SIZES = [1_000, 10_000, 100_000, 1_000_000];
const SESSIONS = [10, 1_000, 100_000];
/** One value per this many characters of text. */
const DENSITY = 150;
const PROSE =
  'Could you please summarise the notes (see below) and tell me what we still have to do before the review on Thursday? ';

const context: CallContext = {
  identity: { tenant: 'bench' as Tenant, keyHash: 'key', endUser: 'cust-9' },
  signal: new AbortController().signal,
};

interface Sample {
  readonly document: RequestDocument;
  readonly findings: ReadonlyMap<string, Finding[]>;
}

/**
 * A conversation of messages of about 500 characters, each in `texts` and in `structuredMessages`, as LiteLLM sends it.
 */
function sampleOf(size: number): Sample {
  const findings = new Map<string, Finding[]>();
  const texts: string[] = [];
  const distinct = Math.max(1, Math.min(1000, Math.floor(size / DENSITY / 3)));
  for (let length = 0, count = 0; length < size;) {
    let text = `Message ${texts.length}: `;
    const found: Finding[] = [];
    while (text.length < 500) {
      const value = `Person ${String.fromCharCode(65 + (count % 26))}. Name${count % distinct}`;
      count++;
      text += PROSE.slice(0, DENSITY - value.length);
      const start = text.length;
      text += `${value}, `;
      found.push({
        start,
        end: start + value.length,
        type: 'PERSON',
        score: 1,
        detector: 'bench',
        action: 'pseudonymize',
      });
    }
    texts.push(text);
    findings.set(text, found);
    length += text.length;
  }
  const structuredMessages = texts.map((content, at) => ({ role: at % 2 ? 'assistant' : 'user', content }));
  return { document: { texts, structuredMessages }, findings };
}

function guardOn({ findings }: Sample, store: MappingStore): Guard {
  const analyzer: Analyzer = {
    analyze: (texts) => Promise.resolve(texts.map((text) => findings.get(text) ?? [])),
    state: () => Promise.resolve({ up: true }),
    close: () => Promise.resolve(),
  };
  return createGuard({
    analyzer,
    store,
    sessionKey: createSecretKey(Buffer.alloc(32, 1)),
    scope: 'user',
  });
}

/**
 * @returns the processor time of one call in milliseconds: the minimum of several batches, which reduces the influence of
 * other work and of garbage collection.
 */
async function time(run: () => unknown): Promise<number> {
  let count = 1;
  let best = Infinity;
  for (let batch = 0; batch < 12; batch++) {
    const start = process.cpuUsage();
    for (let call = 0; call < count; call++) await run();
    const { user, system } = process.cpuUsage(start);
    const ms = (user + system) / 1000;
    best = Math.min(best, ms / count);
    if (ms < 30) count = Math.ceil(count * Math.min(8, 40 / Math.max(ms, 1)));
  }
  return best;
}

async function fill(store: MappingStore, guard: Guard, values: number): Promise<void> {
  const entries = Array.from({ length: values }, (_, at): [Pseudonym, string] => [
    `<PERSON_${(at + 0x100000).toString(32).toUpperCase()}AB>` as Pseudonym,
    `Somebody ${at}`,
  ]);
  const session = guard.sessionOf(context.identity);
  await store.put({ session, subject: undefined, values: new Map(entries), fence: store.fence() });
}

interface Row {
  readonly reference: number;
  readonly request: number;
  readonly response: number;
  readonly chunk: number;
}

async function measure(sample: Sample, sessionValues: number): Promise<Row> {
  const store = createMemoryStore({ ttlMs: 3_600_000 });
  const guard = guardOn(sample, store);
  const sent = await guard.request(sample.document, context);
  if (sent.action !== 'GUARDRAIL_INTERVENED') throw new Error('Nothing was replaced, so there is nothing to measure.');
  await fill(store, guard, sessionValues);
  const answer = { texts: [sent.texts.join('\n')] };
  // The same answer as a stream, cut in the middle of its last pseudonym.
  const [text = ''] = answer.texts;
  const growing = { texts: [text.slice(0, text.lastIndexOf('>') - 3)] };
  const body = JSON.stringify(sample.document);
  await store.get(guard.sessionOf(context.identity), []);
  const row = {
    reference: await time(() => JSON.stringify(JSON.parse(body))),
    request: await time(() => guard.request(sample.document, context)),
    response: await time(() => guard.response(answer, context)),
    chunk: await time(() => guard.response(growing, context)),
  };
  await store.close();
  return row;
}

function print(cells: readonly (string | number)[]): void {
  console.log(
    cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(cell < 10 ? 2 : 1) : cell).padStart(14)).join(''),
  );
}

await measure(sampleOf(10_000), 10);
console.log(
  'Processor time in milliseconds; in brackets the ratio to JSON.parse and JSON.stringify of the request body.\n',
);
print(['text', 'session', 'JSON', 'request', 'response', 'stream call', 'ns/character']);
for (const size of SIZES) {
  for (const values of size === 10_000 ? SESSIONS : [10]) {
    const { reference, request, response, chunk } = await measure(sampleOf(size), values);
    const ratio = (ms: number): string => `${ms.toFixed(2)} (${(ms / reference).toFixed(1)})`;
    print([
      `${size / 1000} kB`,
      values,
      reference,
      ratio(request),
      ratio(response),
      ratio(chunk),
      (request / size) * 1e6,
    ]);
  }
}

console.log(
  '\nHostile texts of 1 MB, nothing found: milliseconds for a request, ratio to ordinary text of that size.\n',
);
const ordinary = PROSE.repeat(Math.ceil(1e6 / PROSE.length));
const hostile: Record<string, string> = {
  ordinary,
  'all <': '<'.repeat(1e6),
  'all [': '['.repeat(1e6),
  'all {"a":': '{"a":'.repeat(2e5),
  'all \\': '\\'.repeat(1e6),
  'all "\\': '["\\'.repeat(333_333),
  'all <PERSON_': '<PERSON_'.repeat(125_000),
  // More of them are refused.
  'look-alikes': '<PERSON_K7Q2RTM4>'.padEnd(1e6 / MAX_VALUES, ' x').repeat(MAX_VALUES),
  'one word': 'a'.repeat(1e6),
};
let base = 0;
for (const [name, text] of Object.entries(hostile)) {
  const store = createMemoryStore({ ttlMs: 3_600_000 });
  const guard = guardOn({ document: { texts: [text] }, findings: new Map() }, store);
  const ms = await time(() => guard.request({ texts: [text] }, context));
  base ||= ms;
  print([name, ms, ms / base]);
  await store.close();
}
