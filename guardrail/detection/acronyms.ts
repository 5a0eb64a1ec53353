import type { Span } from './contract.ts';

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
    'BIC BSN CPF CNPJ CURP DNI DOB EIN IBAN MRN NHS NIE NIF NIP PESEL RFC SSN TIN UTR VIN',
    // Business.
    'B2B B2C BAFA DMV DSGVO EOD ETA FAQ FYI GDPR HMRC IRS KPI MVP NDA OKR OOO POC PTO RFI RFP RFQ RMA ROI SKU SLA SLO SOW TBD TSA VAT WFH',
  ].flatMap((acronyms) => acronyms.split(' ')),
);

/** A word before a name: "Herr DEV". */
const TITLE =
  /(?<![\p{L}\p{N}])(?:mr|mrs|ms|miss|dr|prof|herrn?|frau|señora?|monsieur|madame|signora?|pan[ií]?)\.? $/iu;
/** How far before a name its title may begin, in UTF-16 code units. */
const WIDTH = 16;

/**
 * Removes persons that are acronyms. In a line of capitals, they can be names.
 * @param spans those of a text
 */
export function withoutAcronyms(text: string, spans: readonly Span[]): readonly Span[] {
  const isAcronym = ({ start, end, type }: Span): boolean =>
    type === 'PERSON' &&
    ACRONYMS.has(text.slice(start, end)) &&
    !TITLE.test(text.slice(Math.max(0, start - WIDTH), start)) &&
    /\p{Ll}/u.test(lineAround(text, start));
  return spans.some(isAcronym) ? spans.filter((span) => !isAcronym(span)) : spans;
}

/** How much of a line is read before and behind a place, in UTF-16 code units. */
const LINE = 80;

function lineAround(text: string, at: number): string {
  const [before = ''] = text
    .slice(Math.max(0, at - LINE), at)
    .split('\n')
    .slice(-1);
  const [behind = ''] = text.slice(at, at + LINE).split('\n', 1);
  return before + behind;
}
