import type Router from '@koa/router';
import * as z from 'zod';
import { parseFields } from '../../gateways/gateways.ts';
import type { AuthenticatedState } from '../middleware/context.ts';
import { withDeadline } from '../middleware/deadline.ts';
import type { Operation } from '../openapi/operation.ts';
import { checkContext, checkSchema, type PlaygroundOptions } from './check.ts';

export const PICTURE_PATH = '/playground/picture';

const pictureSchema = checkSchema.extend({
  picture: z.string().describe('A PNG, JPEG or WebP picture as a data URL.'),
});
const redactedSchema = z.object({
  action: z.enum(['NONE', 'GUARDRAIL_INTERVENED', 'BLOCKED']),
  picture: z.string().optional().describe('What the model receives, as a data URL; absent with BLOCKED.'),
  blocked_reason: z.string().optional().describe('Only with BLOCKED: the reason, for the user.'),
  masks: z
    .array(
      z.object({
        reason: z.string().describe('An entity type and the rule that found it, or `unread`.'),
        polygon: z
          .array(z.object({ x: z.number(), y: z.number() }))
          .readonly()
          .describe('Its corners, in pixels.'),
      }),
    )
    .describe('The areas that are painted over.'),
  unread_lines: z.number().int().describe('Lines of text that were found and could not be read.'),
});

export const pictureOperation: Operation = {
  method: 'post',
  path: PICTURE_PATH,
  operationId: 'redactPicture',
  summary: 'Redacts a picture as a call before a model call does, and says why each area is painted over.',
  requestBody: pictureSchema,
  responses: { 200: { description: 'The picture for the model.', body: redactedSchema } },
  errors: [400, 401, 403, 413, 415, 429, 502, 503],
};

/** Adds the endpoint that redacts a picture. Without an end user, nothing of the call is stored. */
export function addPictureRoute(router: Router<AuthenticatedState>, options: PlaygroundOptions): void {
  const { guard, preHandlers } = options;
  router.post(PICTURE_PATH, ...preHandlers, async (context) => {
    const fields = parseFields(pictureSchema, context.state.body);
    const { tenant, fence } = context.state;
    const { picture } = fields;
    const call = { identity: { tenant }, fence, ...checkContext(fields, tenant, options) };
    const outcome = await withDeadline(context, (signal) =>
      guard.request({ texts: [], images: [picture] }, { ...call, signal }),
    );
    const { action, imageMasks = [], unreadLines = 0 } = outcome;
    context.body = {
      action,
      ...(outcome.action === 'BLOCKED' && { blocked_reason: outcome.blockedReason }),
      ...(outcome.action === 'NONE' && { picture }),
      ...(outcome.action === 'GUARDRAIL_INTERVENED' && { picture: outcome.images?.[0] ?? picture }),
      masks: imageMasks.map(({ reason, polygon }) => ({ reason, polygon })),
      unread_lines: unreadLines,
    } satisfies z.infer<typeof redactedSchema>;
  });
}
