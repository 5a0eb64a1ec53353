import { expect } from 'chai';
import sharp from 'sharp';
import { onlyService } from '../../pipeline/testing/testPolicies.ts';
import { createPipeline } from '../../pipeline/pipeline.ts';
import { createGuard } from '../../pseudonymization/pseudonymization.ts';
import { createFakeAnalyzer, testKey } from '../../pseudonymization/testing/testGuard.ts';
import { createMemoryStore } from '../../store/store.ts';
import type { GuardedBody } from '../bodies.ts';
import { BodyCalls, EMAIL, known } from '../testing/bodyCalls.ts';

const pngOf = (color: string): Promise<Buffer> =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: color } })
    .png()
    .toBuffer();
const PNG = await pngOf('white');
const REDACTED = await pngOf('black');
const base64 = PNG.toString('base64');
const redacted = REDACTED.toString('base64');
const PDF = Buffer.from(`%PDF-1.4 ${'x'.repeat(300)}`);

/** Calls through the guard of the service. The reader finds a value in every image. */
function callsWith(images: 'redact' | 'block' | 'pass'): BodyCalls {
  const box = { x: 4, y: 4, width: 8, height: 8, angle: 0 };
  const { guard } = createPipeline({
    ...{ mode: 'enforce', images, remoteImages: 'block', unreadText: 'mask', scope: 'user', sessionKey: testKey },
    policies: onlyService(),
    analyzer: createFakeAnalyzer({ [EMAIL]: 'EMAIL_ADDRESS' }),
    store: createMemoryStore({ ttlMs: 3_600_000 }),
    createTextGuard: createGuard,
    reader: {
      read: () => {
        const words = [{ text: EMAIL, from: 0, to: 1 }];
        return Promise.resolve({ angle: 0, lines: [{ box, words, isUnread: false }], isAltered: false });
      },
      rewrite: () => Promise.resolve(REDACTED),
      close: () => Promise.resolve(),
    },
  });
  return new BodyCalls(guard);
}

const TYPE = 'multipart/form-data; boundary=b';
const upload = (name: string, content: Buffer, type: string): Buffer =>
  Buffer.concat([
    Buffer.from(`--b\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\nContent-Type: ${type}\r\n\r\n`),
    content,
    Buffer.from('\r\n--b--\r\n'),
  ]);

interface Case {
  readonly path: string;
  /** @param image base64 of an image */
  readonly body: (image: string) => object | Buffer;
}

const url = (image: string): string => `data:image/png;base64,${image}`;
const IMAGES: Record<string, Case> = {
  'an image part of chat': {
    path: '/v1/chat/completions',
    body: (image) => ({
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: url(image) } }] }],
    }),
  },
  'an image part of responses': {
    path: '/v1/responses',
    body: (image) => ({ input: [{ role: 'user', content: [{ type: 'input_image', image_url: url(image) }] }] }),
  },
  'an image in the output of a tool': {
    path: '/v1/responses',
    body: (image) => ({
      input: [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: url(image) }] }],
    }),
  },
  'an image block of messages': {
    path: '/v1/messages',
    body: (image) => ({
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } }],
        },
      ],
    }),
  },
  'inline data of Gemini': {
    path: '/v1beta/models/g:generateContent',
    body: (image) => ({ contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: image } }] }] }),
  },
  'an input of embeddings': { path: '/v1/embeddings', body: (image) => ({ input: ['a', url(image)] }) },
  'an unknown member': {
    path: '/v1/chat/completions',
    body: (image) => ({ messages: [], extra: { deep: [{ [EMAIL]: url(image), b: EMAIL }] } }),
  },
  'an uploaded image': {
    path: '/v1/images/edits',
    body: (image) => upload('image', Buffer.from(image, 'base64'), 'image/png'),
  },
  'a file that is an image': {
    path: '/v1/files',
    body: (image) => upload('file', Buffer.from(image, 'base64'), 'application/octet-stream'),
  },
};

const FILES: Record<string, Case> = {
  'a file of chat': {
    path: '/v1/chat/completions',
    body: () => ({
      messages: [
        {
          role: 'user',
          content: [{ type: 'file', file: { file_data: `data:application/pdf;base64,${PDF.toString('base64')}` } }],
        },
      ],
    }),
  },
  'a reference to a file': {
    path: '/v1/responses',
    body: () => ({ input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] }),
  },
  sound: {
    path: '/v1/chat/completions',
    body: () => ({
      messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }] }],
    }),
  },
  'a document block': {
    path: '/v1/messages',
    body: () => ({
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: PDF.toString('base64') },
            },
          ],
        },
      ],
    }),
  },
  'file data of Gemini': {
    path: '/v1beta/models/g:generateContent',
    body: () => ({ contents: [{ parts: [{ fileData: { mimeType: 'application/pdf', fileUri: 'gs://a/b' } }] }] }),
  },
  'a data URL in an unknown member': {
    path: '/v1/chat/completions',
    body: () => ({ extra: [[`data:application/pdf;base64,${PDF.toString('base64')}`]] }),
  },
  'a prompt as tokens': { path: '/v1/completions', body: () => ({ prompt: [[15496, 11]] }) },
  'an input as tokens': { path: '/v1/embeddings', body: () => ({ input: [15496, 11] }) },
  'base64 in an unknown member': { path: '/v1/chat/completions', body: () => ({ extra: PDF.toString('base64') }) },
  'an uploaded document': { path: '/v1/files', body: () => upload('file', PDF, 'application/pdf') },
  'a batch file where no batch is taken': {
    path: '/v1/images/edits',
    body: () => upload('image', Buffer.from('{"a":1}'), 'application/jsonl'),
  },
  'an uploaded recording': {
    path: '/v1/audio/transcriptions',
    body: () => upload('file', Buffer.from('RIFF0000WAVE'), 'audio/wav'),
  },
};

function sentBy(calls: BodyCalls, { path, body }: Case): Promise<GuardedBody> {
  const built = body(base64);
  return Buffer.isBuffer(built)
    ? calls.request(known('POST', path), built, TYPE)
    : calls.request(known('POST', path), JSON.stringify(built));
}

describe('images', () => {
  for (const [name, one] of Object.entries(IMAGES)) {
    it(`are redacted: ${name}`, async () => {
      const outcome = await sentBy(callsWith('redact'), one);
      if (outcome.action !== 'GUARDRAIL_INTERVENED') throw new Error(outcome.action);
      const expected = one.body(redacted);
      if (Buffer.isBuffer(expected)) expect(outcome.body.equals(expected)).to.equal(true);
      else if (name === 'an unknown member') {
        expect(outcome.body.toString()).to.contain(redacted).and.not.contain(EMAIL).and.not.contain(base64);
      } else expect(outcome.body.toString()).to.equal(JSON.stringify(expected));
    });

    it(`are refused, or pass, as the setting says: ${name}`, async () => {
      expect(await sentBy(callsWith('block'), one)).to.have.property('action', 'BLOCKED');
      const outcome = await sentBy(callsWith('pass'), one);
      if (outcome.action === 'GUARDRAIL_INTERVENED') expect(outcome.body.toString()).to.contain(base64);
      else expect(outcome.action).to.equal('NONE');
    });
  }
});

describe('files and recordings', () => {
  for (const [name, one] of Object.entries(FILES)) {
    it(`are refused unless they pass: ${name}`, async () => {
      for (const images of ['redact', 'block'] as const) {
        expect(await sentBy(callsWith(images), one), images).to.have.property('action', 'BLOCKED');
      }
      expect(await sentBy(callsWith('pass'), one)).to.have.property('action', 'NONE');
    });
  }
});
