import { arabicTraining } from './languages/ar/training.ts';
import { czechTraining } from './languages/cs/training.ts';
import { danishTraining } from './languages/da/training.ts';
import { germanTraining } from './languages/de/training.ts';
import { greekTraining } from './languages/el/training.ts';
import { englishTraining } from './languages/en/training.ts';
import { spanishTraining } from './languages/es/training.ts';
import { estonianTraining } from './languages/et/training.ts';
import { finnishTraining } from './languages/fi/training.ts';
import { frenchTraining } from './languages/fr/training.ts';
import { hebrewTraining } from './languages/he/training.ts';
import { croatianTraining } from './languages/hr/training.ts';
import { hungarianTraining } from './languages/hu/training.ts';
import { icelandicTraining } from './languages/is/training.ts';
import { italianTraining } from './languages/it/training.ts';
import { japaneseTraining } from './languages/ja/training.ts';
import { koreanTraining } from './languages/ko/training.ts';
import { norwegianTraining } from './languages/nb/training.ts';
import { dutchTraining } from './languages/nl/training.ts';
import { polishTraining } from './languages/pl/training.ts';
import { portugueseTraining } from './languages/pt/training.ts';
import { romanianTraining } from './languages/ro/training.ts';
import { slovakTraining } from './languages/sk/training.ts';
import { swedishTraining } from './languages/sv/training.ts';
import { turkishTraining } from './languages/tr/training.ts';
import { chineseTraining } from './languages/zh/training.ts';
import { joined } from './joined.ts';
import type { TrainingLanguage } from './language.ts';

/** All languages with training data, one per line. */
export const trainingLanguages = {
  ar: arabicTraining,
  cs: czechTraining,
  da: danishTraining,
  de: germanTraining,
  el: greekTraining,
  en: englishTraining,
  es: spanishTraining,
  et: estonianTraining,
  fi: finnishTraining,
  fr: frenchTraining,
  he: hebrewTraining,
  hr: croatianTraining,
  hu: hungarianTraining,
  is: icelandicTraining,
  it: italianTraining,
  ja: japaneseTraining,
  ko: koreanTraining,
  nb: norwegianTraining,
  nl: dutchTraining,
  pl: polishTraining,
  pt: portugueseTraining,
  ro: romanianTraining,
  sk: slovakTraining,
  sv: swedishTraining,
  tr: turkishTraining,
  zh: chineseTraining,
};

/**
 * The entries of a list of all languages.
 * @param order order of the languages: see `joined`.
 */
export const ofLanguages = <T>(order: string, listOf: (language: TrainingLanguage) => readonly T[] | undefined): T[] =>
  joined(
    order,
    Object.fromEntries(
      Object.entries<TrainingLanguage>(trainingLanguages).flatMap(([code, language]) => {
        const list = listOf(language);
        return list ? [[code, list]] : [];
      }),
    ),
  );
