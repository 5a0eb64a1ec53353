import { STEP_UNITS, type Steps } from '../eventLoop.ts';
import type { TextKind } from '../messages/messages.ts';
import { LoadedAddresses, OpenEnds } from './autoload/autoload.ts';

/** What an address, or the beginning of one, has at least. */
const MAY_BEGIN = /[!<[`~]/;

/** Whether a text can begin an address that ends in another text. */
export const mayBeginAddress = (text: string): boolean => MAY_BEGIN.test(text);

/** Whether clients display texts of a kind. */
export const isDisplayed = (kind: TextKind): boolean => kind === 'text' || kind === 'either' || kind === 'thought';

/**
 * The ends of the other texts of an answer before each text. Clients join texts in the order of the answer, or in another one:
 * `reasoning_content` stands behind `content`, and is often shown before it. They can also leave texts out.
 * @param texts different texts, restored each on its own
 */
export function* beginningsOf(texts: readonly string[]): Steps<readonly OpenEnds[]> {
  if (texts.length < 2 || !texts.some((text) => MAY_BEGIN.test(text))) return texts.map(() => new OpenEnds());
  const before = yield* endsBefore(texts);
  const behind = yield* endsBefore([...texts].reverse());
  for (const [at, ends] of before.entries()) ends.addAll(behind[texts.length - 1 - at] ?? new OpenEnds());
  return before;
}

/** The ends of the texts before each text. */
function* endsBefore(texts: readonly string[]): Steps<OpenEnds[]> {
  const all = new OpenEnds();
  const before: OpenEnds[] = [];
  for (const text of texts) {
    before.push(new OpenEnds(all));
    if (all.isEmpty && !MAY_BEGIN.test(text)) continue;
    const addresses = new LoadedAddresses(undefined, all);
    for (let at = 0; at < text.length; at += STEP_UNITS) {
      addresses.feed(text.slice(at, at + STEP_UNITS));
      yield;
    }
    addresses.addEnds(all, '');
  }
  return before;
}
