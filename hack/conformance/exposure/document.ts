import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { differences, type Measurement, measurementIn, render, withTable } from './table.ts';

/** The document that contains the measured tables. */
export const DOCUMENT = 'hack/samples/README.md';
const FILE = join(import.meta.dirname, '../../..', DOCUMENT);

/** @returns the differences between the table of a gateway in the document and a measurement, one sentence each. */
export async function compareDocument(gateway: string, measured: Measurement): Promise<string[]> {
  return differences(measurementIn(await readFile(FILE, 'utf8'), gateway), measured);
}

/**
 * Writes a measurement into the document.
 * @param outcomes from worst to best.
 */
export async function writeDocument(
  gateway: string,
  measured: Measurement,
  outcomes: readonly string[],
): Promise<void> {
  const document = await readFile(FILE, 'utf8');
  await writeFile(FILE, withTable(document, gateway, render(measured, outcomes)));
}
