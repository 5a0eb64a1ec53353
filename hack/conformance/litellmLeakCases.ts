/** Cases with a benchmark of another project, which sends, receives and judges by itself. */
import { freePort } from '../harness/processes.ts';
import { demand, neverSaw } from './judge.ts';
import { runSelfcheck } from './leakBenchmark.ts';
import { judgeSelfcheck, plantedValues } from './leakVerdict.ts';
import type { RealLiteLlmBench } from './litellmBench.ts';
import type { Case } from './suite.ts';

const TIMES = 3;

const selfcheck: Case<RealLiteLlmBench> = {
  name: 'pii-leak-benchmark selfcheck',
  run: async ({ client, model, guardrail, newKey }) => {
    const port = await freePort();
    model.script(() => ({ forward: `http://127.0.0.1:${port}` }));
    judgeSelfcheck(await runSelfcheck({ url: client.url, key: await newKey(true), port, times: TIMES }), TIMES);

    // The same again without the benchmark's own search.
    const sent = guardrail.exchanges().filter(({ phase }) => phase === 'request');
    demand(sent.length === TIMES, `The guardrail got ${sent.length} requests instead of ${TIMES}.`);
    neverSaw(model.saw(), plantedValues(sent.map(({ body }) => JSON.stringify(body.texts))));
  },
};

/** Cases for the real LiteLLM: the benchmark must play the model behind it. */
export const LEAK_CASES = [selfcheck];
