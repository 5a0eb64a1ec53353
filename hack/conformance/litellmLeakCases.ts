/** Cases with a benchmark of another project, which sends, receives and judges by itself. */
import { freePort } from '../harness/processes.ts';
import { runSelfcheck } from './leakBenchmark.ts';
import { judgeSelfcheck } from './leakVerdict.ts';
import type { RealLiteLlmBench } from './litellm.ts';
import type { Case } from './suite.ts';

const TIMES = 3;

const selfcheck: Case<RealLiteLlmBench> = {
  name: 'pii-leak-benchmark selfcheck',
  run: async ({ client, model, newKey }) => {
    const port = await freePort();
    model.script(() => ({ forward: `http://127.0.0.1:${port}` }));
    judgeSelfcheck(await runSelfcheck({ url: client.url, key: await newKey(true), port, times: TIMES }), TIMES);
  },
};

/** Cases for the real LiteLLM: the benchmark must play the model behind it. */
export const LEAK_CASES = [selfcheck];
