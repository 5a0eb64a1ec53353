import { expect } from 'chai';
import { memoryOf } from './memory.ts';

describe('the memory of a guardrail', () => {
  it('has a limit and a heap for its largest body', () => {
    expect(memoryOf({})).to.deep.equal({
      ...{ limit: '1216Mi', nodeOptions: '--max-old-space-size=424 --max-semi-space-size=8', maxBody: 10 * 2 ** 20 },
    });
    const larger = memoryOf({ maxBody: '20Mi' });
    expect([larger.limit, larger.maxBody]).to.deep.equal(['1472Mi', 20 * 2 ** 20]);
  });

  it('has a smaller largest body if the limit of the instance is too small', () => {
    const small = memoryOf({ maxBody: '10Mi', resources: { limits: { memory: '700Mi' } } });
    expect(small.nodeOptions).to.equal('--max-old-space-size=233 --max-semi-space-size=8');
    expect(small.maxBody).to.be.within(2 ** 20, 10 * 2 ** 20 - 1);
    for (const memory of ['2Gi', '2G', '2e9', 2_000_000_000]) {
      expect(memoryOf({ maxBody: '10Mi', resources: { limits: { memory } } }), String(memory)).to.include({
        ...{ limit: String(memory), maxBody: 10 * 2 ** 20 },
      });
    }
  });

  it('has no room for the process that reads images where none are redacted', () => {
    expect(memoryOf({ images: 'Block' }).limit).to.equal('640Mi');
    expect(memoryOf({ images: 'Block', policyRef: { name: 'p' } }).limit).to.equal('1216Mi');
  });

  it('leaves the heap to Node if there is no limit', () => {
    expect(memoryOf({ resources: { limits: { cpu: '1' } } })).to.include({ limit: undefined, nodeOptions: undefined });
  });
});
