/**
 * Loaded by mocha before all tests. Properties draw other values in each run, so that development finds what nobody thought
 * of; CI sets `PROPERTY_SEED` to have the same values every time, so that it judges the change and not the draw.
 */
import fc from 'fast-check';

const given = process.env.PROPERTY_SEED;
if (given !== undefined) {
  const seed = Number(given);
  if (given.trim() === '' || !Number.isInteger(seed)) throw new Error('PROPERTY_SEED must be a whole number.');
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}
