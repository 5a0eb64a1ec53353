import type { IncomingMessage } from 'node:http';
import { Transform, type Duplex, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import getRawBody from 'raw-body';
import type { BodyReading } from './admission/places.ts';
import type { CallMiddleware } from './context.ts';
import { badRequest, ServiceError, tooLarge } from './errors.ts';
import { parseJson } from './json.ts';

const DECODERS = new Map<string, () => Duplex>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/**
 * Reads a JSON body into `context.state.body`; the limit, in bytes, holds for what is sent and for what it inflates to. So
 * does what admission counts, as it is read.
 */
export function jsonBody(limit: number): CallMiddleware {
  return async (context, next) => {
    const type = context.get('content-type');
    if (!/^application\/json *(?:; *charset *= *"?utf-?8"? *)?$/i.test(type)) {
      throw new ServiceError(415, 'unsupported_media_type', 'Send the body with Content-Type: application/json.');
    }
    const bytes = await read(context.req, limit, context.state.reading);
    context.state.bodyBytes = bytes.length;
    context.state.body = parseJson(bytes);
    await next();
  };
}

async function read(request: IncomingMessage, limit: number, reading: BodyReading | undefined): Promise<Buffer> {
  const declared = request.headers['content-length'];
  if (declared !== undefined && Number(declared) > limit) throw overLimit(limit);
  const meter = meterOf(reading);
  const stages = [...decoderOf(request), meter];
  const cutShort = (): void => {
    meter.destroy(new Error('The request was cut short.'));
  };
  const giveUp = (): void => {
    meter.destroy(reading?.signal.reason as Error);
  };
  if (request.destroyed) cutShort();
  reading?.signal.addEventListener('abort', giveUp, { once: true });
  stages.reduce((from: Readable, to) => from.on('error', cutShort).pipe(to), request);
  try {
    return await readAll(meter, limit);
  } finally {
    reading?.done();
    reading?.signal.removeEventListener('abort', giveUp);
    // The connection stays, for the answer.
    request.unpipe();
    for (const stage of stages) stage.destroy();
  }
}

/** Counts what goes through it, as it goes. */
function meterOf(reading: BodyReading | undefined): Transform {
  return new Transform({
    transform(chunk: Buffer, _, proceed) {
      try {
        reading?.hold(chunk.length);
        proceed(null, chunk);
      } catch (error) {
        proceed(error as Error);
      }
    },
  });
}

function decoderOf(request: IncomingMessage): Duplex[] {
  const encoding = (request.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return [];
  const decoder = DECODERS.get(encoding);
  if (decoder) return [decoder()];
  const message = 'Send the body plain, or with Content-Encoding gzip, deflate or br.';
  throw new ServiceError(415, 'unsupported_encoding', message);
}

async function readAll(stream: Readable, limit: number): Promise<Buffer> {
  try {
    return await getRawBody(stream, { limit });
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const type = error instanceof Error && 'type' in error ? error.type : undefined;
    if (type === 'entity.too.large') throw overLimit(limit);
    throw badRequest('invalid_body', 'The body is incomplete, or not in the encoding that Content-Encoding names.');
  }
}

function overLimit(limit: number): ServiceError {
  return tooLarge('body_too_large', `The body is larger than ${limit} bytes.`);
}
