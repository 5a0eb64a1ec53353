import { generalTypeOf, type EntityType } from '../detection/detection.ts';

/** The names of entity types in plain English. */
const NAMES: Partial<Record<EntityType, string>> = {
  PERSON: 'names of people',
  LOCATION: 'places',
  ADDRESS: 'postal addresses',
  ORGANIZATION: 'names of organisations',
  EMAIL_ADDRESS: 'e-mail addresses',
  PHONE_NUMBER: 'phone numbers',
  CREDIT_CARD: 'credit card numbers',
  CREDIT_CARD_EXPIRATION: 'expiry dates of credit cards',
  CVV: 'verification codes of credit cards',
  COORDINATE: 'geographic coordinates',
  IBAN_CODE: 'bank account numbers (IBAN)',
  US_SSN: 'US social security numbers',
  IP_ADDRESS: 'IP addresses',
  URL: 'web addresses',
  API_KEY: 'API keys',
  PASSWORD: 'passwords',
  DATE_OF_BIRTH: 'dates of birth',
  DATE_TIME: 'dates',
  CRYPTO: 'cryptocurrency addresses',
  NRP: 'nationality, religion or political affiliation',
};

/** The reason that the user sees when the policy blocks a request. Names kinds of data, never a value. */
export function blockedReasonFor(types: readonly EntityType[]): string {
  const general = [...new Set(types.map(generalTypeOf))];
  const names = general.map((type) => NAMES[type] ?? `data of the type ${type.slice(0, 64)}`);
  const last = names.at(-1) ?? 'data';
  const list = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${last}` : last;
  return `Your request was blocked because it contains ${list}. Remove this data and try again.`;
}
