/** Stands in for the generated part of client-node: what its class `KubeConfig` uses of it. */
export { createConfiguration } from '@kubernetes/client-node/dist/gen/configuration.js';
export { ServerConfiguration } from '@kubernetes/client-node/dist/gen/servers.js';
