/**
 * The rules by which detection decides. A rule has one id, and each span has the id of the rule that decided its type. Recognizers
 * name their own; the others stand here. An id is made of the program or of a policy, never of the text of a call.
 */
import type { EntityType, RuleId } from './contract.ts';
import type { NameType } from './ner/entityClasses.ts';
import type { ValueClass } from './ner/tokenNetwork.ts';

/** The rule of what the model decides, by its class. */
export const modelRules: Readonly<Record<NameType, RuleId>> = {
  PERSON: 'model.person',
  PUBLIC_PERSON: 'model.publicPerson',
  ADDRESS: 'model.address',
  LOCATION: 'model.location',
  ORGANIZATION: 'model.organization',
};

/** The rule of a name that only the network finds, by its type. */
export const networkRules = { PERSON: 'network.person', ADDRESS: 'network.address' } as const;

/** The rule of a value that the network finds behind any label, by its class. */
export const valueRules: Readonly<Record<Exclude<ValueClass, 'O'>, RuleId>> = {
  ID: 'value.id',
  USERNAME: 'value.username',
  PASSWORD: 'value.password',
  DATE_OF_BIRTH: 'value.dateOfBirth',
  PHONE_NUMBER: 'value.phone',
  LICENSE_PLATE: 'value.plate',
};

/** The rules that find names by the words around them, or decide what a find is by other finds. */
const contextRules: readonly RuleId[] = [
  'titledWord',
  'accountName',
  'handle',
  'familyName',
  'introduction',
  'home',
  'dwelling',
  'dwelling.district',
  'address.joined',
  'personalUrl',
  'namesake',
  'repetition',
  'identifier',
];

/** The rules of values that a policy or another detector names. Their ids go on after a colon. */
const openRules = ['deny-list', 'custom', 'presidio'] as const;

export const denyRule = (type: EntityType): RuleId => `deny-list:${type}`;
export const customRule = (recognizer: string): RuleId => `custom:${recognizer}`;
export const presidioRule = (recognizer: string): RuleId => `presidio:${recognizer}`;

/** The rules of the program that are no recognizers: see `recognizedRules`. */
export const rulesOfNames: readonly RuleId[] = [
  ...Object.values(modelRules),
  ...Object.values(networkRules),
  ...Object.values(valueRules),
  ...contextRules,
];

/** The id of a rule without what a policy or a server names: one of about a hundred. For metrics. */
export const boundedRule = (rule: RuleId): RuleId => openRules.find((open) => rule.startsWith(`${open}:`)) ?? rule;
