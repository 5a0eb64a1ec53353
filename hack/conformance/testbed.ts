import { startDevGateway } from '../harness/gateway/gateway.ts';
import { GatewayClient } from './client.ts';
import { INLINE_OUTCOMES, judgeInline } from './exposure/inlineOutcome.ts';
import { INLINE_UNMEASURED, LITELLM_PROBES, LITELLM_UNMEASURED } from './exposure/litellmProbes.ts';
import { type Findings, type Judge, measure } from './exposure/measure.ts';
import { judge, OUTCOMES } from './exposure/outcome.ts';
import type { Row } from './exposure/table.ts';
import { startInline } from './inline.ts';
import { CALLBACK_AND_INLINE_CASES, INLINE_CASES } from './inlineCases.ts';
import type { ProbeBench } from './exposure/probe.ts';
import { type Interceptor, type Mutant, startInterceptor } from './interceptor.ts';
import { useLiteLlm } from './litellm.ts';
import type { RealLiteLlmBench } from './litellm.ts';
import { LITELLM_CASES, LITELLM_CHAT_CASES } from './litellmCases.ts';
import { FULL_CASES } from './litellmFullCases.ts';
import { startModelServer, type Witness } from '../harness/upstream/modelServer.ts';
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

/** The test environment of one gateway. */
interface Setup<Bench> {
  readonly bench: Bench;
  /** Undefined if the gateway calls no guardrail, or not through an interceptor. */
  readonly guardrail?: Interceptor;
  readonly measure?: Measure;
}

interface Part {
  readonly stop: () => Promise<void>;
}

/** Registers a server that is stopped with the testbed. */
type Keep = <P extends Part>(part: P) => P;

/** @param outcomes of the table, from worst to best; undefined if the gateway is not measured. */
function createGateway<Bench extends { readonly model: Witness }>(
  name: string,
  cases: readonly Case<Bench>[],
  setUp: (service: Service, keep: Keep) => Promise<Setup<Bench>>,
  outcomes?: Readonly<Record<string, string>>,
): Gateway {
  const start = async (service: Service): Promise<Testbed> => {
    const parts: Part[] = [];
    const stop = async (): Promise<void> => {
      for (const part of parts.reverse()) await part.stop();
    };
    const keep: Keep = (part) => {
      parts.push(part);
      return part;
    };
    const { bench, guardrail, measure } = await setUp(service, keep).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
    const run = async (chosen: string, mutant?: Mutant): Promise<Result> => {
      const found = cases.find((candidate) => candidate.name === chosen);
      if (found === undefined) throw new Error(`${name} has no case named ${JSON.stringify(chosen)}.`);
      bench.model.reset();
      guardrail?.reset();
      guardrail?.mutate(mutant);
      try {
        return await runCase(name, found, bench);
      } finally {
        await guardrail?.fail(undefined);
        guardrail?.mutate(undefined);
      }
    };
    return { run, ...(measure !== undefined && { measure }), stop };
  };
  return {
    name,
    cases: cases.map((each) => each.name),
    ...(outcomes !== undefined && { measured: Object.values(outcomes) }),
    start,
  };
}

/** The servers that a gateway calls: the service, by an interceptor, and a fake model. */
async function startBackends(service: Service, keep: Keep) {
  const guardrail = keep(await startInterceptor(service.url));
  const model = keep(await startModelServer());
  const backends = { modelUrl: model.url, guardrailUrl: guardrail.url, guardrailKey: service.keys[0] };
  return { guardrail, model, backends };
}

/** The project's development gateway, which must call the guardrail as LiteLLM does. */
export const DEVELOPMENT = createGateway('development', LITELLM_CHAT_CASES, async (service, keep) => {
  const guardrail = keep(await startInterceptor(service.url));
  const masterKey = 'sk-development';
  const gateway = keep(
    await startDevGateway({
      port: 0,
      masterKey,
      proxyName: 'litellm',
      guardrail: { url: guardrail.url, key: service.keys[0] },
      guardrailTimeoutMs: 8_000,
    }),
  );
  let forgotten = 0;
  const model: Witness = {
    saw: () =>
      gateway
        .log()
        .slice(forgotten)
        .map((entry) => JSON.stringify(entry)),
    reset: () => {
      forgotten = gateway.log().length;
    },
  };
  const client = new GatewayClient(gateway.url, () => ({ authorization: `Bearer ${masterKey}` }));
  const newKey = (): Promise<string> => Promise.reject(new Error('The development gateway has no virtual keys.'));
  return { bench: { client, model, guardrail, newKey }, guardrail };
});

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

/** LiteLLM with one of its clients for guardrails. */
const litellm = (name: string, cases: readonly Case<RealLiteLlmBench>[], callback: 'Generic' | 'Full'): Gateway =>
  createGateway(
    name,
    cases,
    async (service, keep) => {
      const { guardrail, model, backends } = await startBackends(service, keep);
      const { client, newKey } = keep(await useLiteLlm(backends, callback));
      const bench = { client, model, guardrail, newKey };
      const measured = { bench: { ...bench, admin: client }, judge, unmeasured: LITELLM_UNMEASURED, guardrail };
      return { bench, guardrail, measure: measureBy(measured) };
    },
    OUTCOMES,
  );

/** LiteLLM without a guardrail, behind the guardrail as a proxy. */
const INLINE = createGateway(
  'inline',
  INLINE_CASES,
  async (_, keep) => {
    const model = keep(await startModelServer());
    const bench = { ...keep(await startInline(model.url, false)), model };
    // LiteLLM calls no guardrail.
    const guardrail = { exchanges: () => [], reset: () => undefined };
    const measured = { bench: { ...bench, guardrail }, judge: judgeInline, unmeasured: INLINE_UNMEASURED };
    return { bench, measure: measureBy(measured) };
  },
  INLINE_OUTCOMES,
);

/** LiteLLM that calls the guardrail, behind the guardrail as a proxy: the integration CallbackAndInline of an instance. */
const CALLBACK_AND_INLINE = createGateway('callback-and-inline', CALLBACK_AND_INLINE_CASES, async (_, keep) => {
  const model = keep(await startModelServer());
  return { bench: { ...keep(await startInline(model.url, true)), model } };
});

const PORTKEY = createGateway('portkey', PORTKEY_CASES, async (service, keep) => {
  const { guardrail, model, backends } = await startBackends(service, keep);
  const { client } = keep(await usePortkey(backends));
  return { bench: { client, model, guardrail }, guardrail };
});

/** All gateways that the suite tests. */
export const GATEWAYS: readonly Gateway[] = [
  litellm('litellm', LITELLM_CASES, 'Generic'),
  litellm('litellm-full', FULL_CASES, 'Full'),
  INLINE,
  CALLBACK_AND_INLINE,
  PORTKEY,
];
