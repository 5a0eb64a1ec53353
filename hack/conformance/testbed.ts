import { startDevGateway } from '../harness/gateway/gateway.ts';
import { startAgentgatewayDouble } from './agentgateway.ts';
import { AGENTGATEWAY_CASES } from './agentgatewayCases.ts';
import { GatewayClient } from './client.ts';
import { INLINE_OUTCOMES, judgeInline } from './exposure/inlineOutcome.ts';
import { INLINE_UNMEASURED, LITELLM_PROBES, LITELLM_UNMEASURED } from './exposure/litellmProbes.ts';
import { type Findings, type Judge, measure } from './exposure/measure.ts';
import { judge, OUTCOMES } from './exposure/outcome.ts';
import type { Row } from './exposure/table.ts';
import { startInline } from './inline.ts';
import type { InlineBench } from './inlineBench.ts';
import { CALLBACK_AND_INLINE_CASES, INLINE_CASES } from './inlineCases.ts';
import type { ProbeBench } from './exposure/probe.ts';
import { type Interceptor, type Mutant, startInterceptor } from './interceptor.ts';
import { EXTERNAL_PORTS, isExternal, useLiteLlm } from './litellm.ts';
import type { RealLiteLlmBench } from './litellmBench.ts';
import { LITELLM_CASES, LITELLM_CHAT_CASES } from './litellmCases.ts';
import { FULL_CASES } from './litellmFullCases.ts';
import { type ModelServer, startModelServer, type Witness } from '../harness/upstream/modelServer.ts';
import { usePortkey } from './portkey.ts';
import { PORTKEY_CASES } from './portkeyCases.ts';
import type { Service } from './service.ts';
import { type Case, type Result, runCase } from './suite.ts';

/** A gateway with a guardrail, a model server and an interceptor that records their calls. */
export interface Testbed {
  /**
   * Runs one case after resetting the recorded calls.
   *
   * @param name one of the gateway's cases.
   * @param mutant the fault to inject into the service for this case.
   */
  run(name: string, mutant?: Mutant): Promise<Result>;
  /** Measures what the gateway lets pass; undefined if the gateway is not measured. */
  readonly measure?: Measure;
  stop(): Promise<void>;
}

/** Runs the probes whose route or field contains `only`, or all probes; with the mutant, if one is given. */
export type Measure = (options?: { readonly only?: string; readonly mutant?: Mutant }) => Promise<Findings>;

/** A gateway that the suite tests: its cases by name, and its setup. */
export interface Gateway {
  readonly name: string;
  readonly cases: readonly string[];
  /** The outcomes in the table in hack/samples/README.md, from worst to best; undefined if the gateway is not measured. */
  readonly measured?: readonly string[];
  /** @throws Error with one sentence that names the missing prerequisite. */
  start(service: Service): Promise<Testbed>;
}

interface Parts {
  readonly model: Witness;
}

/** The test environment of one gateway, and how to stop it. */
interface Setup<Bench extends Parts> {
  readonly bench: Bench;
  readonly measure?: Measure;
  readonly stop: () => Promise<void>;
}

/** Starts the gateway behind an interceptor. Stops the interceptor if the gateway fails to start. */
async function createTestbed<Bench extends Parts>(
  gateway: string,
  cases: readonly Case<Bench>[],
  guardrail: Interceptor | undefined,
  setUp: () => Promise<Setup<Bench>>,
): Promise<Testbed> {
  const { bench, measure, stop } = await setUp().catch(async (error: unknown) => {
    await guardrail?.stop();
    throw error;
  });
  return {
    run: async (name, mutant) => {
      const found = cases.find((candidate) => candidate.name === name);
      if (found === undefined) throw new Error(`${gateway} has no case named ${JSON.stringify(name)}.`);
      bench.model.reset();
      guardrail?.reset();
      guardrail?.mutate(mutant);
      try {
        return await runCase(gateway, found, bench);
      } finally {
        await guardrail?.fail(undefined);
        guardrail?.mutate(undefined);
      }
    },
    ...(measure !== undefined && { measure }),
    stop: async () => {
      await stop();
      await guardrail?.stop();
    },
  };
}

/** Creates a testbed with the fake model server behind the gateway. */
async function createTestbedWithModel<Bench extends Parts>(
  gateway: string,
  cases: readonly Case<Bench>[],
  guardrail: Interceptor | undefined,
  setUp: (model: ModelServer) => Promise<Setup<Bench>>,
  modelPort = 0,
): Promise<Testbed> {
  return createTestbed(gateway, cases, guardrail, async () => {
    const model = await startModelServer(modelPort);
    const { stop, ...rest } = await setUp(model).catch(async (error: unknown) => {
      await model.stop();
      throw error;
    });
    const stopBoth = async (): Promise<void> => {
      await stop();
      await model.stop();
    };
    return { ...rest, stop: stopBoth };
  });
}

/** The project's development gateway, which must call the guardrail as LiteLLM does. */
export const DEVELOPMENT: Gateway = {
  name: 'development',
  cases: LITELLM_CHAT_CASES.map(({ name }) => name),
  start: async (service) => {
    const guardrail = await startInterceptor(service.url);
    return createTestbed('development', LITELLM_CHAT_CASES, guardrail, async () => {
      const masterKey = 'sk-development';
      const gateway = await startDevGateway({
        port: 0,
        masterKey,
        proxyName: 'litellm',
        guardrail: { url: guardrail.url, key: service.keys[0] },
        guardrailTimeoutMs: 8_000,
      });
      let forgotten = 0;
      const model: Witness = {
        saw: () => {
          const seen = gateway.log().slice(forgotten);
          return seen.map((entry) => JSON.stringify(entry));
        },
        reset: () => {
          forgotten = gateway.log().length;
        },
      };
      const client = new GatewayClient(gateway.url, () => ({ authorization: `Bearer ${masterKey}` }));
      const newKey = (): Promise<string> => Promise.reject(new Error('The development gateway has no virtual keys.'));
      return { bench: { client, model, guardrail, newKey }, stop: gateway.stop };
    });
  },
};

interface Measuring {
  readonly bench: ProbeBench;
  readonly judge: Judge;
  readonly unmeasured: readonly Row[];
  /** Undefined if the gateway calls no guardrail. */
  readonly guardrail?: Interceptor;
}

function measureBy({ bench, judge: judged, unmeasured, guardrail }: Measuring): Measure {
  return async ({ only = '', mutant } = {}) => {
    const probes = LITELLM_PROBES.filter(({ route, field }) => `${route} ${field}`.includes(only));
    guardrail?.mutate(mutant);
    try {
      return await measure('LiteLLM', bench, probes, judged, only === '' ? unmeasured : []);
    } finally {
      guardrail?.mutate(undefined);
    }
  };
}

const LITELLM: Gateway = {
  name: 'litellm',
  cases: LITELLM_CASES.map(({ name }) => name),
  measured: Object.values(OUTCOMES),
  start: async (service) => {
    const guardrail = await startInterceptor(service.url, isExternal() ? EXTERNAL_PORTS.guardrail : 0);
    const setUp = async (model: ModelServer): Promise<Setup<RealLiteLlmBench>> => {
      const backends = { modelUrl: model.url, guardrailUrl: guardrail.url, guardrailKey: service.keys[0] };
      const { client, newKey, stop } = await useLiteLlm(backends);
      const bench = { client, model, guardrail, newKey };
      // The probes call servers that only the suite's own configuration names.
      if (isExternal()) return { bench, stop };
      const measured = { bench: { ...bench, admin: client }, judge, unmeasured: LITELLM_UNMEASURED, guardrail };
      return { bench, measure: measureBy(measured), stop };
    };
    return createTestbedWithModel('litellm', LITELLM_CASES, guardrail, setUp, isExternal() ? EXTERNAL_PORTS.model : 0);
  },
};

/** LiteLLM with its client llm_shield_proxy. */
const LITELLM_FULL: Gateway = {
  name: 'litellm-full',
  cases: FULL_CASES.map(({ name }) => name),
  measured: Object.values(OUTCOMES),
  start: async (service) => {
    const guardrail = await startInterceptor(service.url);
    return createTestbedWithModel('litellm-full', FULL_CASES, guardrail, async (model) => {
      const backends = { modelUrl: model.url, guardrailUrl: guardrail.url, guardrailKey: service.keys[0] };
      const { client, newKey, stop } = await useLiteLlm(backends, 'Full');
      const bench = { client, model, guardrail, newKey };
      const measured = { bench: { ...bench, admin: client }, judge, unmeasured: LITELLM_UNMEASURED, guardrail };
      return { bench, measure: measureBy(measured), stop };
    });
  },
};

/** LiteLLM without a guardrail, behind the guardrail as a proxy. */
const INLINE: Gateway = {
  name: 'inline',
  cases: INLINE_CASES.map(({ name }) => name),
  measured: Object.values(INLINE_OUTCOMES),
  start: () =>
    createTestbedWithModel('inline', INLINE_CASES, undefined, async (model): Promise<Setup<InlineBench>> => {
      const { stop, ...inline } = await startInline(model.url, false);
      const bench = { ...inline, model };
      // LiteLLM calls no guardrail.
      const guardrail = { exchanges: () => [], reset: () => undefined };
      const measured = { bench: { ...bench, guardrail }, judge: judgeInline, unmeasured: INLINE_UNMEASURED };
      return { bench, measure: measureBy(measured), stop };
    }),
};

/** LiteLLM that calls the guardrail, behind the guardrail as a proxy: the integration CallbackAndInline of an instance. */
const CALLBACK_AND_INLINE: Gateway = {
  name: 'callback-and-inline',
  cases: CALLBACK_AND_INLINE_CASES.map(({ name }) => name),
  start: () =>
    createTestbedWithModel(
      'callback-and-inline',
      CALLBACK_AND_INLINE_CASES,
      undefined,
      async (model): Promise<Setup<InlineBench>> => {
        const { stop, ...inline } = await startInline(model.url, true);
        return { bench: { ...inline, model }, stop };
      },
    ),
};

const PORTKEY: Gateway = {
  name: 'portkey',
  cases: PORTKEY_CASES.map(({ name }) => name),
  start: async (service) => {
    const guardrail = await startInterceptor(service.url);
    return createTestbedWithModel('portkey', PORTKEY_CASES, guardrail, async (model) => {
      const backends = { modelUrl: model.url, guardrailUrl: guardrail.url, keys: service.keys };
      const { client, stop } = await usePortkey(backends);
      return { bench: { client, model, guardrail, tenants: service.keys }, stop };
    });
  },
};

const AGENTGATEWAY: Gateway = {
  name: 'agentgateway (double)',
  cases: AGENTGATEWAY_CASES.map(({ name }) => name),
  start: async (service) => {
    const guardrail = await startInterceptor(service.url);
    return createTestbedWithModel('agentgateway (double)', AGENTGATEWAY_CASES, guardrail, async (model) => {
      const backends = { modelUrl: model.url, guardrailUrl: guardrail.url, keys: service.keys };
      const { client, stop } = await startAgentgatewayDouble(backends);
      return { bench: { client, model, guardrail, tenants: service.keys }, stop };
    });
  },
};

/** All gateways that the suite tests. */
export const GATEWAYS: readonly Gateway[] = [LITELLM, LITELLM_FULL, INLINE, CALLBACK_AND_INLINE, PORTKEY, AGENTGATEWAY];
