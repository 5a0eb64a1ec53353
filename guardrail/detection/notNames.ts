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

/** "Head of Procurement" */
export const HEAD_OF = /^(?:Chair|Chief|Dean|Director|Head|Manager|Minister|Secretary|VP) of \p{Lu}/u;

/** Members of the family without their names: "seine Mutter (0151 …)". Some are family names where no word for the owner is before. */
export const RELATIVE =
  /^(?:Mutter|Vater|Mama|Papa|Oma|Opa|Tante|Onkel|Schwester|Bruder|Tochter|Sohn|Mum|Mom|Mummy|Mommy|Dad|Daddy|Grandma|Grandpa|Mère|Père|Maman|Mamá|Papá|Mamma|Papà|Mãe|Pai)$/u;
/** A relative before the own name, behind a word for the owner: "mein Mann Stefan". */
export const RELATIVE_BEFORE =
  /^(?:Mann|Frau|Ehemann|Ehefrau|Partner(?:in)?|Freund(?:in)?|Mutter|Vater|Mama|Papa|Schwester|Bruder|Tochter|Sohn|Neffe|Nichte|Enkel(?:in)?) (?=\p{Lu})/u;
/** What is no part of the name behind it: "Gruß, S. Bäcker". */
export const BEFORE_NAME =
  /^(?:Gruß|Grüße|Kinderarzt|Kinderärztin|Hausarzt|Hausärztin|Zahnarzt|Zahnärztin|Halter(?:in)?|Zákazn(?:ík|ice)),? (?=\p{Lu})/u;
/** The end of "i. A." or "i. V." before a name: this person signs on behalf of another. */
export const ON_BEHALF = /[AV](?<=(?<!\p{L})i\. ?[AV])\. (?=\p{Lu})/uy;
/** A unit behind a number: "(4 J.)". */
export const UNIT = /(?<=\d ?)\p{Lu}\.?(?!\p{L})/uy;
export const POSSESSIVE =
  /(?<=(?<![\p{L}\p{N}])(?:(?:[mM]ein|[dD]ein|[sS]ein|[iI]hr|[uU]nser|[eE]ue?r)(?:e[nmrs]?)?|[mM]y|[yY]our|[hH]is|[hH]er|[oO]ur|[tT]heir|[mM]on|[mM]a|[tT]on|[tT]a|[sS]on|[sS]a|[mM]i|[tT]u|[sS]u|[mM]i[ao]|[mM]inha|[mM]eu) )/uy;

export const WEEKDAY =
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day$|^(?:Mon|Diens|Donners|Frei|Sams|Sonn)tag$|^Mittwoch$|^Sonnabend$/;
/** A word before a time: "ab Montag". */
export const TIME =
  /(?<=(?<![\p{L}\p{N}])(?:[oO]n|[bB]y|[uU]ntil|[tT]ill|[sS]ince|[fF]rom|[nN]ext|[lL]ast|[tT]his|[eE]very|[aA]b|[aA]m|[bB]is|[sS]eit|[vV]om|[vV]on|[zZ]um|[jJ]eden|[dD]iesen|[nN]ächsten|[kK]ommenden|[lL]etzten) )/uy;
