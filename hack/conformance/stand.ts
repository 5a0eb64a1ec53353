import { startAgentgatewayDouble } from './agentgateway.ts';
import { AGENTGATEWAY_CASES, type AgentgatewayBench } from './agentgatewayCases.ts';
import { startDevGateway } from '../local/gateway/gateway.ts';
import { GatewayClient } from './client.ts';
import { type Interceptor, type Mutant, startInterceptor } from './interceptor.ts';
import { FOREIGN_PORTS, isForeign, useLiteLlm } from './litellm.ts';
import { LITELLM_CASES, LITELLM_CHAT_CASES, type LiteLlmBench } from './litellmCases.ts';
import { startModelServer, type Witness } from './modelServer.ts';
import { usePortkey } from './portkey.ts';
import { PORTKEY_CASES, type PortkeyBench } from './portkeyCases.ts';
import type { Service } from './service.ts';
import { type Case, type Result, runCase } from './suite.ts';

/** A gateway between its cases, a guardrail and a model that remembers. */
export interface Stand {
  /**
   * Runs one case, with nothing left over from the one before.
   * @param name one of the gateway's cases.
   * @param mutant makes the service wrong for this case.
   */
  run(name: string, mutant?: Mutant): Promise<Result>;
  stop(): Promise<void>;
}

/** A gateway that the suite knows: its cases by name, and how to set it up. */
export interface Gateway {
  readonly name: string;
  readonly cases: readonly string[];
  /** @throws Error with one sentence that says what is missing. */
  start(service: Service): Promise<Stand>;
}

interface Parts {
  readonly model: Witness;
  readonly guardrail: Interceptor;
}

function stand<Bench extends Parts>(
  gateway: string,
  cases: readonly Case<Bench>[],
  bench: Bench,
  stop: () => Promise<void>,
): Stand {
  const { model, guardrail } = bench;
  return {
    run: async (name, mutant) => {
      const found = cases.find((candidate) => candidate.name === name);
      if (found === undefined) throw new Error(`${gateway} has no case named ${JSON.stringify(name)}.`);
      model.reset();
      guardrail.reset();
      guardrail.mutate(mutant);
      try {
        return await runCase(gateway, found, bench);
      } finally {
        await guardrail.fail(undefined);
        guardrail.mutate(undefined);
      }
    },
    stop: async () => {
      await stop();
      await guardrail.stop();
    },
  };
}

/** Runs both, one after the other. */
function both(first: () => Promise<void>, second: () => Promise<void>): () => Promise<void> {
  return async () => {
    await first();
    await second();
  };
}

/** This project's own gateway for development: it must call the guardrail as LiteLLM does. */
export const DEVELOPMENT: Gateway = {
  name: 'development',
  cases: LITELLM_CHAT_CASES.map(({ name }) => name),
  start: async (service) => {
    const guardrail = await startInterceptor(service.url);
    const masterKey = 'sk-development';
    const gateway = await startDevGateway({
      port: 0,
      masterKey,
      proxyName: 'litellm',
      guardrail: { url: guardrail.url, key: service.keys[0] },
      guardrailTimeoutMs: 3_000,
    });
    let forgotten = 0;
    const model: Witness = {
      saw: () =>
        gateway
          .log()
          .slice(forgotten)
          .map((seen) => JSON.stringify(seen)),
      reset: () => {
        forgotten = gateway.log().length;
      },
    };
    const client = new GatewayClient(gateway.url, () => ({ authorization: `Bearer ${masterKey}` }));
    const newKey = (): Promise<string> => Promise.reject(new Error('The development gateway has no virtual keys.'));
    return stand('development', LITELLM_CHAT_CASES, { client, model, guardrail, newKey }, gateway.stop);
  },
};

const LITELLM: Gateway = {
  name: 'litellm',
  cases: LITELLM_CASES.map(({ name }) => name),
  start: async (service) => {
    const model = await startModelServer(isForeign() ? FOREIGN_PORTS.model : 0);
    const guardrail = await startInterceptor(service.url, isForeign() ? FOREIGN_PORTS.guardrail : 0);
    const backends = { modelUrl: model.url, guardrailUrl: guardrail.url, guardrailKey: service.keys[0] };
    const { client, newKey, stop } = await useLiteLlm(backends);
    const bench: LiteLlmBench = { client, model, guardrail, newKey };
    return stand('litellm', LITELLM_CASES, bench, both(stop, model.stop));
  },
};

const PORTKEY: Gateway = {
  name: 'portkey',
  cases: PORTKEY_CASES.map(({ name }) => name),
  start: async (service) => {
    const model = await startModelServer();
    const guardrail = await startInterceptor(service.url);
    const { client, stop } = await usePortkey({ modelUrl: model.url, guardrailUrl: guardrail.url, keys: service.keys });
    const bench: PortkeyBench = { client, model, guardrail, tenants: service.keys };
    return stand('portkey', PORTKEY_CASES, bench, both(stop, model.stop));
  },
};

const AGENTGATEWAY: Gateway = {
  name: 'agentgateway (double)',
  cases: AGENTGATEWAY_CASES.map(({ name }) => name),
  start: async (service) => {
    const model = await startModelServer();
    const guardrail = await startInterceptor(service.url);
    const backends = { modelUrl: model.url, guardrailUrl: guardrail.url, keys: service.keys };
    const { client, stop } = await startAgentgatewayDouble(backends);
    const bench: AgentgatewayBench = { client, model, guardrail, tenants: service.keys };
    return stand('agentgateway (double)', AGENTGATEWAY_CASES, bench, both(stop, model.stop));
  },
};

/** Every gateway that the suite runs. */
export const GATEWAYS: readonly Gateway[] = [LITELLM, PORTKEY, AGENTGATEWAY];
