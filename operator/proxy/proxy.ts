/** The face of this folder: configures the gateway's own workload, and releases it when its instance is deleted. */
export { orphanMountedObjects } from './orphan.ts';
export { type ProxyDependencies, type ProxyResult, reconcileProxy } from './reconcile.ts';
export { calledUrl, type DesiredProxy, type ObservedProxy, observeProxy } from './state.ts';
export { releaseWorkload } from './workload.ts';
