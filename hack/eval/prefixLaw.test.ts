import { expect } from 'chai';
import fc from 'fast-check';
import { changesIn, SHAPES } from '../../guardrail/bodies/testing/conversations.ts';
import { createAnalyzer, createBuiltinDetector, withSpanCache } from '../../guardrail/detection/detection.ts';
import { createTestGuard } from '../../guardrail/pseudonymization/testing/testGuard.ts';
import { runs } from '../harness/scale.ts';
import { conversationsOf, namingConversations } from './conversations.ts';

const analyzer = createAnalyzer({ detectors: [withSpanCache(createBuiltinDetector())] });
const shape = fc.constantFrom(...Object.entries(SHAPES));

/** Each conversation has a session of its own. */
const law = (generated: typeof namingConversations) =>
  fc.asyncProperty(generated, shape, async (conversation, [, send]) => {
    const { guard } = createTestGuard(analyzer);
    expect(await changesIn(conversation, send, guard)).to.deep.equal([]);
  });

describe('the law of the prefix: no message changes when a conversation goes on', () => {
  it('in conversations of the project’s own texts', async () => {
    await fc.assert(law(conversationsOf(2, 6)), { numRuns: runs(1500) });
  }).timeout(300_000);

  it('when a later message names a word of an earlier one', async () => {
    await fc.assert(law(namingConversations), { numRuns: runs(500) });
  }).timeout(300_000);
});
