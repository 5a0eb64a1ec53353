import { before, numeric, type Recognizer } from '../recognizer.ts';

const months =
  'jan(?:uary|uar|vier|uari)?|feb(?:ruary|ruar|ruari)?|f[ée]v(?:rier)?|mar(?:ch|s|zo)?|märz|maart|apr(?:il|ile)?|avr(?:il)?|abril|may|mai|mayo|maggio|mei|maj|june?|juni?|juin|junio|giugno|july?|juli?|juillet|julio|luglio|aug(?:ust|ustus|usti)?|août|agosto|sep(?:t(?:ember|embre|iembre)?)?|settembre|okt(?:ober)?|oct(?:ober|obre|ubre)?|ottobre|nov(?:ember|embre|iembre)?|de[cz](?:ember|embre)?|d[ée]cembre|diciembre|dicembre|gennaio|enero|febbraio|febrero';

const born =
  /(?:\bdob\b|d\.o\.b|\bborn\b|birth ?da(?:te|y)|date of birth|\bbday\b|geb(?:oren|urtsdatum|\.)|geburtstag|n[ée]e? le|naissance|naci(?:ó|do|da|miento)|nat[oa] (?:il|a)|nascita|geboorte|född|birth)[^\n]{0,28}$/;

/** Dates of birth: a date is only personal where a word says that somebody was born on it. */
const birth = numeric({
  type: 'DATE_OF_BIRTH',
  pattern: new RegExp(
    `(?<![\\p{L}\\p{N}])(?:\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}|\\d{1,2}[-/. ]{1,2}\\d{1,2}[-/. ]{1,2}(?:\\d{4}|\\d{2})|\\d{1,2}(?:st|nd|rd|th|er|\\.|º)?(?: of| de| di)? (?:${months})\\.?,? (?:de |del )?\\d{4}|(?:${months})\\.? \\d{1,2}(?:st|nd|rd|th)?,? \\d{4})(?![\\p{L}\\p{N}])`,
    'giu',
  ),
  worthwhile: (hints) => hints.digits >= 4,
  score: (_value, { text, start }) => (born.test(before(text, start)) ? 0.9 : 0),
});

export const births: readonly Recognizer[] = [birth];
