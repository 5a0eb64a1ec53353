import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from '../../../hack/harness/scale.ts';
import { BodyCalls, EMAIL, known, QUOTED, splitAt, splitText } from '../testing/bodyCalls.ts';
import { STREAM_CASES } from '../testing/streams.ts';

/** A text as the model writes it, with pseudonyms and beginnings of pseudonyms, and the same text restored. */
interface Echo {
  readonly sent: string;
  readonly restored: string;
}

async function echoOf(calls: BodyCalls, words: readonly string[]): Promise<Echo> {
  const pseudonyms = new Map<string, string>();
  for (const value of [EMAIL, QUOTED]) pseudonyms.set(value, await calls.pseudonymOf(value));
  return {
    sent: words.map((word) => pseudonyms.get(word) ?? word).join(''),
    restored: words.join(''),
  };
}

const words = fc.array(fc.constantFrom(EMAIL, QUOTED, 'a ', ' <PERSON_', '<', ' é 👩‍👧 ', ', ', '[EMAIL', '&l'), {
  maxLength: 8,
});

for (const { name, method, path, contentType, events, read } of STREAM_CASES) {
  describe(`a stream of ${name}`, () => {
    const operation = known(method, path);

    it('is restored in every channel, whatever its pieces and the chunks of its bytes', async () => {
      const calls = new BodyCalls();
      await fc.assert(
        fc.asyncProperty(words, fc.array(fc.nat()), fc.array(fc.nat()), async (text, cuts, places) => {
          const { sent, restored } = await echoOf(calls, text);
          const pieces = splitText(sent, cuts);
          const bytes = Buffer.from(events(pieces, sent));
          const outputs = await calls.streamed(operation, splitAt(bytes, places), contentType);
          const output = Buffer.concat(outputs).toString();
          const { channels, wholes } = read(output);
          const expected = read(events([restored], restored));
          expect(channels).to.deep.equal(expected.channels);
          expect(wholes).to.deep.equal(expected.wholes);
          const unsplit = Buffer.concat(await calls.streamed(operation, [bytes], contentType)).toString();
          expect(output).to.equal(unsplit);
        }),
        { numRuns: runs(100) },
      );
    });

    it('gives a prefix of its texts at each moment', async () => {
      const calls = new BodyCalls();
      const { sent, restored } = await echoOf(calls, ['Dear ', EMAIL, ', <PERS and ', EMAIL]);
      const final = read(events([restored], restored)).channels;
      const bytes = Buffer.from(events(sent.match(/.{1,3}/gs) ?? [], sent));
      const outputs = await calls.streamed(
        operation,
        bytes
          .toString('latin1')
          .match(/.{1,50}/gs)
          ?.map((piece) => Buffer.from(piece, 'latin1')) ?? [],
        contentType,
      );
      if (contentType.startsWith('application/json')) return;
      outputs.reduce((before, output) => {
        const soFar = Buffer.concat([before, output]);
        const whole = soFar.toString().replace(/[^\n]*$/, '');
        for (const [channel, text] of Object.entries(read(whole).channels)) {
          expect(final[channel]?.startsWith(text), `${channel}: ${text}`).to.equal(true);
        }
        return soFar;
      }, Buffer.alloc(0));
    });
  });
}
