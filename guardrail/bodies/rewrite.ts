/** Writes changed texts back to where they stand. */
import { createStepCounter, type Steps } from '../eventLoop.ts';
import type { Edit } from './json/edits.ts';
import { hasNodeWithin } from './json/within.ts';
import { inSquareBrackets } from './text.ts';
import type { BodyContent, Place } from './walk.ts';

/**
 * Makes the edits of the places whose text changed, in steps.
 * @param places in the order of the document
 * @param texts the text of each place
 * @returns in the order of the document
 */
export function* editingPlaces(places: readonly Place[], texts: readonly string[]): Steps<Edit[]> {
  const isStep = createStepCounter();
  const edits: Edit[] = [];
  for (const [at, place] of places.entries()) {
    const text = texts[at] ?? place.text;
    if (text !== place.text) edits.push({ start: place.start, end: place.end, text: written(place, text) });
    if (isStep(0)) yield;
  }
  return edits;
}

function written({ form }: Place, text: string): string {
  switch (form) {
    case 'string':
      return JSON.stringify(text);
    case 'name':
      return JSON.stringify(inSquareBrackets(text));
    case 'json':
      return text;
    case 'member':
      return text.slice(1, -1);
  }
}

/** Drops the tokens of texts that changed: they spell pseudonyms. @param changed in the order of the document */
export function logprobsEdits({ logprobs }: Pick<BodyContent, 'logprobs'>, changed: readonly Edit[]): Edit[] {
  return logprobs
    .filter(({ node, scope }) => node.kind !== 'scalar' && hasNodeWithin(changed, scope))
    .map(({ node: { start, end, kind } }) => ({ start, end, text: kind === 'array' ? '[]' : 'null' }));
}
