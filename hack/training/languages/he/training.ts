import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';

export const hebrewTraining = {
  names: {
    given: split(
      'Noam Ariel Eitan Itai Yosef Moshe Avi Yael Tamar Noa Shira Maya Adi Michal Hila Rivka Chaim Shlomo Dov Gil Ronen Orly Liat Nir',
    ),
    family: split(
      'Cohen Levi Mizrahi Peretz Biton Dahan Avraham Friedman Malka Azoulay Katz Yosef David Amar Ohana Hadad Gabay Shapira Rosenberg Golan',
    ),
  },
} satisfies TrainingLanguage;
