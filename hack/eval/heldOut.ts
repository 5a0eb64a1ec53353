import { heldOutTexts } from '../training/heldOut/heldOut.ts';
import { toCodePoints } from '../../guardrail/detection/text/codePoints.ts';
import type { EvalText } from './score.ts';

/** Types that are labelled in the held-out set. Other values in it, such as phone numbers, are not scored. */
export const heldOutTypes: ReadonlySet<string> = new Set(['PERSON', 'LOCATION', 'ORGANIZATION']);

export interface HeldOutEvalText extends EvalText {
  readonly language: string;
}

/** The held-out set of the training, for the whole detector. */
export const heldOutSet = (): HeldOutEvalText[] =>
  heldOutTexts().map(({ id, language, text, spans }) => {
    const at = toCodePoints(text);
    return {
      id,
      language,
      text,
      spans: spans.map(({ start, end, kind }) => ({ start: at(start), end: at(end), type: kind })),
    };
  });
