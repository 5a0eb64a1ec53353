/**
 * What detection considers beside what it finds: the candidates that it drops, and the model's evidence. Only an analysis with
 * a {@link Trace} collects it. Nothing of it is stored, logged or counted.
 */
import type { EntityType, KeptBy, RuleId, Span } from './span.ts';
import type { EntityClass } from './ner/entityClasses.ts';

/** What dropped a candidate: the model, a pass, an overlapping value, another use of its word, or the policy. */
export type DropReason =
  'falseName' | 'structure' | 'product' | 'month' | 'modelThreshold' | 'joined' | 'overlap' | 'ordinaryWord' | KeptBy;

/** A candidate that is not a find. */
export interface Dropped {
  /** First UTF-16 code unit. */
  readonly start: number;
  /** One past the last UTF-16 code unit. */
  readonly end: number;
  readonly type: EntityType;
  readonly score: number;
  /** The rule that proposed it. */
  readonly rule: RuleId;
  readonly by: DropReason;
  /** The rule of the value that took its place. Only of `overlap`. */
  readonly lostTo?: RuleId | undefined;
  /** The least score with which it would be found. Only of `modelThreshold`. */
  readonly threshold?: number | undefined;
}

/** Why the model decided as it did about a candidate. */
export interface ModelEvidence {
  readonly start: number;
  readonly end: number;
  /** The probability of each class. */
  readonly probabilities: Readonly<Record<EntityClass, number>>;
  /** The features with the greatest weight for the decision, or against it, in units of log odds; greatest first. */
  readonly features: readonly ModelFeature[];
}

export interface ModelFeature {
  readonly name: string;
  readonly weight: number;
}

/** Collects what is considered in a text. */
export class Trace {
  readonly dropped: Dropped[] = [];
  readonly model: ModelEvidence[] = [];

  /** Records what a pass took away: the spans that overlap nothing of its type any more. */
  pass(before: readonly Span[], after: readonly Span[], by: DropReason): void {
    if (before === after) return;
    for (const span of before) {
      const isKept = after.some(({ start, end, type }) => start < span.end && end > span.start && type === span.type);
      const isOther = after.some(({ start, end }) => start < span.end && end > span.start);
      if (!isKept && !(isOther && by === 'joined')) this.drop(span, by);
    }
  }

  /** Records which spans another one hides. */
  overlaps(before: readonly Span[], after: readonly Span[]): void {
    for (const span of before) {
      const over = after.filter(({ start, end }) => start < span.end && end > span.start);
      if (over.some(({ type, rule }) => type === span.type && rule === span.rule)) continue;
      this.drop(span, 'overlap', { lostTo: over[0]?.rule });
    }
  }

  drop(
    { start, end, type, score, rule }: Span,
    by: DropReason,
    more: Pick<Dropped, 'lostTo' | 'threshold'> = {},
  ): void {
    this.dropped.push({ start, end, type, score, rule, by, ...more });
  }

  /** Adds what was considered in a piece of the text that begins at an offset. */
  addPiece(piece: Trace, offset: number): void {
    const moved = <P extends { readonly start: number; readonly end: number }>(place: P): P => ({
      ...place,
      start: place.start + offset,
      end: place.end + offset,
    });
    this.dropped.push(...piece.dropped.map(moved));
    this.model.push(...piece.model.map(moved));
  }
}
