import { randomInt } from 'node:crypto';
import { draw, note } from '../../../guardrail/images/testing/drawings.ts';
import { newPerson } from '../syntheticPerson.ts';

/** Creators of the values that probes insert. Each call returns a new value. */

export const newEmail = (): string => newPerson().email;

/** @returns a text with an e-mail address, in base64. */
export const newFile = (): string => Buffer.from(`Please write to ${newPerson().email}`).toString('base64');

/** @returns a number that represents a token of a model's vocabulary. */
export const newToken = (): string => String(randomInt(100_000_000, 999_999_999));

/** @returns an image of a note with an e-mail address, as a data URL. */
export async function newImage(): Promise<string> {
  const file = await draw(note(`Please write to ${newPerson().email} about the delivery`))
    .png()
    .toBuffer();
  return `data:image/png;base64,${file.toString('base64')}`;
}
