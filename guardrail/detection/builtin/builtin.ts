import { setImmediate as nextRound } from 'node:timers/promises';
import type { Detector, Recall, Span } from '../contract.ts';
import { DetectorUnavailableError } from '../contract.ts';
import { resolveOverlaps } from '../spans.ts';
import { biases } from './biases.ts';
import { hintsOf, type Hints, type Recognizer } from './recognizer.ts';
import { recognizersFor } from './recognizers/recognizers.ts';
import { loadGazetteer, loadModel } from './tagger/model.ts';
import type { TagKind } from './tagger/labels.ts';
import { Tagger } from './tagger/tagger.ts';

export interface BuiltinOptions {
  /** Default `balanced`. */
  readonly recall?: Recall;
  /**
   * ISO 639-1 codes of languages to expect. Names, places, organisations and identifiers of all languages that the
   * tagger knows are found whatever is set; a language adds the phone numbers of its countries as they are written
   * there, without a country code. Default: none added.
   */
  readonly languages?: readonly string[];
}

const name = 'builtin';

const rank: Readonly<Record<Recall, number>> = {
  precise: 0,
  balanced: 1,
  thorough: 2,
};

/** Milliseconds after which a batch lets go of the event loop, between two of its texts: a small call takes about one. */
const SLICE_MS = 2;

/** The detector that runs inside the process: recognizers by form, and a tagger for people, places, organisations. */
export function createBuiltinDetector({ recall = 'balanced', languages = [] }: BuiltinOptions = {}): Detector {
  const tagger = new Tagger(loadModel(), loadGazetteer());
  const recognizers = recognizersFor(languages);
  /**
   * One at most: were all to take turns, none would end before the last one, and whoever lets calls in, by how long the
   * loop was kept busy, would let in more than can be answered.
   */
  let isOneSetAside = false;
  return {
    name,
    async detect(texts, { signal, recall: wanted = recall }) {
      const setting = rank[wanted] > rank[recall] ? wanted : recall;
      const found: Span[][] = [];
      let since = performance.now();
      for (const text of texts) {
        if (!isOneSetAside && performance.now() - since > SLICE_MS) {
          isOneSetAside = true;
          await nextRound();
          isOneSetAside = false;
          since = performance.now();
        }
        if (signal.aborted) throw new DetectorUnavailableError('The built-in detector was aborted.');
        const hints = hintsOf(text);
        const spans = [...structured(recognizers, hints), ...named(tagger, hints.text, biases[setting])];
        found.push(resolveOverlaps(text, spans));
      }
      return found;
    },
    state: () => Promise.resolve({ up: true }),
    close: () => Promise.resolve(),
  };
}

function structured(recognizers: readonly Recognizer[], hints: Hints): Span[] {
  const spans: Span[] = [];
  for (const { type: own, worthwhile, find } of recognizers) {
    if (!worthwhile(hints)) continue;
    find(hints.text, (start, end, score, type = own) => spans.push({ start, end, type, score, detector: name }), hints);
  }
  return spans;
}

interface Tagged {
  readonly kind: TagKind;
  readonly start: number;
  end: number;
  score: number;
}

function named(tagger: Tagger, text: string, bias: number): Span[] {
  const found: Tagged[] = [];
  tagger.tag(text, bias, (kind, first, last, score) => {
    const start = tagger.tokens.start[first] ?? 0;
    const end = tagger.tokens.end[last] ?? 0;
    const before = found.at(-1);
    if (before && continues(before, kind, text.slice(before.end, start))) {
      before.end = end;
      before.score = Math.max(before.score, score);
    } else found.push({ kind, start, end, score });
  });
  return found.map(({ kind, start, end, score }) => ({
    start,
    end,
    type: kind === 'ADDRESS' ? 'LOCATION' : kind,
    score,
    detector: name,
  }));
}

/** Whether two finds are one: given and family name side by side, or an address and the town or postcode that follows. */
function continues(before: Tagged, kind: TagKind, between: string): boolean {
  if (kind === 'PERSON') return before.kind === 'PERSON' && between === ' ';
  return before.kind === 'ADDRESS' && (kind === 'ADDRESS' || kind === 'LOCATION') && /^,? ?\n? {0,4}$/.test(between);
}
