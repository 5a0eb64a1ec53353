import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Router from '@koa/router';
import * as z from 'zod';
import type { Analyzer, Recall } from '../../detection/detection.ts';
import { parseFields } from '../../gateways/gateways.ts';
import { authenticatedRouter, type SignInPage } from '../authentication.ts';
import type { AuthenticatedState, CallMiddleware } from '../context.ts';
import { underDeadline } from '../deadline.ts';
import { guardPath } from '../guardRoutes.ts';
import { ERASE_SUBJECT_PATH } from '../sessionRoutes.ts';

export const PLAYGROUND_PATH = '/playground';
export const DETECT_PATH = `${PLAYGROUND_PATH}/detect`;

export const detectSchema = z.object({
  text: z.string(),
  recall: z
    .enum(['precise', 'balanced', 'thorough'])
    .nullish()
    .describe('Finds at least as much as this; never less than the service is set to.'),
});
export const detectedSchema = z.object({
  entities: z
    .array(
      z.object({
        start: z.int().min(0).describe('First UTF-16 code unit.'),
        end: z.int().min(0).describe('One past the last UTF-16 code unit.'),
        type: z.string(),
        score: z.number().min(0).max(1),
        detector: z.string(),
        action: z.enum(['pseudonymize', 'block']).describe('What the policy says.'),
      }),
    )
    .describe('Sorted, and never overlapping; what the policy ignores is left out.'),
});

export interface PlaygroundPageOptions {
  /** Whose endpoint the page calls. */
  readonly proxyName: string;
  readonly recall: Recall;
  readonly mode: 'enforce' | 'monitor';
}

/** The page as what a browser signs in to: it calls endpoints that gateways use, too. */
export function playgroundSignIn({ proxyName }: Pick<PlaygroundPageOptions, 'proxyName'>): SignInPage {
  return { path: PLAYGROUND_PATH, calls: new Set([DETECT_PATH, guardPath(proxyName), ERASE_SUBJECT_PATH]) };
}

/**
 * The page on which to try what the service does: one document with its style and script in it, which the policy in its
 * header admits by their digests, and nothing else. It holds no secret: the browser has asked for the key, keeps it, and
 * sends it with the page's calls.
 */
export function playgroundPage(options: PlaygroundPageOptions): Router<AuthenticatedState> {
  const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');
  const [style, script] = [read('page.css'), read('page.js')];
  const { proxyName, recall, mode } = options;
  const data = `data-proxy="${proxyName}" data-recall="${recall}" data-mode="${mode}"`;
  // The replacements are functions, since `$` in a string would have a meaning.
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

/** What the page asks for beside the endpoints that gateways use: where something was found, and how surely. */
export function playgroundRoutes(analyzer: Analyzer, before: readonly CallMiddleware[]): Router<AuthenticatedState> {
  const router = authenticatedRouter();
  router.post(DETECT_PATH, ...before, async (context) => {
    const { text, recall } = parseFields(detectSchema, context.state.body);
    const [findings = []] = await underDeadline(context, (signal) =>
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
