/** The mapping store: its contract and its implementations. */
export * from './contract.ts';
