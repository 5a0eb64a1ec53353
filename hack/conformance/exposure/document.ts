import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OUTCOMES } from './outcome.ts';
import { differences, type Measurement, measurementIn, render, withTable } from './table.ts';

/** The document that contains the measured table. */
export const DOCUMENT = 'hack/samples/README.md';
const FILE = join(import.meta.dirname, '../../..', DOCUMENT);

/** @returns the differences between the table in the document and a measurement, one sentence each. */
export async function compareDocument(measured: Measurement): Promise<string[]> {
  return differences(measurementIn(await readFile(FILE, 'utf8')), measured);
}

/** Writes a measurement into the document. */
export async function writeDocument(measured: Measurement): Promise<void> {
  const document = await readFile(FILE, 'utf8');
  await writeFile(FILE, withTable(document, render(measured, Object.values(OUTCOMES))));
}
