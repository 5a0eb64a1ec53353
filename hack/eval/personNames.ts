import type { EvalText } from './score.ts';

/** The names of persons that are labelled in texts. */
export const personNamesIn = (texts: readonly EvalText[]): string[] =>
  texts.flatMap(({ text, spans }) =>
    spans.filter(({ type }) => type === 'PERSON').map(({ start, end }) => Array.from(text).slice(start, end).join('')),
  );
