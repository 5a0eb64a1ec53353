import * as z from 'zod';
import { findingJson, type ExplainedFinding, type Span } from '../../detection/detection.ts';

/** An entity in a text, as responses describe it: its position, and not its value. */
export const entitySchema = z.object({
  start: z.int().min(0).describe('Index of the first UTF-16 code unit.'),
  end: z.int().min(0).describe('Index after the last UTF-16 code unit.'),
  type: z.string(),
  score: z.number().min(0).max(1),
  detector: z.string(),
  rule: z.string().describe('The rule that decided, such as `iban` or `model.person`.'),
  action: z.enum(['pseudonymize', 'block']).describe('The action of the policy.'),
});

const placeSchema = entitySchema.pick({ start: true, end: true });

const modelSchema = z
  .object({
    features: z
      .array(z.object({ name: z.string(), weight: z.number() }))
      .describe('What spoke most for the decision, or against it, with its weight in log odds. Names quote the text.'),
  })
  .nullable()
  .describe('null: the model did not decide.');

/** An entity, and why it is one. */
export const explainedEntitySchema = entitySchema.extend({
  words: z.array(placeSchema).describe('The words of the text without which the entity would not be found like this.'),
  model: modelSchema,
});

/** A candidate that is no entity, and why. */
export const droppedSchema = entitySchema.pick({ start: true, end: true, type: true, score: true, rule: true }).extend({
  by: z.string().describe('What dropped it: the model, a list, another value, or a part of the policy.'),
  lost_to: z.string().nullable().describe('The rule of the value that has its place.'),
  threshold: z.number().nullable().describe('The score that it needs.'),
  model: modelSchema,
});

/** An entity of a response that explains it. */
export const explainedEntityOf = (find: ExplainedFinding): z.infer<typeof explainedEntitySchema> => ({
  ...findingJson(find),
  detector: find.detector,
});

type Entity<Action> = Omit<z.infer<typeof entitySchema>, 'action'> & { readonly action: Action };

/** The entities of a response. */
export function entitiesOf<Action>(found: readonly (Span & { readonly action: Action })[]): Entity<Action>[] {
  return found.map(({ start, end, type, score, detector, rule, action }) => ({
    ...{ start, end, type, score, detector, rule, action },
  }));
}
