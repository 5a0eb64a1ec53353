import { draw, note } from '../../guardrail/images/testing/drawings.ts';
import { startIndependentOcr } from '../../guardrail/images/testing/independentOcr.ts';
import { demand, exact, neverSaw } from './judge.ts';
import type { Person } from './syntheticPerson.ts';

/** @returns an image of a note with a person's e-mail address, as a data URL */
export async function imageOf({ email }: Person): Promise<string> {
  const file = await draw(note(`Please write to ${email} about the delivery`))
    .png()
    .toBuffer();
  return `data:image/png;base64,${file.toString('base64')}`;
}

/** Checks that the model saw exactly one image, and that OCR reads its text without the address. */
export async function checkImageWithout({ email }: Person, requests: readonly string[]): Promise<void> {
  neverSaw(requests, [email]);
  const images = requests.flatMap((request) => request.match(/(?<=data:image\/png;base64,)[A-Za-z0-9+/]+=*/g) ?? []);
  exact(images.length, 1);
  const reader = await startIndependentOcr();
  const text = await reader.read(Buffer.from(images[0] ?? '', 'base64'));
  await reader.close();
  demand(
    text.includes('write') && text.includes('delivery'),
    `The model saw an image with the text ${JSON.stringify(text)}.`,
  );
  demand(!/@|example/.test(text), `The address is still legible in the image: ${JSON.stringify(text)}.`);
}
