import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PassThrough } from 'node:stream';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { readBody, type BodySource } from './body.ts';

const TEXT = 'x'.repeat(1000);

describe('the body of a call', () => {
  const cases: [encoding: string | undefined, sent: Buffer][] = [
    [undefined, Buffer.from(TEXT)],
    ['gzip', gzipSync(TEXT)],
  ];
  for (const [encoding, sent] of cases) {
    it(`is not kept by its request once it is read: ${encoding ?? 'no encoding'}`, async () => {
      const request = requestWith(encoding);
      const body = await referenceTo(readAll(request, sent));
      await collectGarbage();
      expect(body.deref()).to.equal(undefined);
      expect(request.readableEnded).to.equal(true);
    });

    it(`survives an error of its request after it: ${encoding ?? 'no encoding'}`, async () => {
      const request = requestWith(encoding);
      const body = await readAll(request, sent);
      request.emit('error', new Error('The connection was reset.'));
      expect(body.toString()).to.equal(TEXT);
    });
  }
});

function requestWith(encoding: string | undefined): BodySource & PassThrough {
  return Object.assign(new PassThrough(), { headers: encoding === undefined ? {} : { 'content-encoding': encoding } });
}

function readAll(request: BodySource & PassThrough, sent: Buffer): Promise<Buffer> {
  const read = readBody({ req: request, state: { requestId: '', log: {} } }, 10_000);
  request.end(Buffer.from(sent));
  return read;
}

/** Keeps nothing of the body itself. */
async function referenceTo(body: Promise<Buffer>): Promise<WeakRef<Buffer>> {
  return new WeakRef(await body);
}

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // A reference that was made or read stays until the end of this iteration.
  await nextIteration();
  collect();
}
