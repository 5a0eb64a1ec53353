import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Router from '@koa/router';
import * as z from 'zod';
import type { Analyzer, Recall } from '../../detection/detection.ts';
import { basicPath, parseFields } from '../../gateways/gateways.ts';
import { authenticatedRouter, type SignInPage } from '../authentication.ts';
import type { AuthenticatedState, CallMiddleware } from '../context.ts';
import { withDeadline } from '../deadline.ts';
import type { Operation } from '../openapi/operation.ts';
import { ERASE_SUBJECT_PATH } from '../sessionRoutes.ts';

export const PLAYGROUND_PATH = '/playground';
export const DETECT_PATH = `${PLAYGROUND_PATH}/detect`;

const detectSchema = z.object({
  text: z.string(),
  recall: z
    .enum(['precise', 'balanced', 'thorough'])
    .nullish()
    .describe('The lowest recall of this call. A lower value than the setting of the service has no effect.'),
});
const detectedSchema = z.object({
  entities: z
    .array(
      z.object({
        start: z.int().min(0).describe('Index of the first UTF-16 code unit.'),
        end: z.int().min(0).describe('Index after the last UTF-16 code unit.'),
        type: z.string(),
        score: z.number().min(0).max(1),
        detector: z.string(),
        action: z.enum(['pseudonymize', 'block']).describe('The action of the policy.'),
      }),
    )
    .describe('In order of their positions, without overlaps and without entities that the policy ignores.'),
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
    errors: [400, 401, 413, 415, 429, 502, 503],
  },
];

export interface PlaygroundPageOptions {
  /** The gateway whose endpoint the page calls. */
  readonly proxyName: string;
  readonly recall: Recall;
  readonly mode: 'enforce' | 'monitor';
}

/** The page to which a browser signs in. It also calls endpoints of gateways. */
export function playgroundSignIn({ proxyName }: Pick<PlaygroundPageOptions, 'proxyName'>): SignInPage {
  return { path: PLAYGROUND_PATH, calls: new Set([DETECT_PATH, basicPath(proxyName), ERASE_SUBJECT_PATH]) };
}

/**
 * Serves the page: one document with inline style and script. Its Content-Security-Policy allows only these two, by their
 * digests. The page contains no secret: the browser asks the user for the key, and adds it to the calls of the page.
 */
export function playgroundPage(options: PlaygroundPageOptions): Router<AuthenticatedState> {
  const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');
  const [style, script] = [read('page.css'), read('page.js')];
  const { proxyName, recall, mode } = options;
  const data = `data-proxy="${proxyName}" data-recall="${recall}" data-mode="${mode}"`;
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

/** The endpoint that only the page calls. It returns the position and the score of each entity. */
export function playgroundRoutes(
  analyzer: Analyzer,
  preHandlers: readonly CallMiddleware[],
): Router<AuthenticatedState> {
  const router = authenticatedRouter();
  router.post(DETECT_PATH, ...preHandlers, async (context) => {
    const { text, recall } = parseFields(detectSchema, context.state.body);
    const [findings = []] = await withDeadline(context, (signal) =>
      analyzer.analyze([text], { team: undefined, signal, ...(recall ? { stricter: { recall } } : {}) }),
    );
    context.body = {
      entities: findings.map(({ start, end, type, score, detector, action }) => ({
        start,
        end,
        type,
        score,
        detector,
        action,
      })),
    };
  });
  return router;
}

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
