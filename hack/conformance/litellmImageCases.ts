/** Cases with an image in which an address stands, beside a text: without a text, LiteLLM shows the guardrail no image. */
import { draw, note } from '../../guardrail/images/testing/drawings.ts';
import { startIndependentOcr } from '../../guardrail/images/testing/independentOcr.ts';
import type { Json, JsonObject } from '../harness/gateway/gateway.ts';
import { CHAT, user } from './chatCases.ts';
import { demand, exact, neverSaw } from './judge.ts';
import type { LiteLlmCase } from './litellm.ts';
import { newPerson, type Person } from './syntheticPerson.ts';

const TEXT = 'What is this?';

/** For each route, the body of a call with a text and an image in base64. */
const ROUTES: Readonly<Record<string, (data: string) => JsonObject>> = {
  [CHAT]: (data) => ({
    messages: [asks('text', { type: 'image_url', image_url: { url: urlOf(data), detail: 'high' } })],
  }),
  '/v1/responses': (data) => ({
    input: [asks('input_text', { type: 'input_image', image_url: urlOf(data), detail: 'auto' })],
  }),
  '/v1/messages': (data) => ({
    max_tokens: 100,
    messages: [asks('text', { type: 'image', source: { type: 'base64', media_type: 'image/png', data } })],
  }),
};

const urlOf = (data: string): string => `data:image/png;base64,${data}`;
const asks = (type: string, image: Json): JsonObject => user([{ type, text: TEXT }, image]);

/** Checks that the model saw exactly one image, and that OCR reads its text without the address. */
async function checkImageWithout({ email }: Person, requests: readonly string[]): Promise<void> {
  neverSaw(requests, [email]);
  const images = requests.flatMap((request) => request.match(/(?<=data:image\/png;base64,)[A-Za-z0-9+/]+=*/g) ?? []);
  exact(images.length, 1);
  const reader = await startIndependentOcr();
  const text = await reader.read(Buffer.from(images[0] ?? '', 'base64'));
  await reader.close();
  const isWhole = text.includes('write') && text.includes('delivery');
  demand(isWhole, `The model saw an image with the text ${JSON.stringify(text)}.`);
  demand(!/@|example/.test(text), `The address is still legible in the image: ${JSON.stringify(text)}.`);
}

export const IMAGE_CASES: readonly LiteLlmCase[] = Object.entries(ROUTES).map(([path, bodyOf]) => ({
  name: `${path}, an image with an address in it`,
  run: async ({ client, model }) => {
    const person = newPerson();
    const picture = draw(note(`Please write to ${person.email} about the delivery`));
    const data = (await picture.png().toBuffer()).toString('base64');
    await client.post(path, { model: 'echo-c7', ...bodyOf(data) });
    await checkImageWithout(person, model.saw());
  },
}));
