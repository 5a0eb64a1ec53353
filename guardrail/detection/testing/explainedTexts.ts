/** Texts, a value of each, and what decides about it. */
export interface ExplainedText {
  readonly text: string;
  readonly value: string;
  /** The rule that finds it. Undefined: it is not found. */
  readonly rule?: string;
  /** A rule that proposes it, and what drops its candidate. Undefined: there is none. */
  readonly dropped?: readonly [rule: string, by: string];
  /** The word that counted. */
  readonly word?: string;
}

/** The policy for the texts. */
export const EXPLAINED_POLICY = `
allow: [{ value: kim@allowed.example }]
deny: [aurora]
entities: { IP_ADDRESS: { action: ignore }, IBAN_CODE: { threshold: 0.9 } }
recognizers: [{ name: ticket, type: TICKET, pattern: 'T-[0-9]+', score: 0.9 }]
`;

const finds: readonly (readonly [text: string, value: string, rule: string, word?: string])[] = [
  ['Refund to DE89 3704 0044 0532 0130 00, please.', 'DE89 3704 0044 0532 0130 00', 'iban'],
  ['Charge 4111 1111 1111 1111 today.', '4111 1111 1111 1111', 'card'],
  ['Card number 4111 1111 1111 1112', '4111 1111 1111 1112', 'card.label', 'Card'],
  ['CVV: 737, and nothing else on the card', '737', 'card.code', 'CVV'],
  ['Write to kim.parker@example.org.', 'kim.parker@example.org', 'email'],
  ['Reach me: kim(at)example.org', 'kim(at)example.org', 'email.spelled'],
  ['Reach me: kim at example dot org', 'kim at example dot org', 'email.spoken'],
  ['Ring +44 20 7946 0958 after six.', '+44 20 7946 0958', 'phone.form'],
  ['Telephone: 5551234567', '5551234567', 'phone.label', 'Telephone'],
  ['Ruf 0151 23456789 an', '0151 23456789', 'phone.plan'],
  ['Device 3c:22:fb:10:9a:5e joined.', '3c:22:fb:10:9a:5e', 'mac'],
  ['postgres://kim:s3cr3tpw@db.internal/prod', 'postgres://kim:s3cr3tpw@db.internal/prod', 'url.credential'],
  ['db_password = Tr0ub4dor&3', 'Tr0ub4dor&3', 'secret.assigned', 'db_password'],
  ['Use sk-proj-a8Kd93jLq02mXz7PwT51vB now', 'sk-proj-a8Kd93jLq02mXz7PwT51vB', 'secret.key'],
  ['curl -u kim:Tr0ub4dor3 https://intra.example.net/', 'kim:Tr0ub4dor3', 'secret.login'],
  ['SSN 536-22-1234', '536-22-1234', 'nationalId.word', 'SSN'],
  ['BSN 111222333', '111222333', 'nationalId.word', 'BSN'],
  ['born on 12 March 1981 in the north', '12 March 1981', 'birth.date', 'born'],
  ['Passport no. C01X00T47', 'C01X00T47', 'document', 'Passport'],
  ['booking code: X7K2QP', 'X7K2QP', 'document.booking', 'booking'],
  ['GPS 52.51631, 13.37770', '52.51631, 13.37770', 'coordinate'],
  ['VIN 1HGCM82633A004352', '1HGCM82633A004352', 'vin', 'VIN'],
  ['license plate: AB12 CDE', 'AB12 CDE', 'plate.label', 'plate'],
  ['username: kparker_7', 'kparker_7', 'username.label', 'username'],
  ['Accepted password for kparker from 203.0.113.9 port 22', 'kparker', 'username.systemLog', 'Accepted'],
  ['Thanks @kparker_7 for the fix', 'kparker_7', 'username.handle'],
  ['{"first_name": "Case", "city": "Rome"}', 'Case', 'name.field', 'first_name'],
  ['name;birth date;phone\nMia Kern;1981-03-12;0301234567', '1981-03-12', 'column', 'birth'],
  ['name;birth date;phone\nMia Kern;1981-03-12;0301234567', '0301234567', 'column', 'phone'],
  ['postal code: 10115', '10115', 'address.postalCode', 'postal'],
  ['five five five zero one four three nine', 'five five five zero one four three nine', 'spokenNumber'],
  ['PID|1||4471^^^HOSP^MR||DUARTE^MARISOL||19840212', '4471', 'record.hl7', 'PID'],
  ['Please ask Margaret Whitfield about it.', 'Margaret Whitfield', 'model.person'],
  ['Frau Stein kommt morgen.', 'Stein', 'model.person', 'Frau'],
  ['Thanks to Tom Keller. Later, Tom wrote again.', 'Tom Keller', 'model.person'],
  ['Margaret Whitfield wrote. MARGARET WHITFIELD ended.', 'MARGARET WHITFIELD', 'model.person'],
  ['Ticket T-4711 is open.', 'T-4711', 'custom:ticket'],
  ['projekt aurora is late', 'aurora', 'deny-list:DENIED'],
];

const misses: readonly (readonly [text: string, value: string, rule?: string, by?: string])[] = [
  ['IBAN: DE89 3704 0044 0532 0130 01', 'DE89 3704 0044 0532 0130 01', 'iban.label', 'policyThreshold'],
  ['Server 203.0.113.77 is down.', '203.0.113.77', 'ip.v4', 'ignored'],
  ['Write to kim@allowed.example.', 'kim@allowed.example', 'email', 'allowList'],
  ['The weather in Lisbon is fine.', 'Lisbon', 'model.location', 'profile'],
  ['Siemens pays on time.', 'Siemens', 'model.organization', 'profile'],
  ['Albert Einstein was a physicist.', 'Albert Einstein', 'model.publicPerson', 'profile'],
  ['{"isin": "missing"}', 'isin', 'model.person', 'structure'],
  ['We meet on Monday at the office.', 'Monday', 'model.person', 'modelThreshold'],
  ['Please ask NAT about it.', 'NAT', 'model.person', 'falseName'],
  ['In May 2024 we sold more.', 'May', 'model.publicPerson', 'month'],
  ['ChatGPT is slow today.', 'ChatGPT', 'model.organization', 'product'],
  ['postgres://kim:s3cr3tpw@db.internal/prod', 's3cr3tpw@db.internal', 'email', 'overlap'],
  ['curl -u kim:Tr0ub4dor3 https://intra.example.net/', 'kim', 'model.person', 'overlap'],
  ['Is it the Dawn of us? We dawn so. Please ask Dawn Whitfield about it.', 'Dawn', 'repetition', 'ordinaryWord'],
  ['Build 4111 1111 1111 1112', '4111 1111 1111 1112'],
  ['Version 12.4.1 is out.', '12.4.1'],
  ['the quick brown fox', 'fox'],
];

export const explainedTexts: readonly ExplainedText[] = [
  {
    ...{ text: 'Signed-off-by: Kim Parker <kim@example.org>', value: 'Kim Parker', rule: 'model.person' },
    dropped: ['name.mailbox', 'overlap'],
  },
  ...finds.map(([text, value, rule, word]) => ({ text, value, rule, ...(word !== undefined && { word }) })),
  ...misses.map(([text, value, rule, by]) => ({
    ...{ text, value },
    ...(rule !== undefined && by !== undefined && { dropped: [rule, by] as const }),
  })),
];
