import type { Steps } from '../eventLoop.ts';
import {
  visitingMessages,
  visitingTools,
  type Json,
  type MessageVisitor,
  type TextKind,
} from '../messages/messages.ts';
import type { RequestDocument } from './contract.ts';
import { BEFORE_ALL, numberOfMessage, type MessageNumbers } from './messageNumbers.ts';

/** The lists of a document with texts. That of a response has no tools. */
type Texts = Pick<RequestDocument, 'texts' | 'passages' | 'structuredMessages' | 'tools' | 'toolCalls'>;

/**
 * Replaces each text of a document, in steps.
 * @param numbers the messages of a request; of a response, all texts are {@link BEFORE_ALL}
 * @returns the lists that the document has. Unchanged rows are the same objects
 */
export function* rewritingTexts(
  { texts, passages, structuredMessages, tools, toolCalls, numbers }: Texts & { readonly numbers?: MessageNumbers },
  text: (text: string, kind: TextKind, message: number) => string,
): Steps<Texts> {
  const visitorOf = (number: number | undefined) => ({
    text: (one: string, kind: TextKind) => text(one, kind, number ?? BEFORE_ALL),
  });
  return {
    texts: yield* mapping(texts, (one, at) => text(one, 'text', numbers?.texts[at] ?? BEFORE_ALL)),
    ...(passages && {
      passages: yield* mapping(passages, (one) => ({
        text: text(one.text, one.kind, one.message ?? BEFORE_ALL),
        kind: one.kind,
      })),
    }),
    ...(structuredMessages && {
      structuredMessages: yield* visiting(structuredMessages, 'structured_messages', (at) =>
        visitorOf(numberOfMessage(at)),
      ),
    }),
    ...(tools && { tools: yield* visitingTools(tools, visitorOf(BEFORE_ALL)) }),
    ...(toolCalls && {
      toolCalls: yield* visiting(toolCalls, 'tool_calls', (at) => visitorOf(numbers?.toolCalls[at])),
    }),
  };
}

/** Visits each row with the visitor of its message. */
function* visiting(
  rows: readonly Json[],
  field: 'structured_messages' | 'tool_calls',
  visitorOf: (at: number) => MessageVisitor,
): Steps<Json[]> {
  const visited: Json[] = [];
  for (const [at, row] of rows.entries()) {
    for (const one of yield* visitingMessages([row], visitorOf(at), field)) visited.push(one);
    yield;
  }
  return visited;
}

/** Maps the items of a list, each in a step. */
function* mapping<A, B>(items: readonly A[], map: (item: A, at: number) => B): Steps<B[]> {
  const mapped: B[] = [];
  for (const [at, item] of items.entries()) {
    mapped.push(map(item, at));
    yield;
  }
  return mapped;
}
