import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { BodyTracker } from './admission/capacity.ts';
import type { CallMiddleware, CallState } from './context.ts';
import { ServiceError } from './errors.ts';
import { parseJsonInSteps } from './json.ts';

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

/**
 * Reads a JSON body of at most `limit` bytes into `context.state.body`; see {@link readBody}.
 * @param keepsText the text is needed too
 */
export function jsonBody(limit: number, keepsText = false): CallMiddleware {
  return async (context, next) => {
    const type = context.get('content-type');
    if (!/^application\/json *(?:; *charset *= *"?utf-?8"? *)?$/i.test(type)) {
      throw new ServiceError('unsupported_media_type');
    }
    const bytes = await readBody(context, limit);
    const parsed = parseJsonInSteps(bytes);
    context.state.body = parsed instanceof Promise ? await parsed : parsed;
    if (keepsText) context.state.bodyText = bytes.toString('utf8');
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

function ignore(): void {
  // Of a body that is read, or refused.
}

function read(request: BodySource, limit: number, tracker: BodyTracker | undefined): Promise<Buffer> {
  const declared = request.headers['content-length'];
  if (declared !== undefined && Number(declared) > limit) throw new ServiceError('body_too_large', { limit });
  const decoders = decodersFor(request.headers['content-encoding']);
  if (!decoders) throw new ServiceError('unsupported_encoding');
  const [decoder] = decoders;
  const source: Readable = decoder ? request.pipe(decoder) : request;
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    const fail = (error: Error): void => {
      leave();
      // The connection stays open for the response.
      request.unpipe().pause();
      reject(error);
    };
    const failIncomplete = (): void => {
      fail(new ServiceError('invalid_body'));
    };
    const add = (part: Buffer): void => {
      try {
        length += part.length;
        if (length > limit) throw new ServiceError('body_too_large', { limit });
        tracker?.addBytes(part.length);
        parts.push(part);
      } catch (error) {
        fail(error as Error);
      }
    };
    const end = (): void => {
      leave();
      const [first] = parts;
      resolve(first && parts.length === 1 ? first : Buffer.concat(parts, length));
    };
    const leave = (): void => {
      tracker?.done();
      source.off('data', add).off('end', end).off('close', failIncomplete);
      // Nobody needs what still arrives, and an error would end the process. These listeners would keep the body for as
      // long as the call, whose answer may stream for minutes.
      request.off('error', failIncomplete).on('error', ignore);
      decoder?.off('error', failIncomplete).on('error', ignore);
      decoder?.destroy();
    };
    request.on('error', failIncomplete);
    decoder?.on('error', failIncomplete);
    source.on('data', add).on('end', end).on('close', failIncomplete);
    tracker?.onAbort(fail);
    if (request.destroyed) failIncomplete();
  });
}
