/** Words that stand where names stand, and are none. */

const wordsOf = (lines: readonly string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(' ')));

/**
 * Acronyms that stand in sentences where names stand: "Ask QA", "HR said". No frequent given name in capitals, such as EVA or SAM. Some
 * are rare ones (NAT, MAC), so none is removed after the label of a person.
 */
export const ACRONYMS = wordsOf([
  // Roles.
  'CDO CEO CFO CHRO CIO CISO CMO COO CPO CRO CSO CTO SVP EVP AVP VP AE BDR CSM CSR DBA EA PM PMO PO QE RN SDE SDET SDR SME SRE SWE TPM',
  // Departments and teams.
  'BI DEV DEVOPS HR HRBP ICT IT L&D MRI NOC OPS PR QA R&D SEC SECOPS SOC UI UX ER ICU',
  // Programs, networks and formats.
  'AI API AWS CD CDN CI CLI CMS CRM CSS CSV DNS ERP GCP GUI HTML IAM IDE IP JSON JWT LAN LLM LMS MAC MFA ML NAT ORM OTP PDF PHP RBAC SDK SIEM SQL SSH SSL SSO TLS VM VPC VPN VPS WAN XML YAML',
  // Numbers of people and things.
  'BIC BSN CPF CNPJ CURP DNI DOB EIN IBAN ITIN MRN NHS NIE NIF NIP NIR PESEL RFC SIREN SIRET SSN TIN UTR VIN',
  // Business.
  'B2B B2C BAFA DMV DSGVO EOD ETA FAQ FYI GDPR HMRC IRS KPI MVP NDA OKR OOO POC PTO RFI RFP RFQ RMA ROI SKU SLA SLO SOW TBD TSA VAT WFH WOZ',
  // Medicine.
  'ADHD BMI CABG CBC CHF CKD COPD CT CVA DVT ECG EEG EKG GERD HTN IBS KHK LDL MRT OCD PCOS PTSD STEMI TIA UTI VHF',
]);

/** Words for people in proceedings and offices, other nouns with a capital, and the first words of sentences in Russian. */
export const COMMON_WORD =
  /^(?:Angeklagter?|addy|Beklagter?|Beschuldigter?|Bewerber(?:in)?|Care|Case|Chefin|Dr|Dyspnoe|Madam|Sir|Mrs?|Ms|Prof|Kennz|(?:Auftrags|Bestell|Kunden|Mitglieds|Rechnungs|Versicherungs|Vertrags)(?:nr|nummer)|Geschädigter?|Kläger(?:in)?|Kundin|Lehrer(?:in)?|nir|vitale|Mandant(?:in)?|Mieter(?:in)?|Min (?:man|fru|mamma|pappa|son|dotter|bror|syster)|Patient(?:in)?|Sick|Vermieter(?:in)?|Zeug(?:e|in)|Адрес|адрес|Меня|Мне|Мо[йяёи]|Паспорт|паспорт|Почта|почта|Телефон|телефон|Уважаем(?:ый|ая)|Здравствуйте|Привет|Vážen[áéíý]|Szanown[aiy])$/u;

export const WEEKDAY =
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day$|^(?:Mon|Diens|Donners|Frei|Sams|Sonn)tag$|^Mittwoch$|^Sonnabend$/;
/** A word before a time: "ab Montag". */
export const TIME =
  /(?<=(?<![\p{L}\p{N}])(?:[oO]n|[bB]y|[uU]ntil|[tT]ill|[sS]ince|[fF]rom|[nN]ext|[lL]ast|[tT]his|[eE]very|[aA]b|[aA]m|[bB]is|[sS]eit|[vV]om|[vV]on|[zZ]um|[jJ]eden|[dD]iesen|[nN]ächsten|[kK]ommenden|[lL]etzten) )/uy;
