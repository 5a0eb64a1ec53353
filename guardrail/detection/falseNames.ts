import { unitAt } from '../unitAt.ts';
import type { Span } from './contract.ts';
import { isOffice } from './titles.ts';

/**
 * Acronyms that stand in sentences where names stand: "Ask QA", "HR said". None is a given name in capitals, such as EVA or SAM.
 */
const ACRONYMS: ReadonlySet<string> = new Set(
  [
    // Roles.
    'CDO CEO CFO CHRO CIO CISO CMO COO CPO CRO CSO CTO SVP EVP AVP VP AE BDR CSM CSR DBA EA PM PMO PO QE RN SDE SDET SDR SME SRE SWE TPM',
    // Departments and teams.
    'BI DEV DEVOPS HR HRBP ICT IT L&D MRI NOC OPS PR QA R&D SEC SECOPS SOC UI UX ER ICU',
    // Programs, networks and formats.
    'AI API AWS CD CDN CI CLI CMS CRM CSS CSV DNS ERP GCP GUI HTML IAM IDE IP JSON JWT LAN LLM LMS MAC MFA ML NAT ORM OTP PDF PHP RBAC SDK SIEM SQL SSH SSL SSO TLS VM VPC VPN VPS WAN XML YAML',
    // Numbers of people and things.
    'BIC BSN CPF CNPJ CURP DNI DOB EIN IBAN MRN NHS NIE NIF NIP PESEL RFC SIREN SIRET SSN TIN UTR VIN',
    // Business.
    'B2B B2C BAFA DMV DSGVO EOD ETA FAQ FYI GDPR HMRC IRS KPI MVP NDA OKR OOO POC PTO RFI RFP RFQ RMA ROI SKU SLA SLO SOW TBD TSA VAT WFH',
  ].flatMap((acronyms) => acronyms.split(' ')),
);

/** The length of the longest office. */
const LONGEST = 'Oberbürgermeister'.length;
const LAST_CAPITAL = 0x5a;

/** A word before a name: "Herr DEV". */
const TITLE =
  /(?<![\p{L}\p{N}])(?:mr|mrs|ms|miss|dr|prof|herrn?|frau|señora?|monsieur|madame|signora?|pan[ií]?)\.? $/iu;
/** How far before a name its title may begin, in UTF-16 code units. */
const WIDTH = 16;

const WEEKDAY =
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day$|^(?:Mon|Diens|Donners|Frei|Sams|Sonn)tag$|^Mittwoch$|^Sonnabend$/;
/** A word before a time: "ab Montag". */
const TIME =
  /(?<![\p{L}\p{N}])(?:on|by|until|till|since|from|next|last|this|every|ab|am|bis|seit|vom|von|zum|jeden|diesen|nächsten|kommenden|letzten) $/iu;

/** Members of the family without their names: "seine Mutter (0151 …)". */
const RELATIVE =
  /^(?:Mutter|Vater|Mama|Papa|Oma|Opa|Tante|Onkel|Schwester|Bruder|Tochter|Sohn|Mum|Mom|Mummy|Mommy|Dad|Daddy|Grandma|Grandpa|Mère|Père|Maman|Mamá|Papá|Mamma|Papà|Mãe|Pai)$/u;
const POSSESSIVE =
  /(?<![\p{L}\p{N}])(?:(?:mein|dein|sein|ihr|unser|eu(?:e)?r)(?:e[nmrs]?)?|my|your|his|her|our|their|mon|ma|ton|ta|son|sa|mi|tu|su|la mia|mia|mio|minha|meu) $/iu;

/**
 * Removes persons that are acronyms, days of the week, offices or members of the family. In a line of capitals, acronyms can be names.
 * @param spans those of a text
 */
export function withoutFalseNames(text: string, spans: readonly Span[]): readonly Span[] {
  const isFalse = ({ start, end, type }: Span): boolean => {
    if (type !== 'PERSON' || end - start > LONGEST) return false;
    const before = (): string => text.slice(Math.max(0, start - WIDTH), start);
    // Names have a small letter there. To look a part of a text up in a set takes longer.
    if (unitAt(text, start + 1) > LAST_CAPITAL) {
      const name = text.slice(start, end);
      if (WEEKDAY.test(name)) return TIME.test(before());
      return TITLE.test(before()) ? isOffice(name) : RELATIVE.test(name) && POSSESSIVE.test(before());
    }
    return ACRONYMS.has(text.slice(start, end)) && !TITLE.test(before()) && /\p{Ll}/u.test(lineAround(text, start));
  };
  return spans.some(isFalse) ? spans.filter((span) => !isFalse(span)) : spans;
}

/** How much of a line is read before and behind a place, in UTF-16 code units. */
const LINE = 80;

function lineAround(text: string, at: number): string {
  const start = Math.max(0, at - LINE, text.lastIndexOf('\n', at - 1) + 1);
  const [line = ''] = text.slice(start, at + LINE).split('\n', 1);
  return line;
}
