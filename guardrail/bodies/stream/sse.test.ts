import { expect } from 'chai';
import fc from 'fast-check';
import { splitAt } from '../testing/bodyCalls.ts';
import { ElementFramer } from './elements.ts';
import type { Frame, Framer } from './frames.ts';
import { LineFramer } from './lines.ts';
import { MAX_EVENT_BYTES } from './pieces.ts';
import { SseFramer } from './sse.ts';

function framesOf(framer: Framer, chunks: readonly Buffer[]): Frame[] {
  return [...chunks.flatMap((chunk) => framer.push(chunk)), ...framer.end()];
}
const dataOf = (text: string): (string | undefined)[] =>
  framesOf(new SseFramer(), [Buffer.from(text)]).map((frame) => frame.data);

describe('server-sent events', () => {
  const cases: [name: string, stream: string, data: (string | undefined)[]][] = [
    ['line feeds', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['carriage returns', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['both', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['a mixture', 'data: a\r\n\ndata: b\n\r\ndata: c\r\r\n', ['a', 'b', 'c']],
    ['several lines', 'data: a\ndata:b\ndata:  c\n\n', ['a\nb\n c']],
    ['no space', 'data:a\n\n', ['a']],
    ['no colon', 'data\n\n', ['']],
    ['comments and other fields', ': x\nevent: e\nid: 1\nretry: 5\nfoo\n\n', [undefined]],
    ['a byte order mark', '\ufeffdata: a\n\n\ufeffdata: b\n\n', ['a', undefined]],
    ['an event without an end', 'data: a\n\ndata: b', ['a', 'b']],
    ['a name that begins with data', 'database: a\n\n', [undefined]],
  ];
  for (const [name, stream, data] of cases) {
    it(`are read with ${name}`, () => expect(dataOf(stream)).to.deep.equal(data));
  }

  it('have the name of the last field "event"', () => {
    const [frame] = framesOf(new SseFramer(), [Buffer.from('event: a\nevent:b\ndata: x\n\n')]);
    expect(frame?.name).to.equal('b');
  });

  it('keep every byte around changed data', () => {
    const [frame] = framesOf(new SseFramer(), [
      Buffer.from('\ufeff: c\r\nid: 1\r\ndata: {"a":\ndata:1}\nretry: 5\r\n\r\n'),
    ]);
    expect(frame?.withData('{"b":\n2}')).to.equal('\ufeff: c\r\nid: 1\r\ndata: {"b":\ndata:2}\nretry: 5\r\n\r\n');
    expect(frame?.withData('a\nb\nc')).to.equal('\ufeff: c\r\nid: 1\r\ndata: a\ndata:b\ndata:c\nretry: 5\r\n\r\n');
  });

  it('come at once when their last byte arrives, whatever their line ends', () => {
    for (const [stream, end] of [
      ['data: a\n\n', 0],
      ['data: a\r\n\r\n', 1],
      ['data: a\r\r', 0],
    ] as const) {
      const framer = new SseFramer();
      const frames = [...Buffer.from(stream)].map((byte) => framer.push(Buffer.from([byte])).length);
      expect(frames.lastIndexOf(1)).to.equal(stream.length - 1 - end);
    }
  });

  it('are inserted after the line end of the event before', () => {
    const framer = new SseFramer();
    framer.push(Buffer.from('data: a\r\n\r'));
    const [frame] = framer.push(Buffer.from('\ndata: b\r\n\r\n'));
    const inserted = framer.insert([{ name: 'n', data: '{}' }], frame?.raw ?? '');
    expect(inserted).to.equal('\nevent: n\r\ndata: {}\r\n\r\ndata: b\r\n\r\n');
  });
});

describe('frames of any format', () => {
  const formats: [name: string, create: () => Framer, texts: fc.Arbitrary<string>][] = [
    [
      'server-sent events',
      () => new SseFramer(),
      fc
        .array(fc.constantFrom('data: é👩', ':', 'data', '\n', '\r', '\r\n', '\n\n', 'event: a', '\ufeff'))
        .map((parts) => parts.join('')),
    ],
    [
      'lines',
      () => new LineFramer(),
      fc.array(fc.constantFrom('{"a":"é"}', '\n', '\r\n', ' ')).map((parts) => parts.join('')),
    ],
    [
      'elements',
      () => new ElementFramer(),
      fc.array(fc.json({ maxDepth: 3 }).map((json) => `{"a":${json}}`)).map((all) => `[${all.join(',\r\n')}\n]`),
    ],
  ];
  for (const [name, create, texts] of formats) {
    it(`are the same for any chunks, and have every byte: ${name}`, () => {
      fc.assert(
        fc.property(texts, fc.array(fc.nat()), (text, places) => {
          const bytes = Buffer.from(text);
          const frames = framesOf(create(), splitAt(bytes, places));
          expect(frames.map(({ raw }) => raw).join('')).to.equal(text);
          const dataIn = (all: readonly Frame[]): unknown[] => all.flatMap(({ data }) => data ?? []);
          expect(dataIn(frames)).to.deep.equal(dataIn(framesOf(create(), [bytes])));
          for (const { raw, data, withData } of frames) if (data !== undefined) expect(withData(data)).to.equal(raw);
        }),
      );
    });

    it(`have a maximum size: ${name}`, () => {
      const framer = create();
      const chunk = Buffer.alloc(1024 * 1024, 'a');
      framer.push(Buffer.from('[{"a":"'));
      const pushAll = (): void => {
        for (let size = 0; size <= MAX_EVENT_BYTES; size += chunk.length) framer.push(chunk);
      };
      expect(pushAll).to.throw('has an event that is too large');
    });

    it(`must be UTF-8: ${name}`, () => {
      expect(() => framesOf(create(), [Buffer.from([0x7b, 0xff, 0x7d, 0x0a, 0x0a])])).to.throw('is not valid UTF-8');
    });
  }

  it('of an array end with it', () => {
    expect(() => framesOf(new ElementFramer(), [Buffer.from('[{"a":1},{')])).to.throw('in the middle');
    expect(framesOf(new ElementFramer(), [Buffer.from('{"error":{"a":{}}}')]).map(({ data }) => data)).to.deep.equal([
      '{"error":{"a":{}}}',
    ]);
  });

  it('of an array are inserted before an element, and before its end', () => {
    const framer = new ElementFramer();
    const events = [{ data: '{"x":1}', name: undefined }];
    expect(framer.insert(events, ',\n{"a":1}')).to.equal(',\n{"x":1},{"a":1}');
    expect(framer.insert(events, '\n]')).to.equal(',{"x":1}\n]');
    expect(framer.insert([], '\n]')).to.equal('\n]');
  });
});
