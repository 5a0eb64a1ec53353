/** The pages whose commands, manifests and figures the tests run and check. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Block, blocks } from './readme.ts';

const root = join(import.meta.dirname, '../..');

/** The README, and the pages of `docs/` about tasks. */
const PAGES = [
  'README.md',
  ...[
    ...['installation', 'gateways', 'integrations', 'litellm-clients', 'import', 'customers', 'budgets', 'access'],
    ...['waiting', 'policies', 'profiles', 'images', 'playground', 'guardrail', 'inline', 'envoy', 'erasure'],
    ...['guarantees', 'comparison', 'troubleshooting', 'presidio'],
  ].map((name) => `docs/${name}.md`),
];

/** The text of each page. */
export function pages(): readonly string[] {
  return PAGES.map((page) => readFileSync(join(root, page), 'utf8'));
}

/** The code blocks of all pages, each once. */
export function pageBlocks(): readonly Block[] {
  const all = pages().flatMap(blocks);
  return [...new Map(all.map((block) => [`${block.language}\n${block.text}`, block])).values()];
}
