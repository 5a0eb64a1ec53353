import { expect } from 'chai';
import fc from 'fast-check';
import { atOnce } from '../eventLoop.ts';
import {
  DocumentTooDeepError,
  type Json,
  parseDocument,
  type TextKind,
  visitingMessages,
} from '../messages/messages.ts';
import { BodyError } from './errors.ts';
import { known } from './testing/bodyCalls.ts';
import { rawJson } from './testing/rawJson.ts';
import { readingRequest, type BodyContent } from './walk.ts';

const { members } = known('POST', '/v1/chat/completions');

function contentOf(text: string): BodyContent | undefined {
  try {
    return atOnce(readingRequest({ root: parseDocument(text), text, members }));
  } catch (error) {
    if (error instanceof BodyError) return undefined;
    throw error;
  }
}

describe('the walk over a body', () => {
  it('finds every text that the visitor of messages finds, of the same kind or in data', () => {
    fc.assert(
      fc.property(rawJson({ texts: ['Anna', 'https://example.com/a', '{"a":"Anna"}'], names: ['status'] }), (json) => {
        const message = JSON.parse(json) as Json;
        const text = JSON.stringify({ messages: [message] });
        const content = contentOf(text);
        fc.pre(content !== undefined);
        const { places, images } = content;
        const data = places.filter(({ form }) => form === 'json' || form === 'member').map((place) => place.text);
        const visited: [text: string, kind: TextKind][] = [];
        const note = (found: string, kind: TextKind): string => {
          visited.push([found, kind]);
          return found;
        };
        try {
          atOnce(visitingMessages([message], { text: note }, 'structured_messages'));
        } catch (error) {
          fc.pre(!(error instanceof DocumentTooDeepError));
          throw error;
        }
        // Data with an image in it is given in parts.
        for (const [found, kind] of visited.filter(([one]) => one !== '' && one !== '{}' && !one.includes('image'))) {
          const isFound =
            places.some((place) => place.text === found && place.kind === kind) ||
            data.some((one) => one.includes(JSON.stringify(found)) || one.includes(found)) ||
            // The rules of images decide about an image, whatever its source is.
            images.some(({ source }) => source.includes(found));
          expect(isFound, `${kind} ${found} in ${text}`).to.equal(true);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('gives each place once, in order, and places that do not overlap', () => {
    fc.assert(
      fc.property(rawJson({ texts: ['Anna'], names: [] }), (json) => {
        const content = contentOf(json);
        fc.pre(content !== undefined);
        const { places } = content;
        places.slice(1).forEach((place, at) => {
          expect(place.start).to.be.at.least(places[at]?.end ?? 0);
        });
      }),
      { numRuns: 2000 },
    );
  });
});
