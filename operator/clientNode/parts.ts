/** Stands in for the package client-node: what the operator and the framework use of it at run time. */
export { KubeConfig } from '@kubernetes/client-node/dist/config.js';
export { PatchStrategy } from '@kubernetes/client-node/dist/patch.js';
export { HttpMethod, RequestContext } from '@kubernetes/client-node/dist/gen/http/http.js';

/** The framework creates a client of this class and keeps it. Nothing calls it: the runtime has its own client. */
// oxlint-disable-next-line typescript/no-extraneous-class
export class CoreV1Api {}
