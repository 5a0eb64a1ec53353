/** Finds the values that a policy names itself: those of its deny lists, and of its custom recognizers. In steps. */
import type { RE2JS } from 're2js';
import type { Steps } from '../../eventLoop.ts';
import { TooManyValuesError, type EntityType, type RuleId, type Span } from '../contract.ts';
import { foldedPartsOf, newValues } from '../text/foldedView.ts';
import { piecesOf } from '../text/pieces.ts';
import { ContextWords } from './contextWords.ts';
import { eachMatch } from './eachMatch.ts';
import type { Phrases } from './phrases.ts';
import type { WordPhrases } from './wordPhrases.ts';

/** What a policy searches in texts. */
export interface OwnValues {
  /** The deny lists. A value of two lists has the type of the first. */
  readonly lists: readonly WordPhrases<DeniedValue>[];
  readonly recognizers: readonly CustomRecognizer[];
}

/** What a value of a deny list is. */
export interface DeniedValue {
  readonly type: EntityType;
  readonly rule: RuleId;
}

export interface CustomRecognizer {
  readonly rule: RuleId;
  readonly type: EntityType;
  readonly matcher: RE2JS;
  readonly score: number;
  readonly context: Phrases<true> | undefined;
}

/** How much a context word near a match raises its score; the value is Presidio's. */
const CONTEXT_BONUS = 0.35;
/** The longest distance of a context word from a match, in UTF-16 code units. */
const CONTEXT_DISTANCE = 60;

/**
 * The length of the text in which a step searches the values of a list, in UTF-16 code units. At each place, the search reads up
 * to 200 characters: the longest value.
 */
const STEP = 4096;
/** The length of the text that a step folds, in UTF-16 code units. */
const PIECE = 1 << 14;
/**
 * The text before and after such a piece that is folded with it, in UTF-16 code units: a value of 200 characters with 20 for each of
 * them. Only of a longer value in another spelling may the next piece find the beginning alone.
 */
const CONTEXT = 4096;

/**
 * Finds the values in a text and in its folded view. The folded view is made of a piece of the text at a time, so that it takes
 * memory for one piece only.
 * @throws TooManyValuesError
 */
export function* findOwnValues(text: string, own: OwnValues): Steps<Span[]> {
  const spans = yield* findAsWritten(text, own, new ValueCounter());
  const counter = new ValueCounter();
  const placeOf = ({ start, end, rule }: Span): string => `${start}-${end} ${rule}`;
  // Any white space may stand between the words of a denied value, so that both views can show one.
  const known = new Set(spans.map(placeOf));
  for (const { start, end, from, to } of piecesOf(text, PIECE, CONTEXT)) {
    yield;
    for (const part of foldedPartsOf(text.slice(from, to))) {
      const values = yield* findAsWritten(part.text, own, new ValueCounter());
      // Values that the foldings join may belong to different cells or lines.
      for (const value of newValues(part, values, (_, { difference }) => difference === 'characters')) {
        const at = from + value.start;
        const span = { ...value, start: at, end: from + value.end };
        if (at < start || at >= end || known.has(placeOf(span))) continue;
        counter.add();
        spans.push(span);
      }
    }
  }
  return spans;
}

/** Ends a search that finds more values than a call may have: each costs memory and time. */
class ValueCounter {
  private count = 0;

  /** @throws TooManyValuesError */
  add(): void {
    this.count += 1;
    TooManyValuesError.check(this.count);
  }
}

function* findAsWritten(text: string, { lists, recognizers }: OwnValues, counter: ValueCounter): Steps<Span[]> {
  const denied = new Map<string, Span>();
  for (const list of lists) {
    const add = (start: number, end: number, { type, rule }: DeniedValue): void => {
      const place = `${start}-${end}`;
      if (denied.has(place)) return;
      counter.add();
      denied.set(place, { start, end, type, score: 1, detector: 'deny-list', rule });
    };
    for (let at = 0; at < text.length;) {
      at = list.find(text, add, at, Math.min(at + STEP, text.length));
      yield;
    }
  }
  const spans = [...denied.values()];
  for (const recognizer of recognizers)
    yield* findCustom(recognizer, text, (span) => {
      counter.add();
      spans.push(span);
    });
  return spans;
}

function* findCustom(
  { type, rule, matcher, score, context }: CustomRecognizer,
  text: string,
  found: (span: Span) => void,
): Steps<void> {
  const words = context && new ContextWords(context, text);
  yield* eachMatch(matcher, text, (start, end) => {
    const [from, to] = [Math.max(0, start - CONTEXT_DISTANCE), Math.min(text.length, end + CONTEXT_DISTANCE)];
    const hasContext = words?.isIn(from, to) ?? false;
    const raised = Math.min(1, hasContext ? score + CONTEXT_BONUS : score);
    found({ start, end, type, score: raised, detector: 'custom', rule });
  });
}
