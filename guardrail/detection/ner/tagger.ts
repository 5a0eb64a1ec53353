import type { Gazetteer } from './gazetteer.ts';
import { createKernel, numbersAt, type Kernel } from '../kernelInstance.ts';
import { isBegin, kindOfLabel, labelCount, type TagKind } from './labels.ts';
import type { Model } from './model.ts';
import { byteOf, rowBytes, rowWords } from './weightRows.ts';
import { Tokens } from './tokens.ts';
import { spreadOf, transitionAt } from './transitions.ts';

/**
 * Receives one tagged span; tokens are numbered from 0. The margin is the mean lead of its labels over O, in units of training
 * margin.
 */
export type EmitTag = (kind: TagKind, firstToken: number, lastToken: number, margin: number) => void;

/**
 * The lead of O from word scores alone, in units of training margin, that labels a token O without pair features and
 * without decoding. The token and both its neighbours must have this lead. This applies to about three quarters of the
 * tokens of prose and code, and to a quarter of those of forms and addresses. It changes the label of about one token in
 * two thousand, for better or worse equally often.
 */
const CONFIDENT_MARGIN = 0.5;
/** Default size of the cache of word scores: a power of two. */
const SLOTS = 1 << 15;

export interface TaggerOptions {
  /** Has the tables. Default: a new one. */
  readonly kernel?: Kernel;
  /** Size of the cache of word scores: at least 8, a power of two. */
  readonly slots?: number;
}

/**
 * Finds names, places, organisations and addresses in a text: a linear sequence model over hashed features with Viterbi
 * decoding. An instance processes one text at a time and reuses its memory.
 */
export class Tagger {
  readonly tokens: Tokens;
  private readonly kernel: Kernel;
  private readonly scale: number;

  constructor(
    { rows, transitions, scale }: Model,
    { entries }: Gazetteer,
    { kernel = createKernel(), slots = SLOTS }: TaggerOptions = {},
  ) {
    kernel.reserveTagger(slots, rows.length / rowWords, entries.length, CONFIDENT_MARGIN * scale);
    numbersAt(kernel, kernel.rowsAt, rows.length).set(rows);
    numbersAt(kernel, kernel.gazetteerAt, entries.length).set(entries);
    for (let gap = 0; gap < 4; gap++)
      for (let before = 0; before < labelCount; before++)
        for (let label = 0; label < labelCount; label++)
          kernel.setTransition(gap, before, label, transitions[transitionAt(gap, before, label)] ?? 0);
    kernel.setSpread(spreadOf(transitions));
    this.kernel = kernel;
    this.scale = scale;
    this.tokens = new Tokens(kernel);
  }

  tag(text: string, emit: EmitTag): void {
    const { tokens, kernel } = this;
    tokens.read(text);
    if (tokens.count === 0) return;
    kernel.label(tokens.count);
    this.collect(emit);
  }

  /** Whether a token of the last text is in a span. */
  isTagged(token: number): boolean {
    return this.tokens.label[token] !== 0;
  }

  private collect(emit: EmitTag): void {
    const { label: labels, scores, count } = this.tokens;
    for (let token = 0; token < count; token++) {
      const label = labels[token] ?? 0;
      if (!isBegin(label)) continue;
      const kind = kindOfLabel(label);
      if (!kind) continue;
      let last = token;
      while (last + 1 < count && labels[last + 1] === label + 1) last++;
      let margin = 0;
      for (let inside = token; inside <= last; inside++)
        margin += scores[inside * rowBytes + byteOf(labels[inside] ?? 0)] ?? 0;
      emit(kind, token, last, margin / (last - token + 1) / this.scale);
      token = last;
    }
  }
}
