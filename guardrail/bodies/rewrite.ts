/** Writes changed texts back to where they stand. */
import type { Edit } from './json/edits.ts';
import { inSquareBrackets } from './text.ts';
import type { BodyContent, LogprobsPlace, Place } from './walk.ts';

/** @returns the edits of the places whose text changed. @param texts the text of each place, in order */
export function editsOf(places: readonly Place[], texts: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  for (const [at, place] of places.entries()) {
    const text = texts[at] ?? place.text;
    if (text !== place.text) edits.push({ start: place.start, end: place.end, text: written(place, text) });
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

/** Drops the tokens of texts that changed: they spell pseudonyms. */
export function logprobsEdits({ logprobs }: Pick<BodyContent, 'logprobs'>, changed: readonly Edit[]): Edit[] {
  const isChanged = ({ scope }: LogprobsPlace): boolean =>
    changed.some(({ start, end }) => start >= scope.start && end <= scope.end);
  return logprobs
    .filter((place) => place.node.kind !== 'scalar' && isChanged(place))
    .map(({ node: { start, end, kind } }) => ({ start, end, text: kind === 'array' ? '[]' : 'null' }));
}
