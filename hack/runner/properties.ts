/**
 * Configures fast-check. Mocha loads this file before all tests.
 *
 * Each run draws other values, so that development finds unexpected ones. `PROPERTY_SEED` makes a run repeatable: CI sets
 * it, because CI judges the change and not the draw. `PROPERTY_TIME_MS` ends each property after that time, successfully
 * if no value has failed.
 */
import fc from 'fast-check';

const seed = wholeNumber('PROPERTY_SEED');
const limit = wholeNumber('PROPERTY_TIME_MS');
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  ...(seed === undefined ? {} : { seed }),
  ...(limit === undefined ? {} : { plugins: [fc.interruptAfterTimeLimit(limit)] }),
});

function wholeNumber(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined) return undefined;
  if (text.trim() === '' || !Number.isInteger(Number(text))) throw new Error(`${name} must be a whole number.`);
  return Number(text);
}
