import type { IncomingHttpHeaders } from 'node:http';
import { Transform, type Duplex, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import getRawBody from 'raw-body';
import type { BodyTracker } from './admission/capacity.ts';
import type { CallMiddleware, CallState } from './context.ts';
import { ServiceError } from './errors.ts';
import { parseJson } from './json.ts';

const DECODERS = new Map<string, () => Duplex>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

/**
 * Creates the streams that decode a body, in the order of their use: none for a body without an encoding, one for others.
 * @param header the value of the header Content-Encoding
 * @returns undefined for an unknown encoding, and for several encodings
 */
export function decodersFor(header: string | undefined): readonly Duplex[] | undefined {
  const encoding = (header ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return [];
  const create = DECODERS.get(encoding);
  return create && [create()];
}

/** A request whose body is read. */
export type BodySource = Readable & { readonly headers: IncomingHttpHeaders };

/** Reads a JSON body of at most `limit` bytes into `context.state.body`; see {@link readBody}. */
export function jsonBody(limit: number): CallMiddleware {
  return async (context, next) => {
    const type = context.get('content-type');
    if (!/^application\/json *(?:; *charset *= *"?utf-?8"? *)?$/i.test(type)) {
      throw new ServiceError('unsupported_media_type');
    }
    context.state.body = parseJson(await readBody(context, limit));
    await next();
  };
}

/**
 * Reads the body of a call, decompressed. The limit, in bytes, applies to the body as sent and as decompressed; admission
 * counts its decompressed bytes while they are read.
 * @throws ServiceError 400, 413, 415 or 429
 */
export async function readBody(
  { req, state }: { readonly req: BodySource; readonly state: CallState },
  limit: number,
): Promise<Buffer> {
  const bytes = await read(req, limit, state.bodyTracker);
  state.bodyBytes = bytes.length;
  return bytes;
}

async function read(request: BodySource, limit: number, tracker: BodyTracker | undefined): Promise<Buffer> {
  const declared = request.headers['content-length'];
  if (declared !== undefined && Number(declared) > limit) throw new ServiceError('body_too_large', { limit });
  const decoders = decodersFor(request.headers['content-encoding']);
  if (!decoders) throw new ServiceError('unsupported_encoding');
  const meter = meterOf(tracker);
  const stages = [...decoders, meter];
  const failIncomplete = (): void => {
    meter.destroy(new Error('The request ended before its body was complete.'));
  };
  const abort = (): void => {
    meter.destroy(tracker?.signal.reason as Error);
  };
  if (request.destroyed) failIncomplete();
  tracker?.signal.addEventListener('abort', abort, { once: true });
  stages.reduce((from: Readable, to) => from.on('error', failIncomplete).pipe(to), request);
  try {
    return await readAll(meter, limit);
  } finally {
    tracker?.done();
    tracker?.signal.removeEventListener('abort', abort);
    // The connection stays open for the response.
    request.unpipe();
    for (const stage of stages) stage.destroy();
  }
}

/** A stream that counts its bytes. */
function meterOf(tracker: BodyTracker | undefined): Transform {
  return new Transform({
    transform(chunk: Buffer, _, proceed) {
      try {
        tracker?.addBytes(chunk.length);
        proceed(null, chunk);
      } catch (error) {
        proceed(error as Error);
      }
    },
  });
}

async function readAll(stream: Readable, limit: number): Promise<Buffer> {
  try {
    return await getRawBody(stream, { limit });
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const type = error instanceof Error && 'type' in error ? error.type : undefined;
    if (type === 'entity.too.large') throw new ServiceError('body_too_large', { limit });
    throw new ServiceError('invalid_body');
  }
}
