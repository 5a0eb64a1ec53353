import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import getRawBody from 'raw-body';
import type { CallMiddleware } from './context.ts';
import { badRequest, ServiceError, tooLarge } from './errors.ts';
import { parseJson } from './json.ts';

const DECODERS = new Map<string, () => Readable & NodeJS.WritableStream>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Reads a JSON body into `context.state.body`; the limit, in bytes, holds for what is sent and for what it inflates to. */
export function jsonBody(limit: number): CallMiddleware {
  return async (context, next) => {
    const type = context.get('content-type');
    if (!/^application\/json *(?:; *charset *= *"?utf-?8"? *)?$/i.test(type)) {
      throw new ServiceError(415, 'unsupported_media_type', 'Send the body with Content-Type: application/json.');
    }
    const encoding = context.get('content-encoding').trim().toLowerCase();
    const bytes = await read(context.req, encoding, limit);
    context.state.bodyBytes = bytes.length;
    context.state.body = parseJson(bytes);
    await next();
  };
}

async function read(request: IncomingMessage, encoding: string, limit: number): Promise<Buffer> {
  const declared = request.headers['content-length'];
  if (declared !== undefined && Number(declared) > limit) throw overLimit(limit);
  if (encoding === '' || encoding === 'identity') return readAll(request, limit, declared);
  const decoder = DECODERS.get(encoding)?.();
  if (!decoder) {
    throw new ServiceError(
      415,
      'unsupported_encoding',
      'Send the body plain, or with Content-Encoding gzip, deflate or br.',
    );
  }
  request.on('error', () => decoder.destroy(new Error('The request was cut short.')));
  request.pipe(decoder);
  try {
    return await readAll(decoder, limit);
  } finally {
    request.unpipe(decoder);
    decoder.destroy();
  }
}

async function readAll(stream: Readable, limit: number, length?: string): Promise<Buffer> {
  try {
    return await getRawBody(stream, { limit, ...(length === undefined ? {} : { length }) });
  } catch (error) {
    const type = error instanceof Error && 'type' in error ? error.type : undefined;
    if (type === 'entity.too.large') throw overLimit(limit);
    throw badRequest('invalid_body', 'The body is incomplete, or not in the encoding that Content-Encoding names.');
  }
}

function overLimit(limit: number): ServiceError {
  return tooLarge('body_too_large', `The body is larger than ${limit} bytes.`);
}
