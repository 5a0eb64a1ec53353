import type { EntityType } from '../detection/detection.ts';
import { Recent } from '../recent.ts';

/** The type in a pseudonym: `PERSON` in `<PERSON_K7Q2RTM4>`. Part of the grammar. */
export type Label = string;

/** Label of types outside the vocabulary. */
const OTHER: Label = 'ENTITY';
/** Label of client text that looks like a pseudonym. */
export const LITERAL: Label = 'LITERAL';

/** Longer names are cut. With {@link MAX_WORDS}, this bounds the length of a pseudonym and therefore the holdback. */
const MAX_LENGTH = 32;
const MAX_WORDS = 5;
/** Types whose labels are remembered. Presidio and recognizers have a few dozen. */
const MAX_REMEMBERED = 500;

const KNOWN: readonly Label[] = [
  LITERAL,
  OTHER,
  ...[
    'ADDRESS AGE API_KEY BANK_ACCOUNT COORDINATE CREDIT_CARD CREDIT_CARD_EXPIRATION CRYPTO CVV DATE DATE_OF_BIRTH',
    'DATE_TIME DOMAIN_NAME EMAIL EMAIL_ADDRESS FACILITY GENDER GPE IBAN IBAN_CODE ID IMEI IP_ADDRESS JWT LANGUAGE',
    'LICENSE_PLATE LOCATION MAC_ADDRESS MEDICAL_CONDITION MEDICAL_LICENSE MEDICAL_RECORD NATIONALITY NRP ORGANIZATION',
    'PASSPORT PASSWORD PERSON PHONE_NUMBER PRIVATE_KEY PROFESSION SECRET SWIFT_CODE TAX_ID TITLE URL USERNAME VAT_NUMBER',
    'VIN ZIP_CODE',
    'AT_SVNR AU_ABN AU_ACN AU_MEDICARE AU_TFN BE_NATIONAL_NUMBER BG_EGN BR_CNPJ BR_CPF CA_SIN CH_AHV CL_RUT',
    'CZ_RODNE_CISLO DE_ID_CARD DE_PASSPORT DE_SOCIAL_SECURITY DE_TAX_ID DK_CPR EE_LT_PERSONAL_CODE ES_NIE ES_NIF',
    'FI_PERSONAL_IDENTITY_CODE FR_NIR GR_AMKA HR_OIB IE_PPS IL_ID IN_AADHAAR IN_GSTIN IN_PAN IN_PASSPORT',
    'IN_VEHICLE_REGISTRATION IN_VOTER IT_DRIVER_LICENSE IT_FISCAL_CODE IT_IDENTITY_CARD IT_PASSPORT IT_VAT_CODE',
    'KR_BRN KR_DRIVER_LICENSE KR_FRN KR_PASSPORT KR_RRN MX_CURP MX_RFC NG_NIN NL_BSN NO_FODSELSNUMMER PL_PESEL PT_NIF',
    'RO_CNP SE_PERSONNUMMER SG_NRIC_FIN SG_UEN TH_TNIN TR_NATIONAL_ID UK_NHS UK_NINO UK_PASSPORT US_BANK_NUMBER',
    'US_DRIVER_LICENSE US_ITIN US_MBI US_NPI US_PASSPORT US_SSN ZA_ID',
  ].flatMap((line) => line.split(' ')),
];

/** The types that the built-in detector and Presidio find, also those that have no label because they identify nobody. */
export const knownTypes: ReadonlySet<EntityType> = new Set([
  ...KNOWN.filter((label) => label !== LITERAL && label !== OTHER),
  ...['PUBLIC_PERSON', 'PUBLIC_URL'],
]);

/**
 * The labels that a guard writes and recognizes. The set is closed for two reasons: `(step AB12CDEF)` and
 * `[commit 3fa4c21b]` are not read as pseudonyms, and a stream holds text back only where a label can begin.
 */
export interface LabelSet {
  readonly labels: readonly Label[];
  readonly labelOf: (type: EntityType) => Label;
}

export function createLabelSet(customTypes: readonly EntityType[]): LabelSet {
  const labels = new Set([...KNOWN, ...customTypes.map(labelOfType)]);
  const known = new Recent<Label>(MAX_REMEMBERED);
  return {
    labels: [...labels],
    labelOf: (type) => {
      const before = known.get(type);
      if (before !== undefined) return before;
      const own = labelOfType(type);
      const label = labels.has(own) ? own : OTHER;
      known.set(type, label);
      return label;
    },
  };
}

/**
 * Tells which pseudonyms may be restored for a reader who may see only some types.
 * @param types undefined: all
 */
export function showing(types: ReadonlySet<string> | undefined): (label: Label) => boolean {
  // Text of the client itself.
  return (label) => types === undefined || label === LITERAL || types.has(label);
}

/**
 * The label of a type in a vocabulary that contains it, in upper snake case and ASCII: `Employee-ID (DE)` becomes
 * `EMPLOYEE_ID_DE`. Several types can have the same label.
 */
export function labelOfType(type: EntityType): Label {
  const words = type
    .slice(0, 4 * MAX_LENGTH)
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '');
  const label = words.slice(0, MAX_WORDS).join('_').slice(0, MAX_LENGTH).replace(/_+$/, '');
  return /^[A-Z]/.test(label) ? label : OTHER;
}
