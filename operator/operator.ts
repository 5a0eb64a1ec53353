import { join } from 'node:path';
import type { Logger } from 'pino';
import { followFile, parseBearerToken, presentsBearer } from '../guardrail/guardrail.ts';
import {
  GROUP,
  annotations,
  gatewayBudgetNames,
  gatewayCustomerNames,
  gatewayInstanceNames,
  gatewayKeyNames,
  guardrailPolicyNames,
} from './api/v1alpha1/v1alpha1.ts';
import type { OperatorConfig } from './config.ts';
import { operatorControllers } from './operatorControllers.ts';
import { OPERATOR_NAME } from './operatorName.ts';
import { type HttpOptions, Manager, type ManagerOptions } from './runtime/runtime.ts';
import { traceReconcile } from './telemetry/telemetry.ts';

/** The CustomResourceDefinitions that the operator installs. */
export const CRD_NAMES = [
  gatewayCustomerNames,
  gatewayInstanceNames,
  gatewayBudgetNames,
  gatewayKeyNames,
  guardrailPolicyNames,
].map(({ plural, group }) => `${plural}.${group}`);
const CRDS = join(import.meta.dirname, '../crds');

/** The settings that {@link GuardrailOperator} needs. */
export type GuardrailOperatorConfig = Omit<OperatorConfig, 'kubeConfig' | 'logLevel'> &
  Partial<Pick<OperatorConfig, 'kubeConfig'>>;

/** The token of the metrics is read again when its file changes. */
function httpOptions({ metricsTokenFile, ...http }: OperatorConfig['http'], log: Logger): HttpOptions {
  if (metricsTokenFile === undefined) return http;
  const token = followFile(metricsTokenFile, parseBearerToken, ({ message }) => {
    log.error(`--metrics-token-file ${message}. The previous token stays in use.`);
  });
  return { ...http, mayScrape: (authorization) => presentsBearer(authorization, token.current) };
}

/** The operator: installs its CustomResourceDefinitions and runs a controller for each kind. */
export class GuardrailOperator extends Manager {
  readonly #config: GuardrailOperatorConfig;

  /** @param overrides runtime options that tests change: times, ports, clock */
  constructor(config: GuardrailOperatorConfig, log: Logger, overrides: Partial<ManagerOptions> = {}) {
    super({
      log,
      ...(config.kubeConfig === undefined ? {} : { kubeConfig: config.kubeConfig }),
      namespace: config.namespace,
      watchNamespaces: config.watchNamespaces,
      leaseName: config.leaderElect ? OPERATOR_NAME : undefined,
      http: httpOptions(config.http, log),
      installCrds: config.installCrds,
      crdRevisionAnnotation: annotations.crdRevision,
      eventSource: `${GROUP}/${OPERATOR_NAME}`,
      drainMs: config.drainMs,
      controllers: { workers: config.workers, trace: traceReconcile },
      ...overrides,
    });
    this.#config = config;
  }

  protected override async init(): Promise<void> {
    for (const name of CRD_NAMES) await this.registerCustomResourceDefinition(join(CRDS, `${name}.yaml`));
    for (const controller of operatorControllers(this.runtime, this.#config)) this.addController(controller);
  }
}
