/** The counts of an import. Pure. */
import type { Decision } from './plan.ts';

interface Counts {
  manifest: number;
  known: number;
  internal: number;
  refused: number;
  /** Manifests that leave out fields. */
  partial: number;
  /** Records that cannot be read. */
  unreadable: number;
}

const nothing: Counts = { manifest: 0, known: 0, internal: 0, refused: 0, partial: 0, unreadable: 0 };

/** Counts what became of the records. */
export class Summary {
  readonly #counts = { customer: { ...nothing }, budget: { ...nothing } };

  count(noun: 'customer' | 'budget', decision: Decision | undefined): void {
    const counts = this.#counts[noun];
    counts[decision?.is ?? 'unreadable'] += 1;
    if (decision?.is === 'manifest' && decision.unexpressed.length > 0) counts.partial += 1;
  }

  /** Whether every record that needs a manifest has one. */
  get isComplete(): boolean {
    return Object.values(this.#counts).every(({ refused, unreadable }) => refused + unreadable === 0);
  }

  get customers(): number {
    return this.#counts.customer.manifest;
  }

  /** The lines of the summary. They name no customer. */
  lines(): readonly string[] {
    return (['budget', 'customer'] as const).flatMap((noun) => {
      const { manifest, known, internal, refused, partial, unreadable } = this.#counts[noun];
      const line = (count: number, text: string): string[] => (count === 0 ? [] : [`  ${count} ${text}`]);
      return [
        `${manifest} ${noun}s imported`,
        ...line(partial, 'of them with fields that the spec cannot express: see the comments in the manifests'),
        ...line(known, 'skipped: a resource of the instance names them already'),
        ...line(internal, 'skipped: they belong to a single customer, key or team, or to the operator'),
        ...line(refused, 'not imported: see the comments that begin with "Not imported"'),
        ...line(unreadable, 'not imported: the operator cannot read the record'),
      ];
    });
  }
}
