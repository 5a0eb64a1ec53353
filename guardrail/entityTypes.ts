/** The entity types of the program. Policies name them, reports show them, and pseudonyms have labels of them. */

/** The types that the built-in detector and Presidio find, and that a pseudonym can have. */
export const labelledTypes: readonly string[] = [
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

/** Types of values that identify no private person. Such a value has the pseudonym of the other type. */
const generalTypes: ReadonlyMap<string, string> = new Map([
  ['PUBLIC_PERSON', 'PERSON'],
  ['PUBLIC_URL', 'URL'],
]);

/** All types that the built-in detector and Presidio find. */
export const knownTypes: ReadonlySet<string> = new Set([...labelledTypes, ...generalTypes.keys()]);

/**
 * The type of a value, public or not: `PERSON` for `PUBLIC_PERSON`, `URL` for `PUBLIC_URL`, and otherwise the type itself. A
 * value has one pseudonym, whether or not it is public, and a rule for the general type applies to both.
 */
export const generalTypeOf = (type: string): string => generalTypes.get(type) ?? type;
