/** What tenants share, and how much of it each of them may have. Pure: no clock, no I/O. */
export { createFairQueue, type FairQueue, type Queued } from './fairQueue.ts';
export { createShares, type Shares } from './shares.ts';
