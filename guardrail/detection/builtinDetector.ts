import { setImmediate as nextRound } from 'node:timers/promises';
import type { Detector, Recall, Span } from './contract.ts';
import { DetectorUnavailableError, TooManyValuesError } from './contract.ts';
import { shortEnough } from './entityLength.ts';
import { resolveOverlaps } from './spans.ts';
import { biases } from './ner/recallBiases.ts';
import { piecesOf, widened, type Piece } from './text/pieces.ts';
import type { Recognizer } from './recognizers/recognizer.ts';
import { textStatsOf, type TextStats } from './recognizers/textStats.ts';
import { recognizersFor } from './recognizers/recognizers.ts';
import { loadGazetteer, loadModel } from './ner/model.ts';
import type { TagKind } from './ner/labels.ts';
import { Tagger } from './ner/tagger.ts';

export interface BuiltinOptions {
  /** Default `balanced`. */
  readonly recall?: Recall;
  /**
   * ISO 639-1 codes of languages to expect. Names, places, organisations and identifiers of all languages that the
   * tagger knows are found whatever is set; a language adds the phone numbers of its countries as they are written
   * there, without a country code. Default: none added.
   */
  readonly languages?: readonly string[];
  /** How long the pieces of a long text are, for tests. */
  readonly pieceSize?: number;
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
export function createBuiltinDetector(options: BuiltinOptions = {}): Detector {
  const { recall = 'balanced', languages = [], pieceSize } = options;
  const tagger = new Tagger(loadModel(), loadGazetteer());
  const recognizers = recognizersFor(languages);
  /**
   * One at most: were all to take turns, none would end before the last one, and whoever lets calls in, by how long the
   * loop was kept busy, would let in more than can be answered.
   */
  let isOneSetAside = false;
  /** Long texts run one after the other. Each yields to the event loop between its pieces. */
  let longTexts: Promise<unknown> = Promise.resolve();

  const lookAt = (text: string, { from, to }: Piece, bias: number): Span[] => {
    const stats = textStatsOf(text.slice(from, to));
    const spans = [...structured(recognizers, stats), ...named(tagger, stats.text, bias)];
    return from === 0 ? spans : spans.map((span) => ({ ...span, start: span.start + from, end: span.end + from }));
  };

  /** What begins in a piece, and what of earlier finds reaches into it, since they may have been cut off there. */
  const findIn = (text: string, piece: Piece, bias: number): Span[] => {
    let read = piece;
    let spans = lookAt(text, read, bias);
    // A long key may go on behind what was read.
    const isCutOff = ({ start, end, type }: Span): boolean => start < piece.end && end > read.to - 3 && !isRun(type);
    while (read.to < text.length && spans.some(isCutOff)) {
      read = widened(text, read);
      spans = lookAt(text, read, bias);
    }
    return spans.flatMap((span) =>
      span.end <= piece.start || span.start >= piece.end ? [] : { ...span, start: Math.max(span.start, piece.start) },
    );
  };

  const findInLong = async (text: string, pieces: Iterable<Piece>, bias: number, count: Counter): Promise<Span[]> => {
    const spans: Span[] = [];
    for (const piece of pieces) {
      const found = findIn(text, piece, bias).flatMap((span) => shortEnough(text, span));
      count.add(found.length);
      for (const span of found) spans.push(span);
      await nextRound();
      count.check();
    }
    return resolveOverlaps(text, spans);
  };

  return {
    name,
    async detect(texts, { signal, recall: wanted = recall }) {
      const bias = biases[rank[wanted] > rank[recall] ? wanted : recall];
      const count = new Counter(signal);
      const found: Span[][] = [];
      let since = performance.now();
      for (const text of texts) {
        if (!isOneSetAside && performance.now() - since > SLICE_MS) {
          isOneSetAside = true;
          await nextRound();
          isOneSetAside = false;
          since = performance.now();
        }
        count.check();
        const pieces = [...piecesOf(text, pieceSize)];
        const [first] = pieces;
        if (first && pieces.length === 1) {
          const spans = resolveOverlaps(text, lookAt(text, first, bias)).flatMap((span) => shortEnough(text, span));
          count.add(spans.length);
          found.push(spans);
        } else {
          const turn = longTexts.then(() => findInLong(text, pieces, bias, count));
          longTexts = turn.catch(() => undefined);
          found.push(await turn);
          since = performance.now();
        }
      }
      return found;
    },
    state: () => Promise.resolve({ up: true }),
    close: () => Promise.resolve(),
  };
}

/** Of a run of names or places no more is needed than the piece shows: it goes on in the next one. */
const isRun = (type: string): boolean => type === 'PERSON' || type === 'LOCATION' || type === 'ORGANIZATION';

/** The values of one call so far. */
class Counter {
  private readonly signal: AbortSignal;
  private found = 0;

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  /** @throws TooManyValuesError */
  add(count: number): void {
    this.found += count;
    TooManyValuesError.check(this.found);
  }

  /** @throws DetectorUnavailableError where nobody waits for the call any more. */
  check(): void {
    if (this.signal.aborted) throw new DetectorUnavailableError('The built-in detector was aborted.');
  }
}

function structured(recognizers: readonly Recognizer[], stats: TextStats): Span[] {
  const spans: Span[] = [];
  for (const { type: own, mayMatch, find } of recognizers) {
    if (!mayMatch(stats)) continue;
    find(stats.text, (start, end, score, type = own) => spans.push({ start, end, type, score, detector: name }), stats);
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
