import type { Checkable } from './checkable.ts';

/** What is checked of a request, in order, and how it is put together again. */
export interface Plan {
  readonly parts: readonly Checkable[];
  /** @param sent each part to send, in order */
  readonly join: (sent: readonly Buffer[]) => Buffer;
}

export function planOf(parts: readonly Checkable[]): Plan {
  return { parts, join: (sent) => Buffer.concat(sent) };
}

/** @param join puts together what each plan gives */
export function combined(plans: readonly Plan[], join: (joined: readonly Buffer[]) => Buffer): Plan {
  return {
    parts: plans.flatMap(({ parts }) => parts),
    join(sent) {
      let from = 0;
      return join(
        plans.map((plan) => {
          const own = sent.slice(from, from + plan.parts.length);
          from += own.length;
          return plan.join(own);
        }),
      );
    },
  };
}
