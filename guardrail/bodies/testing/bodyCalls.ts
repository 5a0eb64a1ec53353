/** Test support: calls that pass the real guard with a memory store. */
import { callBy, createFakeAnalyzer, createTestGuard, type Planted } from '../../pseudonymization/testing/testGuard.ts';
import type { Guard } from '../../pseudonymization/pseudonymization.ts';
import { guardBody, operationOf, restoreBody, restoreStream, type GuardedBody, type Operation } from '../bodies.ts';

/** A value that the test's analyzer finds in any text. */
export const EMAIL = 'anna.schmidt@example.org';
/** A value that needs escapes in JSON, and one that is a number there. */
export const QUOTED = 'Anna "Ännchen" O\\Neill';
export const CARD = '4111111111111111';

const PLANTED: Planted = { [EMAIL]: 'EMAIL_ADDRESS', [QUOTED]: 'PERSON', [CARD]: 'CREDIT_CARD' };

/** One client's calls. All of them share a session. */
export class BodyCalls {
  readonly guard: Guard;
  private readonly context = callBy();

  constructor(guard: Guard = createTestGuard(createFakeAnalyzer(PLANTED)).guard) {
    this.guard = guard;
  }

  request(operation: Operation, body: string | Buffer, contentType = 'application/json'): Promise<GuardedBody> {
    return guardBody(operation, { bytes: Buffer.from(body), contentType }, this.guard, this.context);
  }

  guardQuery(operation: Operation, query: string): Promise<GuardedBody> {
    return guardBody(operation, { bytes: Buffer.alloc(0), contentType: undefined, query }, this.guard, this.context);
  }

  /** @returns the body that is sent on. @throws if the request is blocked */
  async sent(operation: Operation, body: string, contentType?: string): Promise<string> {
    const outcome = await this.request(operation, body, contentType);
    if (outcome.action === 'BLOCKED') throw new Error(outcome.reason);
    return outcome.action === 'NONE' ? body : outcome.body.toString();
  }

  async restored(operation: Operation, answer: string | Buffer, contentType = 'application/json'): Promise<string> {
    const { body } = await restoreBody(operation, Buffer.from(answer), contentType, this.guard, this.context);
    return body.toString();
  }

  /** @returns what is sent after each chunk, and at the end. */
  async streamed(
    operation: Operation,
    chunks: readonly Buffer[],
    contentType = 'text/event-stream',
  ): Promise<Buffer[]> {
    const stream = restoreStream(operation, contentType, this.guard, this.context);
    const sent: Buffer[] = [];
    for (const chunk of chunks) sent.push(await stream.push(chunk));
    sent.push(await stream.end());
    return sent;
  }

  /** @returns the pseudonym of a value, as it stands in a text. */
  async pseudonymOf(value: string): Promise<string> {
    const { input } = JSON.parse(
      await this.sent(known('POST', '/v1/moderations'), JSON.stringify({ input: value })),
    ) as {
      input: string;
    };
    if (input === value) throw new Error('The value has no pseudonym.');
    return input;
  }
}

/** @throws if the operation does not exist */
export function known(method: string, path: string): Operation {
  const operation = operationOf(method, path);
  if (!operation) throw new Error(`${method} ${path} is not known.`);
  return operation;
}

function ranges(length: number, places: readonly number[]): [from: number, to: number][] {
  const cuts = [0, ...places.map((place) => place % (length + 1)).sort((a, b) => a - b), length];
  return cuts.slice(1).map((cut, at) => [cuts[at] ?? 0, cut]);
}

/** Splits bytes at places. */
export function splitAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  return ranges(bytes.length, places).map(([from, to]) => bytes.subarray(from, to));
}

/** Splits a text at places, also inside a surrogate pair. */
export function splitText(text: string, places: readonly number[]): string[] {
  return ranges(text.length, places).map(([from, to]) => text.slice(from, to));
}
