/** Test support for other folders' tests and benchmarks: a faulty network, a test clock, an API client, and the kinds that the runtime writes. */
export { RestClient } from '../client/client.ts';
export { Transport } from '../client/transport.ts';
export { leases, type Lease } from '../manager/lease.ts';
export { kubeEvents } from '../writers/eventRecorder.ts';
export { installDefinitions } from './definitions.ts';
export { eventually } from './eventually.ts';
export { fastClock, timeoutAt } from './fastClock.ts';
export { FaultProxy, type Fault, type ProxiedRequest, type WatchFault } from './faultProxy.ts';
export { SkippingClock } from './skippingClock.ts';
export { TestClock, settle } from './testClock.ts';
export { WidgetOperator } from './widgetOperator.ts';
export {
  fastReflectorOptions,
  installWidgets,
  transportOptions,
  silentLog,
  widget,
  widgets,
  type Widget,
} from './widgets.ts';
