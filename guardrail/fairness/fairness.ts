/** Fairness between tenants: a fair queue, and fair shares of a bounded resource. Pure: no clock, no I/O. */
export { createFairQueue, type FairQueue, type Queued } from './fairQueue.ts';
export { createShares, type Shares } from './shares.ts';
