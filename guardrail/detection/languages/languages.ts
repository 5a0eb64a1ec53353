import { czech } from './cs/cs.ts';
import { danish } from './da/da.ts';
import { german } from './de/de.ts';
import { greek } from './el/el.ts';
import { english } from './en/en.ts';
import { spanish } from './es/es.ts';
import { finnish } from './fi/fi.ts';
import { french } from './fr/fr.ts';
import { hebrew } from './he/he.ts';
import { hindi } from './hi/hi.ts';
import { croatian } from './hr/hr.ts';
import { hungarian } from './hu/hu.ts';
import { indonesian } from './id/id.ts';
import { italian } from './it/it.ts';
import { japanese } from './ja/ja.ts';
import { korean } from './ko/ko.ts';
import { norwegian } from './nb/nb.ts';
import { dutch } from './nl/nl.ts';
import { polish } from './pl/pl.ts';
import { portuguese } from './pt/pt.ts';
import { romanian } from './ro/ro.ts';
import { russian } from './ru/ru.ts';
import { slovak } from './sk/sk.ts';
import { slovenian } from './sl/sl.ts';
import { swedish } from './sv/sv.ts';
import { thai } from './th/th.ts';
import { turkish } from './tr/tr.ts';
import { ukrainian } from './uk/uk.ts';
import { vietnamese } from './vi/vi.ts';
import { chinese } from './zh/zh.ts';
import { alternativesOf } from '../text/alternatives.ts';
import type { ContextWords, Language, LanguageKeywords, PlanCountry } from './language.ts';

/** All languages that recognizers support, one per line. To add one: docs/detection.md#add-a-language. */
export const languages: readonly Language[] = [
  czech,
  danish,
  german,
  greek,
  english,
  spanish,
  finnish,
  french,
  hebrew,
  hindi,
  croatian,
  hungarian,
  indonesian,
  italian,
  japanese,
  korean,
  norwegian,
  dutch,
  polish,
  portuguese,
  romanian,
  russian,
  slovak,
  slovenian,
  swedish,
  thai,
  turkish,
  ukrainian,
  vietnamese,
  chinese,
];

/**
 * The context words of all languages for one purpose, as alternatives of a regular expression. Each occurs once: a pattern would
 * search behind a word as often as it has the word.
 */
export const contextWords = (purpose: keyof ContextWords): string =>
  [...new Set(languages.flatMap(({ context }) => alternativesOf(context?.[purpose] ?? '')))]
    .filter((word) => word !== '')
    .join('|');

/** The keywords of all languages in one list. */
export const keywordsOf = (list: LanguageKeywords): readonly string[] => [
  ...new Set(languages.flatMap(({ keywords }) => keywords?.[list]?.split('|') ?? [])),
];

/** Numbering plans that the phone recognizer checks. */
export interface PhonePlans {
  /** National numbers begin with a zero, or have an unmistakable pattern. */
  readonly withZero: readonly PlanCountry[];
  readonly withoutZero: readonly PlanCountry[];
}

/** @param expected ISO 639-1 codes of the languages in `GUARDRAIL_LANGUAGES`. */
export function phonePlans(expected: readonly string[]): PhonePlans {
  const plans = languages.flatMap(({ codes, phonePlans }) =>
    phonePlans ? { ...phonePlans, isExpected: codes.some((code) => expected.includes(code)) } : [],
  );
  return {
    withZero: plans.flatMap(({ always = [], expectedWithZero = [], isExpected }) =>
      isExpected ? [...always, ...expectedWithZero] : always,
    ),
    withoutZero: plans.flatMap(({ expected: countries = [], isExpected }) => (isExpected ? countries : [])),
  };
}
