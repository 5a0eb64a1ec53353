import { expect } from 'chai';
import fc from 'fast-check';
import type { Span } from '../contract.ts';
import { MAX_VALUES, TooManyValuesError } from '../contract.ts';
import { createBuiltinDetector } from '../builtinDetector.ts';
import { groupsOf, isOnePiece, piecesOf } from './pieces.ts';

const signal = new AbortController().signal;
const whole = createBuiltinDetector({ pieceSize: 1e9 });
const cut = createBuiltinDetector({ pieceSize: 300 });
const find = async (detector: typeof whole, text: string): Promise<Span[]> =>
  (await detector.detect([text], { signal }))[0] ?? [];

const sentences = [
  'Anna Schmidt met Tom Miller in Hamburg on Monday, and they talked for hours about the harvest.',
  'Please call +49 151 23456789 or write to anna.schmidt@example.net before the review on Thursday.',
  'The invoice goes to Schillerstraße 12, 20095 Hamburg; the IBAN is DE89 3704 0044 0532 0130 00.',
  'Could you please summarise the notes (see below) and tell me what we still have to do?',
  'My password is Xk9#mQ2!vL, do not tell anybody; the server is at 192.168.17.23.',
  '{"name": "Maria Gonzalez", "note": "paid in cash\\nasks again", "card": "4111 1111 1111 1111"}',
  '',
  `-----BEGIN RSA PRIVATE KEY-----\n${Array.from({ length: 20 }, (_, at) => `${at}MIIEpAIBAAKCAQEA7b+/Xy`.repeat(3).slice(0, 64)).join('\n')}\n-----END RSA PRIVATE KEY-----`,
];

describe('text pieces', () => {
  it('cover the whole text with their surroundings, and cut no character', () => {
    const text = fc.array(fc.constantFrom('word ', 'x'.repeat(700), '😀', '\n', '😀'.repeat(400)), { maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 100, max: 2000 }), (parts, size) => {
        const text = parts.join('');
        const pieces = [...piecesOf(text, size)];
        expect(pieces.map(({ start, end }) => text.slice(start, end)).join('')).to.equal(text);
        for (const { start, end, from, to } of pieces) {
          expect(from).to.be.at.most(start);
          expect(to).to.be.at.least(end);
          for (const part of [text.slice(start, end), text.slice(from, to)]) expect(part.isWellFormed()).to.equal(true);
        }
      }),
    );
  });

  it('give the same spans as the whole text', async () => {
    const text = fc
      .array(fc.constantFrom(...sentences), { minLength: 10, maxLength: 40 })
      .map((parts) => parts.join('\n'));
    await fc.assert(
      fc.asyncProperty(text, async (text) => {
        // What is likely of a name depends on the others around it, and so on the piece.
        const places = async (detector: typeof whole): Promise<Omit<Span, 'score'>[]> =>
          (await find(detector, text)).map(({ score: _, ...place }) => place);
        expect(await places(cut)).to.deep.equal(await places(whole));
      }),
      { numRuns: 20 },
    );
  });

  it('cover a long run of names and a long key completely', async () => {
    const run = 'Anna Schmidt '.repeat(2000).trimEnd();
    let covered = 0;
    for (const { start, end } of await find(createBuiltinDetector(), run))
      covered += run.slice(start, end).replaceAll(' ', '').length;
    expect(covered).to.equal(run.replaceAll(' ', '').length);
    const body = Array.from({ length: 150 }, (_, at) => `${at}MIIEpAIBAAKCAQEA7b+/Xy`.repeat(3).slice(0, 64)).join(
      '\n',
    );
    const key = `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`;
    for (const before of [0, 250, 290]) {
      const text = `${'word '.repeat(before / 5)}\n${key}\n${'word '.repeat(400)}`;
      const [span] = await find(cut, text);
      expect(span && text.slice(span.start, span.end)).to.equal(key);
    }
  });

  it('let the detector yield to the event loop between two pieces', async () => {
    let iterations = 0;
    let isDone = false;
    const count = (): void => {
      iterations++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const pieces = 1_000_000 / 8192;
    const line = `Please summarise the notes of Anna Schmidt${', and then send them to all who were there'.repeat(4)}.\n`;
    try {
      await find(createBuiltinDetector(), line.repeat(1_000_000 / line.length));
    } finally {
      isDone = true;
    }
    expect(iterations).to.be.at.least(pieces - 2);
  });

  it('let the detector stop if the call is aborted or contains too many values', async () => {
    const abort = new AbortController();
    const found = createBuiltinDetector().detect(['Anna Schmidt met Tom.\n'.repeat(50_000)], { signal: abort.signal });
    setImmediate(() => {
      abort.abort();
    });
    expect(await found.catch((error: unknown) => String(error))).to.include('aborted');
    const rows = Array.from({ length: MAX_VALUES + 1 }, (_, at) => `u${at}@ex.com`).join('\n');
    const error: unknown = await find(createBuiltinDetector(), rows).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(TooManyValuesError);
  });
});

describe('groups of texts', () => {
  it('contain all texts in order, and each long text alone', () => {
    const length = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 40_000 }));
    fc.assert(
      fc.property(fc.array(length, { maxLength: 40 }), fc.integer({ min: 50, max: 20_000 }), (lengths, size) => {
        const texts = lengths.map((length, at) => String(at).padEnd(length, 'x'));
        const groups = [...groupsOf(texts, size)];
        expect(groups.flat()).to.deep.equal(texts);
        for (const group of groups) {
          expect(group).not.to.be.empty;
          if (group.length === 1) continue;
          expect(group.every((text) => isOnePiece(text, size))).to.equal(true);
          expect(group.join('').length).to.be.at.most(32_768);
        }
      }),
    );
  });
});
