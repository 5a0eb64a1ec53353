import * as z from 'zod';
import type { Span } from '../detection/detection.ts';

/** An entity in a text, as responses describe it: its position, and not its value. */
export const entitySchema = z.object({
  start: z.int().min(0).describe('Index of the first UTF-16 code unit.'),
  end: z.int().min(0).describe('Index after the last UTF-16 code unit.'),
  type: z.string(),
  score: z.number().min(0).max(1),
  detector: z.string(),
  action: z.enum(['pseudonymize', 'block']).describe('The action of the policy.'),
});

type Entity<Action> = Omit<z.infer<typeof entitySchema>, 'action'> & { readonly action: Action };

/** The entities of a response. */
export function entitiesOf<Action>(found: readonly (Span & { readonly action: Action })[]): Entity<Action>[] {
  return found.map(({ start, end, type, score, detector, action }) => ({ start, end, type, score, detector, action }));
}
