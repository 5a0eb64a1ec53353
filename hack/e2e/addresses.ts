/** The node's only address besides loopback. */
export const NODE_ADDRESS = '10.250.0.1';
export const NODE_NAME = 'e2e';
export const POD_NETWORK = '10.244.0.0/16';
/** The API server's range of Services. */
export const SERVICE_NETWORK = '10.0.0.0/16';
/** An address in {@link SERVICE_NETWORK}. */
export const DNS_ADDRESS = '10.0.0.10';
export const API_PORT = 6443;
