/**
 * The lowest probabilities at which finds of the models are reported. They depend on the recall, and on whether the text has
 * another private value.
 */
import type { Recall } from '../contract.ts';
import type { TokenClass } from './tokenNetwork.ts';

/** A class of values that are no names. */
export type FoundClass = Exclude<TokenClass, 'O' | 'PERSON' | 'ADDRESS'>;

/** The least probability of each word of a find, and of all its words on average. */
interface Least {
  readonly word: number;
  readonly mean: number;
}

export interface Thresholds {
  /** As a private person, or as an address with a number. */
  readonly personal: number;
  /** As a place that belongs to a private person, without a number. `contextRules.ts` finds others by the words before them. */
  readonly home: number;
  /**
   * As a private person or their town, if the candidate is a name that everybody knows, has an ordinary word that is no name,
   * or has a digit within a word.
   */
  readonly common: number;
  /** As any other name. */
  readonly any: number;
  /** The same, if the tagger is sure: if the candidate has at least this margin. */
  readonly anyTagged: number;
  readonly margin: number;
  /** Names and addresses that only the network finds. */
  readonly unproposed: Readonly<Record<'PERSON' | 'ADDRESS', Least>>;
  /** Values that the network finds after any label: each word, and the mean by class. */
  readonly value: number;
  readonly values: Readonly<Record<FoundClass, number>>;
}

/**
 * Thresholds for a text with at least one value of a private person, and for any other text. Most texts have no private person,
 * and in those that have one, doubtful names and values are more often private.
 */
export interface TextThresholds {
  readonly alone: Thresholds;
  readonly beside: Thresholds;
}

/** The same mean for all classes. Most dates are no dates of birth. */
const values = (mean: number, birth: number): Thresholds['values'] => ({
  ID: mean,
  USERNAME: mean,
  PASSWORD: mean,
  DATE_OF_BIRTH: birth,
  PHONE_NUMBER: mean,
  LICENSE_PLATE: mean,
});

const names = (person: Least, address: Least): Thresholds['unproposed'] => ({ PERSON: person, ADDRESS: address });

const doubtful = { word: 0.15, mean: 0.25 };
const likely = { word: 0.25, mean: 0.5 };
const sure = { word: 0.5, mean: 0.65 };

export const thresholds: Readonly<Record<Recall, TextThresholds>> = {
  precise: {
    alone: {
      ...{ personal: 0.6, home: 0.7, common: 0.7, any: 0.9, anyTagged: 0.3, margin: 6 },
      ...{ unproposed: names(sure, sure), value: 0.5, values: values(0.7, 0.9) },
    },
    beside: {
      ...{ personal: 0.35, home: 0.7, common: 0.7, any: 0.9, anyTagged: 0.3, margin: 6 },
      ...{ unproposed: names(likely, likely), value: 0.4, values: values(0.5, 0.6) },
    },
  },
  balanced: {
    alone: {
      ...{ personal: 0.3, home: 0.5, common: 0.3, any: 0.85, anyTagged: 0.2, margin: 3 },
      ...{
        unproposed: names({ word: 0.25, mean: 0.55 }, { word: 0.5, mean: 0.5 }),
        value: 0.4,
        values: values(0.6, 0.85),
      },
    },
    beside: {
      ...{ personal: 0.1, home: 0.4, common: 0.2, any: 0.85, anyTagged: 0.2, margin: 3 },
      ...{ unproposed: names(doubtful, { word: 0.2, mean: 0.4 }), value: 0.15, values: values(0.2, 0.2) },
    },
  },
  thorough: {
    alone: {
      ...{ personal: 0.12, home: 0.3, common: 0.15, any: 0.5, anyTagged: 0.05, margin: -1.5 },
      ...{ unproposed: names(doubtful, doubtful), value: 0.25, values: values(0.3, 0.5) },
    },
    beside: {
      ...{ personal: 0.05, home: 0.3, common: 0.15, any: 0.5, anyTagged: 0.05, margin: -1.5 },
      ...{
        unproposed: names({ word: 0.1, mean: 0.2 }, { word: 0.1, mean: 0.2 }),
        value: 0.1,
        values: values(0.15, 0.2),
      },
    },
  },
};
