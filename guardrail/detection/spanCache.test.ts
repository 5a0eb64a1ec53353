import { expect } from 'chai';
import fc from 'fast-check';
import { createAnalyzer } from './analyzer.ts';
import { createBuiltinDetector } from './builtinDetector.ts';
import {
  MAX_VALUES,
  TooManyValuesError,
  type Detector,
  type DetectOptions,
  type Recall,
  type Span,
} from './contract.ts';
import { compilePolicy } from './policy/policy.ts';
import { parsePolicy } from './policy/schema.ts';
import { withSpanCache } from './spanCache.ts';

const { signal } = new AbortController();
const options = (more: Partial<DetectOptions> = {}): DetectOptions => ({ signal, scope: 'team', ...more });

/** A detector that finds each digit, and collects the texts that it is asked for. */
function digits(): Detector & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    name: 'digits',
    detect(texts, { recall = 'balanced' }) {
      asked.push(...texts);
      return Promise.resolve(
        texts.map((text) =>
          [...text.matchAll(/\d/g)].map(({ index }): Span => ({
            start: index,
            end: index + 1,
            type: recall.toUpperCase(),
            score: 1,
            detector: 'digits',
            rule: 'digits',
          })),
        ),
      );
    },
    state: () => Promise.resolve({ up: true }),
    close: () => Promise.resolve(),
  };
}

describe('withSpanCache', () => {
  it('reads each text of a growing conversation once', async () => {
    const detector = digits();
    const cached = withSpanCache(detector);
    const messages = ['room 1', 'none', 'rooms 2 and 3', 'room 1, again'];
    for (let n = 1; n <= messages.length; n++) {
      const sent = messages.slice(0, n);
      expect(await cached.detect(sent, options())).to.deep.equal(await digits().detect(sent, options()));
    }
    expect(detector.asked).to.deep.equal(messages);
  });

  for (const [what, first, second] of [
    ['of another scope', {}, { scope: 'other team' }],
    ['without a scope', { scope: undefined }, { scope: undefined }],
    ['after one without a scope', { scope: undefined }, {}],
    ['of another recall', { recall: 'precise' }, { recall: 'balanced' }],
    ['of another minimum of recall', { recall: 'precise' }, { recall: 'precise', minRecall: 'balanced' }],
    ['whose scope and text are cut elsewhere', { scope: 'a' }, { scope: 'ab' }],
  ] as const) {
    it(`reads a text again for a call ${what}`, async () => {
      const detector = digits();
      const cached = withSpanCache(detector);
      await cached.detect(['bc 1'], options(first));
      await cached.detect(['bc 1', 'c 1'], options(second));
      expect(detector.asked).to.deep.equal(['bc 1', 'bc 1', 'c 1']);
    });
  }

  it('reads a text again that differs from another one in lone surrogates', async () => {
    const detector = digits();
    const cached = withSpanCache(detector);
    for (const text of ['\ud800 1', '\udfff 1', '\ufffd 1', '\ufffd 1', '\ud800 1']) {
      expect(await cached.detect([text], options())).to.have.length(1);
    }
    expect(detector.asked).to.deep.equal(['\ud800 1', '\udfff 1', '\ufffd 1', '\ud800 1']);
  });

  it('reads a very long text again', async () => {
    const detector = digits();
    const cached = withSpanCache(detector);
    for (let n = 0; n < 2; n++) await cached.detect(['x'.repeat(1024 * 1024 + 1)], options());
    expect(detector.asked).to.have.length(2);
  });

  it('forgets the least recently used texts when they take too much memory', async () => {
    const detector = digits();
    const cached = withSpanCache(detector, 4 * (256 + 96));
    const ask = (...texts: string[]): Promise<Span[][]> => cached.detect(texts, options());
    await ask('a 1', 'b 1', 'c 1', 'd 1');
    await ask('a 1');
    await ask('e 1');
    detector.asked.length = 0;
    await ask('a 1', 'c 1', 'd 1', 'e 1');
    expect(detector.asked).to.deep.equal([]);
    await ask('b 1');
    // It takes the place of all others.
    await ask('1'.repeat(11));
    detector.asked.length = 0;
    await ask('b 1', '1'.repeat(11));
    expect(detector.asked).to.deep.equal(['b 1']);
    await ask('1'.repeat(100));
    await ask('1'.repeat(100));
    expect(detector.asked.slice(1)).to.deep.equal(['1'.repeat(100), '1'.repeat(100)]);
  });

  it('counts remembered values too', async () => {
    const cached = withSpanCache(digits());
    const [one, other] = ['1'.repeat(MAX_VALUES), '22'];
    expect(await cached.detect([one], options())).to.have.length(1);
    expect(await cached.detect([other], options())).to.have.length(1);
    const error: unknown = await cached.detect([one, other], options()).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(TooManyValuesError);
  });

  it('remembers nothing of a call that fails', async () => {
    const detector = digits();
    let isUp = false;
    const cached = withSpanCache({
      ...detector,
      detect: (texts, more) => (isUp ? detector.detect(texts, more) : Promise.reject(new Error('It is down.'))),
    });
    await cached.detect(['room 1'], options()).catch(() => undefined);
    isUp = true;
    expect((await cached.detect(['room 1'], options()))[0]).to.have.length(1);
  });

  it('keeps nothing of a span but its place, type, score, detector and rule', async () => {
    const detector = digits();
    const cached = withSpanCache({
      ...detector,
      detect: async (texts, more) =>
        (await detector.detect(texts, more)).map((spans) => spans.map((span) => ({ ...span, value: 'text' }))),
    });
    await cached.detect(['room 1'], options());
    const [[span] = []] = await cached.detect(['room 1'], options());
    expect(span).to.have.all.keys('start', 'end', 'type', 'score', 'detector', 'rule');
  });

  it('obeys a policy that changes', async () => {
    const detector = digits();
    const compiled = (yaml: string) => compilePolicy(parsePolicy(yaml), 'confidential');
    const balanced = (action: string): string => `additionalEntityTypes: [BALANCED]\nentities: { BALANCED: ${action} }`;
    const policy = { current: compiled(balanced('pseudonymize')) };
    const analyzer = createAnalyzer({ detectors: [withSpanCache(detector)], policy });
    const actions = async (): Promise<string[]> => {
      const lists = await analyzer.analyze(['room 1'], { team: undefined, signal, scope: 'team' });
      return lists.flat().map(({ action }) => action);
    };
    expect(await actions()).to.deep.equal(['pseudonymize']);
    policy.current = compiled(balanced('block'));
    expect(await actions()).to.deep.equal(['block']);
    policy.current = compiled(balanced('ignore'));
    expect(await actions()).to.deep.equal([]);
    expect(detector.asked).to.deep.equal(['room 1']);
  });

  it('finds the same as the detector in any sequence of calls', async () => {
    const builtin = createBuiltinDetector();
    const text = fc.constantFrom(
      'My name is Anna Schmidt.',
      'Write to anna.schmidt@example.org or call +1 202-555-0123.',
      'Anna called.',
      'See https://example.org/anna \u{1f600}',
      '',
    );
    const call = fc.record({
      texts: fc.uniqueArray(text, { maxLength: 4 }),
      scope: fc.constantFrom('a', 'b', undefined),
      recall: fc.constantFrom<Recall[]>('precise', 'thorough'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 8 }), fc.integer({ min: 0, max: 2000 }), async (calls, maxBytes) => {
        const cached = withSpanCache(builtin, maxBytes);
        for (const { texts, ...more } of calls) {
          const found = await cached.detect(texts, { signal, ...more });
          expect(found).to.deep.equal(await builtin.detect(texts, { signal, ...more }));
        }
      }),
      { numRuns: 100 },
    );
  });
});
