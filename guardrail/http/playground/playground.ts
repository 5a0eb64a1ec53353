import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Router from '@koa/router';
import * as z from 'zod';
import { droppedJson, explain, policyLines, reasonOf, type Profile, type Recall } from '../../detection/detection.ts';
import { basicPath, parseFields } from '../../gateways/gateways.ts';
import { authenticatedRouter, type SignInPage } from '../middleware/authentication.ts';
import { reportSession, type AuthenticatedState } from '../middleware/context.ts';
import { withDeadline } from '../middleware/deadline.ts';
import { droppedSchema, explainedEntityOf, explainedEntitySchema } from '../routes/entities.ts';
import type { Operation } from '../openapi/operation.ts';
import { checkContext, checkSchema, policyFor, type PlaygroundOptions } from './check.ts';
import { addPictureRoute, PICTURE_PATH, pictureOperation } from './picture.ts';
import { ERASE_SUBJECT_PATH } from '../routes/sessionRoutes.ts';

export const PLAYGROUND_PATH = '/playground';
export const DETECT_PATH = `${PLAYGROUND_PATH}/detect`;
export const PSEUDONYMIZE_PATH = `${PLAYGROUND_PATH}/pseudonymize`;

const detectSchema = checkSchema.extend({ text: z.string() });
const policySchema = z.array(z.string()).readonly().describe('Lines of a policy to copy; each changes the outcome.');
const detectedSchema = z.object({
  entities: z
    .array(
      explainedEntitySchema.extend({
        action: z
          .enum(['pseudonymize', 'block', 'leave'])
          .describe('The action of the policy; leave if it leaves the entity unchanged.'),
        by: z
          .string()
          .nullable()
          .describe(
            'With leave, the part of the policy that leaves it: profile, allowList, ignored or policyThreshold.',
          ),
        policy: policySchema,
      }),
    )
    .describe('In order of their positions, without overlaps.'),
  dropped: z
    .array(
      droppedSchema.extend({
        reason: z.string().describe('Why it is no entity: a sentence without a full stop.'),
        policy: policySchema,
      }),
    )
    .describe('The candidates that are no entity, in order of their positions.'),
});
const pseudonymizeSchema = detectSchema.extend({
  call_id: z.string().min(1).max(256).describe('Id of the call and of the end user, to restore and to erase it.'),
});
const pseudonymizedSchema = z.object({
  action: z.enum(['NONE', 'GUARDRAIL_INTERVENED', 'BLOCKED']),
  text: z.string().optional().describe('What the model receives; absent with BLOCKED.'),
  blocked_reason: z.string().optional().describe('Only with BLOCKED: the reason, for the user.'),
});

export const playgroundOperations: readonly Operation[] = [
  {
    method: 'get',
    path: PLAYGROUND_PATH,
    operationId: 'playground',
    summary: 'Returns a web page that shows how the service handles a text.',
    security: [{ apiKey: [] }, { basic: [] }],
    responses: { 200: { description: 'The page.', body: { 'text/html': { schema: { type: 'string' } } } } },
    errors: [401],
  },
  {
    method: 'post',
    path: DETECT_PATH,
    operationId: 'detect',
    summary: 'Returns the entities in a text, and the action of the policy for each.',
    requestBody: detectSchema,
    responses: { 200: { description: 'The entities.', body: detectedSchema } },
    errors: [400, 401, 403, 413, 415, 429, 502, 503],
  },
  {
    method: 'post',
    path: PSEUDONYMIZE_PATH,
    operationId: 'pseudonymize',
    summary: 'Replaces the entities in a text as a call before a model call does, with a profile of choice.',
    requestBody: pseudonymizeSchema,
    responses: { 200: { description: 'The text for the model.', body: pseudonymizedSchema } },
    errors: [400, 401, 403, 409, 413, 415, 429, 502, 503],
  },
  pictureOperation,
];

export interface PlaygroundPageOptions {
  /** The gateway whose endpoint the page calls. */
  readonly proxyName: string;
  readonly recall: Recall;
  readonly profile: Profile;
  readonly mode: 'enforce' | 'monitor';
}

/** The page to which a browser signs in. It also calls endpoints of gateways. */
export function playgroundSignIn({ proxyName }: Pick<PlaygroundPageOptions, 'proxyName'>): SignInPage {
  return {
    path: PLAYGROUND_PATH,
    calls: new Set([DETECT_PATH, PSEUDONYMIZE_PATH, PICTURE_PATH, basicPath(proxyName), ERASE_SUBJECT_PATH]),
  };
}

/**
 * Serves the page: one document with inline style and script. Its Content-Security-Policy allows only these two, by their
 * digests. The page contains no secret: the browser asks the user for the key, and adds it to the calls of the page.
 */
export function playgroundPage(options: PlaygroundPageOptions): Router<AuthenticatedState> {
  const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');
  const [style, script] = [read('page.css'), `${read('page.js')}${read('picture.js')}`];
  const { proxyName, recall, profile, mode } = options;
  const data = `data-proxy="${proxyName}" data-recall="${recall}" data-profile="${profile}" data-mode="${mode}"`;
  // Functions, because `$` in a replacement string is special.
  const page = read('page.html')
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<script></script>', () => `<script>${script}</script>`)
    .replace('<body>', () => `<body ${data}>`);
  const policy = [
    "default-src 'none'",
    `style-src '${digest(style)}'`,
    `script-src '${digest(script)}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');

  const router = authenticatedRouter();
  router.get(PLAYGROUND_PATH, (context) => {
    context.set({
      'content-security-policy': policy,
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    context.type = 'text/html; charset=utf-8';
    context.body = page;
  });
  return router;
}

/** The endpoints that only the page calls: the entities in a text, and the text for the model. */
export function playgroundRoutes(options: PlaygroundOptions): Router<AuthenticatedState> {
  const { analyzer, guard, preHandlers } = options;
  const router = authenticatedRouter();
  router.post(DETECT_PATH, ...preHandlers, async (context) => {
    const { text, recall, team, ...trial } = parseFields(detectSchema, context.state.body);
    const { tenant } = context.state;
    const stricter = recall ? { stricter: { recall } } : {};
    const policy = policyFor({ ...trial, team }, tenant, options);
    const explanation = await withDeadline(context, (signal) =>
      explain(analyzer, text, { team: team ?? undefined, tenant, signal, policy, ...stricter }),
    );
    const entities = explanation.findings.map((find) => ({
      ...explainedEntityOf(find),
      by: null,
      policy: policyLines(text, find),
    }));
    const dropped = explanation.dropped.map((candidate) => ({
      ...droppedJson(candidate),
      reason: reasonOf(candidate),
      policy: policyLines(text, candidate),
    }));
    context.body = {
      entities: [...entities, ...leftByPolicy(entities, dropped)].sort((a, b) => a.start - b.start),
      dropped,
    } satisfies z.infer<typeof detectedSchema>;
  });
  router.post(PSEUDONYMIZE_PATH, ...preHandlers, async (context) => {
    const fields = parseFields(pseudonymizeSchema, context.state.body);
    const { text, call_id: callId } = fields;
    const { tenant, fence } = context.state;
    // The same identity as in the page's call after the model call.
    const identity = { tenant, endUser: callId, callId };
    reportSession(context, guard.sessionOf(identity));
    const call = { identity, fence, ...checkContext(fields, tenant, options) };
    const outcome = await withDeadline(context, (signal) => guard.request({ texts: [text] }, { ...call, signal }));
    context.body =
      outcome.action === 'BLOCKED'
        ? { action: outcome.action, blocked_reason: outcome.blockedReason }
        : { action: outcome.action, text: outcome.action === 'NONE' ? text : outcome.texts[0] };
  });
  addPictureRoute(router, options);
  return router;
}

type Entity = z.infer<typeof detectedSchema>['entities'][number];
type Dropped = z.infer<typeof detectedSchema>['dropped'][number];

/** The parts of a policy that leave a value. */
const LEFT_BY: ReadonlySet<string> = new Set(['profile', 'allowList', 'ignored', 'policyThreshold']);

/** The candidates that the policy leaves unchanged, without overlaps. */
function leftByPolicy(entities: readonly Entity[], dropped: readonly Dropped[]): Entity[] {
  const taken: { readonly start: number; readonly end: number }[] = [...entities];
  return dropped.flatMap(({ start: from, end: to, type, score, rule, model, policy, by }) => {
    const isFree = taken.every(({ start, end }) => end <= from || start >= to);
    if (!LEFT_BY.has(by) || !isFree) return [];
    taken.push({ start: from, end: to });
    const left = { start: from, end: to, type, score, rule, model, policy };
    return { ...left, detector: 'builtin', words: [], action: 'leave' as const, by };
  });
}

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
