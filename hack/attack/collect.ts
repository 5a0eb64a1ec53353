/** Preloaded into a program under attack, see memory.ts. */
process.on('SIGUSR2', () => {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
});
