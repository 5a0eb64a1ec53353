import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Tenant } from '../ids.ts';
import { type DependencyState, type Detector, type DetectOptions, type Recall, type Span } from './contract.ts';
import { Counter, Slice } from './callProgress.ts';
import { splitLongEntities } from './entityLength.ts';
import { resolveBeforePolicy } from './spans.ts';
import { foldedPartsOf, newValues, type FoldedPart, type OriginalRange } from './text/foldedView.ts';
import { groupsOf, isOnePiece, piecesOf, widened, type Piece } from './text/pieces.ts';
import type { Emit, Recognizer } from './recognizers/recognizer.ts';
import { textStatsOf, type TextStats } from './recognizers/textStats.ts';
import { recognizersFor } from './recognizers/recognizers.ts';
import { accountNames } from './ner/accountNames.ts';
import { nameTypes } from './ner/entityClasses.ts';
import { EntityFinder, isPrivate } from './ner/entityFinder.ts';
import type { NameModels } from './ner/nameModels.ts';
import { isIgnoredBy } from './policy/profiles.ts';
import { shippedFinder } from './ner/shippedFinder.ts';
import { thresholds, type Thresholds } from './ner/thresholds.ts';
import { withTitledWords } from './ner/titledWords.ts';
import { isFalseName } from './falseNames.ts';
import { textContextOf, type TextContext } from './ner/textContext.ts';
import { labelledValues, withLabelledValues, type LabelledValues } from './labelledValues.ts';
import { steps, type Step } from './steps.ts';
import { Trace } from './trace.ts';
import { TenantLanes, Turns } from './turns.ts';
import { withPersonalUrls } from './urlContents.ts';

export interface BuiltinOptions {
  /** Default `balanced`. */
  readonly recall?: Recall;
  /**
   * ISO 639-1 codes of the expected languages. Each adds the national phone numbers of its countries. All other types are
   * found in all languages that the detector supports. Default: none.
   */
  readonly languages?: readonly string[];
  /** Length of the pieces of a long text, in UTF-16 code units; for tests. */
  readonly pieceSize?: number;
  /** Weights and lists of names; for evaluation. Default: the shipped files. */
  readonly models?: NameModels;
  /** Parts that do not run, by {@link detectorParts}; for evaluation. Default: none. */
  readonly without?: ReadonlySet<string>;
}

/** The part that finds values after any label. */
const VALUES = 'step values';

/** The parts of the detector that can be switched off one by one: recognizers by their rule, and steps. */
export const detectorParts = (): readonly string[] => [
  ...new Set([
    ...recognizersFor().map(({ rule }) => `recognizer ${rule}`),
    ...steps.map(({ id }) => `step ${id}`),
    VALUES,
  ]),
];

const name = 'builtin';

const rank: Readonly<Record<Recall, number>> = {
  precise: 0,
  balanced: 1,
  thorough: 2,
};

/** How long a batch may block the event loop before it yields, in milliseconds. A small call takes about 1 ms. */
const SLICE_MS = 2;

/** Creates the detector that runs in the process: recognizers, and a tagger for people, places and organisations. */
export const createBuiltinDetector = (options: BuiltinOptions = {}): Detector => new BuiltinDetector(options);

/** A spelling of a text, and what the recognizers find in it. */
interface Recognized {
  readonly stats: TextStats;
  readonly spans: readonly Span[];
  /** The part of the folded view that has this spelling. Undefined: the text itself. */
  readonly part?: FoldedPart;
}

/** What the models find in a spelling. */
interface Modelled {
  readonly names: readonly Span[];
  readonly values: LabelledValues;
}

/** How the finds in a text are completed. */
interface Completion {
  readonly following: readonly Step[];
  /** Collects what is dropped in the text itself. */
  readonly trace: Trace | undefined;
}

interface LongTextOptions {
  readonly count: Counter;
  readonly tenant: Tenant | undefined;
  readonly trace: Trace | undefined;
}

/** What the pieces of a text share. */
interface PieceOptions {
  readonly recall: Recall;
  readonly context: TextContext;
  readonly trace: Trace | undefined;
}

class BuiltinDetector implements Detector {
  readonly name = name;
  private readonly recall: Recall;
  private readonly pieceSize: number | undefined;
  private readonly names: EntityFinder;
  private readonly steps: readonly Step[];
  private readonly findsValues: boolean;
  private readonly recognizers: readonly Recognizer[];
  /** The recognizers that a text without digits can have values of. */
  private readonly withoutDigits: readonly Recognizer[];
  /**
   * Only one batch yields at a time. If all batches yielded, all would end late. Admission estimates the load from the time
   * for which the event loop is blocked, and would accept more calls than the process can answer.
   */
  private hasYielded = false;
  /** Long texts of a tenant run one after the other. Those of several tenants take turns, a piece at a time. */
  private readonly longTexts = new TenantLanes();
  private readonly turns = new Turns();

  constructor({ recall = 'balanced', languages = [], pieceSize, models, without = new Set() }: BuiltinOptions) {
    this.findsValues = !without.has(VALUES);
    this.steps = steps.filter(({ id }) => !without.has(`step ${id}`));
    this.names = models === undefined ? shippedFinder() : new EntityFinder(models);
    this.recall = recall;
    this.pieceSize = pieceSize;
    // Objects of one shape: each text meets all recognizers, and V8 reads from many shapes more slowly.
    const all = recognizersFor(languages).filter(({ rule }) => !without.has(`recognizer ${rule}`));
    const ofOneShape = ({ type, rule, mayMatch, find }: Recognizer): Recognizer => ({ type, rule, mayMatch, find });
    this.recognizers = all.map(ofOneShape);
    this.withoutDigits = all.filter(({ needsDigit }) => needsDigit !== true).map(ofOneShape);
  }

  async detect(
    texts: readonly string[],
    { signal, recall = this.recall, minRecall = 'precise', tenant, trace }: DetectOptions,
  ): Promise<Span[][]> {
    const setting = rank[minRecall] > rank[recall] ? minRecall : recall;
    const count = new Counter(signal);
    const slice = new Slice(SLICE_MS);
    const found: Span[][] = [];
    for (const group of groupsOf(texts, this.pieceSize)) {
      const [text = ''] = group;
      if (isOnePiece(text, this.pieceSize)) {
        const steps = this.findInGroup(group, setting, count, trace);
        let step = steps.next();
        for (; step.done !== true; step = steps.next()) {
          // No other await: each one would let concurrent batches take turns, and all would end late.
          if (slice.isOver() && !this.hasYielded) await this.yield(slice);
          count.check();
        }
        found.push(...step.value);
      } else {
        count.check();
        found.push(await this.longTexts.run(tenant, () => this.findInLong(text, setting, { count, tenant, trace })));
        slice.restart();
      }
    }
    return found;
  }

  state(): Promise<DependencyState> {
    return Promise.resolve({ up: true });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async yield(slice: Slice): Promise<void> {
    this.hasYielded = true;
    await nextIteration();
    this.hasYielded = false;
    slice.restart();
  }

  /**
   * Runs each stage for all texts before the next stage, some texts in each step. The processor's cache then holds its code and
   * its tables, which takes a tenth off the time of many short texts.
   */
  private *findInGroup(
    texts: readonly string[],
    recall: Recall,
    count: Counter,
    trace: Trace | undefined,
  ): Generator<undefined, Span[][]> {
    const steps = stepsOf(texts);
    const read = yield* inSteps(steps, texts, (text) => ({
      text,
      context: textContextOf(text),
      parts: foldedPartsOf(text),
    }));
    const recognized = yield* inSteps(steps, read, ({ text, context, parts }) => ({
      text,
      options: { recall, context, trace },
      spellings: this.recognizeAll(text, parts),
    }));
    const named = yield* inSteps(steps, recognized, ({ text, options, spellings }) => ({
      text,
      spellings,
      modelled: this.modelledInAll(spellings, options),
    }));
    return yield* inSteps(steps, named, ({ text, spellings, modelled }) => {
      const all = completedInAll(text, spellings, modelled, { following: this.steps, trace });
      const resolved = resolveBeforePolicy(text, all);
      trace?.overlaps(all, resolved);
      const found = splitLongEntities(text, resolved);
      count.add(found.length);
      return [...found];
    });
  }

  private async findInLong(text: string, recall: Recall, { count, tenant, trace }: LongTextOptions): Promise<Span[]> {
    count.check();
    const options = { recall, context: textContextOf(text), trace };
    const spans: Span[] = [];
    for (const piece of piecesOf(text, this.pieceSize)) {
      await this.turns.next(tenant, piece.end - piece.start);
      count.check();
      const found = splitLongEntities(text, this.findIn(text, piece, options));
      count.add(found.length);
      for (const span of found) spans.push(span);
    }
    return resolveBeforePolicy(text, spans);
  }

  /** The spans that begin in a piece, and the ends of earlier spans that extend into it: the earlier piece may cut them off. */
  private findIn(text: string, piece: Piece, options: PieceOptions): Span[] {
    let read = piece;
    let spans = this.readPiece(text, read, options);
    // A long key can extend beyond the surroundings of the piece.
    const isCutOff = ({ start, end, type }: Span): boolean =>
      start < piece.end && end > read.to - 3 && !isFoundByTagger(type);
    while (read.to < text.length && spans.some(isCutOff)) {
      read = widened(text, read);
      spans = this.readPiece(text, read, options);
    }
    return spans.flatMap((span) =>
      span.end <= piece.start || span.start >= piece.end ? [] : { ...span, start: Math.max(span.start, piece.start) },
    );
  }

  /** All spans in a piece and its surroundings. */
  private readPiece(text: string, { from, to }: Piece, options: PieceOptions): readonly Span[] {
    const read = text.slice(from, to);
    const spellings = this.recognizeAll(read, foldedPartsOf(read));
    const trace = options.trace && new Trace();
    const modelled = this.modelledInAll(spellings, { ...options, trace });
    const spans = completedInAll(read, spellings, modelled, { following: this.steps, trace });
    if (trace) options.trace.addPiece(trace, from);
    return from === 0 ? spans : spans.map((span) => ({ ...span, start: span.start + from, end: span.end + from }));
  }

  /** The text itself, and the parts of its folded view in which a value may be new. */
  private recognizeAll(text: string, parts: readonly FoldedPart[]): readonly Recognized[] {
    const folded = parts.map((part) => ({ ...this.recognize(part.text), part }));
    return [this.recognize(text), ...folded.filter(({ part, spans }) => mayHaveNew(text, part, spans))];
  }

  private modelledInAll(spellings: readonly Recognized[], options: PieceOptions): readonly Modelled[] {
    return spellings.map((spelling) => this.modelledIn(spelling, options));
  }

  private recognize(text: string): Recognized {
    const stats = textStatsOf(text);
    return { stats, spans: findByRecognizers(stats.digits > 0 ? this.recognizers : this.withoutDigits, stats) };
  }

  private modelledIn({ stats, spans, part }: Recognized, { recall, context, trace }: PieceOptions): Modelled {
    const { text, keywords } = stats;
    const { labels } = this.names;
    const { alone, beside } = thresholds[recall];
    const own = part ? undefined : trace;
    const valuesWith = (limits: Thresholds): LabelledValues =>
      this.findsValues ? labelledValues(text, labels, limits, own !== undefined) : none;
    labels.read(text);
    const sure = valuesWith(alone);
    const isPersonal =
      sure.found.length > 0 || spans.some(({ type }) => !machineTypes.has(type) && !isIgnoredBy('personal', type));
    const names = this.names
      .find(text, recall, { context, isPersonal, trace: own })
      .map((found): Span => ({ ...found, detector: name }));
    const { tokens } = this.names;
    const proposed = [...withTitledWords(tokens, text, names), ...accountNames(tokens, text, keywords)];
    return {
      names: proposed.filter((span) => {
        if (!isFalseName(text, span)) return true;
        own?.drop(span, 'falseName');
        return false;
      }),
      values: isPersonal || names.some(isPrivate) ? valuesWith(beside) : sure,
    };
  }
}

const none: LabelledValues = { limits: thresholds.balanced.alone, found: [], doubtful: [] };

/** The length of the texts of a step, in UTF-16 code units. A stage takes half a millisecond for that many. */
const STEP = 8192;

/** The steps in which a stage runs: the number of texts up to the end of each. */
function stepsOf(texts: readonly string[]): readonly number[] {
  const ends: number[] = [];
  let length = 0;
  for (let at = 0; at < texts.length; at++) {
    length += texts[at]?.length ?? 0;
    if (length < STEP && at + 1 < texts.length) continue;
    ends.push(at + 1);
    length = 0;
  }
  return ends;
}

/** Maps the items of one step after the other. */
function* inSteps<A, B>(steps: readonly number[], items: readonly A[], map: (item: A) => B): Generator<undefined, B[]> {
  const mapped: B[] = [];
  for (const end of steps) {
    yield;
    for (const item of items.slice(mapped.length, end)) mapped.push(map(item));
  }
  return mapped;
}

/**
 * All spans in a text and in its folded view.
 * @param modelled what the models find in each spelling
 */
function completedInAll(
  text: string,
  spellings: readonly Recognized[],
  modelled: readonly Modelled[],
  { following, trace }: Completion,
): readonly Span[] {
  const all: Span[] = [];
  for (const [index, spelling] of spellings.entries()) {
    const completion = { following, trace: spelling.part ? undefined : trace };
    const found = completed(spelling, modelled[index], completion);
    for (const span of spelling.part ? newIn(text, spelling.part, found) : found) all.push(span);
  }
  return withPersonalUrls(all);
}

/**
 * Whether a part of the folded view may have a value that the text itself does not show. Names are no evidence where only
 * separators differ: see {@link isEvidence}. They can only take away from what is recognized.
 */
const mayHaveNew = (text: string, part: FoldedPart, recognized: readonly Span[]): boolean =>
  part.originalRange(0, part.text.length).difference === 'characters' || newIn(text, part, recognized).length > 0;

/** The values of a part of the folded view that the text itself does not show, at their places in the text. */
const newIn = (text: string, part: FoldedPart, spans: readonly Span[]): Span[] =>
  newValues(part, spans, (span, range) => isEvidence(text, span, range));

/** All spans of a text: those of recognizers and names, corrected and completed by each other. */
function completed(
  { stats: { text }, spans }: Recognized,
  { names, values }: Modelled = { names: [], values: none },
  { following, trace }: Completion,
): readonly Span[] {
  let all: readonly Span[] = [...spans, ...names];
  for (const { apply, drops } of following) {
    const before = all;
    all = apply(text, before, trace);
    if (drops) trace?.pass(before, all, drops);
  }
  return withLabelledValues(text, all, values, trace);
}

/** Types of values that are also in texts of machines: logs, code, configuration. They do not tell that a text is about people. */
const machineTypes: ReadonlySet<string> = new Set([
  'API_KEY',
  'COORDINATE',
  'CRYPTO',
  'IP_ADDRESS',
  'MAC_ADDRESS',
  'PUBLIC_URL',
  'URL',
]);

/** The least score of a value whose parts stand apart in the text. */
const SURE = 0.8;

/** Whether a value of the folded text is one in the text itself. */
function isEvidence(text: string, { type, score }: Span, { start, end, difference }: OriginalRange): boolean {
  if (difference === 'characters') return true;
  // Words and numbers that are joined may belong to different cells, lines or operands.
  if (isFoundByTagger(type) || score < SURE) return false;
  const fillsLines =
    /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, start - 32), start)) &&
    /^[ \t]*(?:\r?\n|$)/.test(text.slice(end, end + 32));
  return !(fillsLines && /[\t\n]/.test(text.slice(start, end)));
}

/** Whether the tagger finds the type. The next piece finds the rest of a name or place that is cut off. */
const isFoundByTagger = (type: string): boolean => nameTypes.some((name) => name === type);

function findByRecognizers(recognizers: readonly Recognizer[], stats: TextStats): Span[] {
  const spans: Span[] = [];
  let own = '';
  let ownRule = '';
  const emit: Emit = (start, end, score, type = own, rule = ownRule) =>
    spans.push({ start, end, type, score, detector: name, rule });
  for (const { type, rule, mayMatch, find } of recognizers) {
    if (!mayMatch(stats)) continue;
    own = type;
    ownRule = rule;
    find(stats.text, emit, stats);
  }
  return spans;
}
