import type { KubeConfig } from '@kubernetes/client-node';
import type { Runtime } from '../contract.ts';
import { Manager, type ManagerOptions } from '../manager/manager.ts';
import type { ControllerSpec } from '../controller/controllerSpec.ts';
import { REVISION_ANNOTATION, fastReflectorOptions, silentLog } from './widgets.ts';

/** An operator with the controllers of a test. */
export class WidgetOperator extends Manager {
  readonly #wire: (runtime: Runtime) => readonly ControllerSpec[];

  constructor(
    kubeConfig: KubeConfig,
    wire: (runtime: Runtime) => readonly ControllerSpec[],
    options: Partial<ManagerOptions> & Pick<ManagerOptions, 'namespace'>,
  ) {
    super({
      log: silentLog,
      kubeConfig,
      watchNamespaces: [options.namespace],
      leaseName: undefined,
      http: undefined,
      installCrds: true,
      crdRevisionAnnotation: REVISION_ANNOTATION,
      eventSource: 'test.guardrail.dev/operator',
      drainMs: 5_000,
      reflector: fastReflectorOptions,
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
