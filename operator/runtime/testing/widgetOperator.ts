import type { KubeConfig } from '@kubernetes/client-node';
import type { Runtime } from '../contract.ts';
import { ControllerOperator, type ControllerOperatorOptions } from '../manager/manager.ts';
import type { Controller } from '../controller/when.ts';
import { REVISION_ANNOTATION, impatient, silent } from './widgets.ts';

/** An operator of whatever a test wants to run. */
export class WidgetOperator extends ControllerOperator {
  readonly #wire: (runtime: Runtime) => readonly Controller[];

  constructor(
    kubeConfig: KubeConfig,
    wire: (runtime: Runtime) => readonly Controller[],
    options: Partial<ControllerOperatorOptions> & Pick<ControllerOperatorOptions, 'namespace'>,
  ) {
    super({
      log: silent,
      kubeConfig,
      watchNamespaces: [options.namespace],
      leaseName: undefined,
      http: undefined,
      installCrds: true,
      crdRevisionAnnotation: REVISION_ANNOTATION,
      eventSource: 'test.guardrail.dev/operator',
      drainMs: 5_000,
      reflector: impatient,
      controllers: { backoffMs: [20, 1_000] },
      ...options,
    });
    this.#wire = wire;
  }

  protected override init(): Promise<void> {
    for (const controller of this.#wire(this.runtime)) this.addController(controller);
    return Promise.resolve();
  }
}
