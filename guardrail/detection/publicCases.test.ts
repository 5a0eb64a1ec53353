import { expect } from 'chai';
import { createAnalyzer } from './analyzer.ts';
import { createBuiltinDetector } from './builtinDetector.ts';

/**
 * Short inputs of kinds that users of gateways report. What stands in ⟦⟧ must be hidden, as one value each, and all other
 * characters must stay. All values are invented.
 */
const kinds: Readonly<Record<string, readonly string[]>> = {
  'phone numbers as values of parameters and variables': [
    'tel=⟦415-555-0142⟧',
    'PHONE=⟦415-555-0142⟧',
    'From=⟦%2B14155550142⟧&To=⟦%2B14155550143⟧&Body=Hi',
    'tel=⟦06 39 98 41 27⟧',
    'tel=⟦020 7946 0018⟧',
    'HOME_PHONE=⟦212-555-0187⟧',
    '?id=7&mobile=⟦%2B447700900417⟧',
    'telefono=⟦+39 333 104 7728⟧',
    'order=415-555-0142',
    'size=4155550142',
  ],
  'values in encodings of URLs': [
    'tel=⟦415%2D555%2D0142⟧',
    '?tel=⟦415%20555%200142⟧',
    'auth=⟦aXZvQGV4YW1wbGUub3Jn⟧',
    '?mail=⟦ivo%2540example.org⟧',
    '?to=⟦anna%252Eb%2540mail.example⟧&page=2',
    'payload=⟦bWlhLnJAbWFpbC5leGFtcGxl⟧',
    '?user=⟦lin%252Bx%2540example.org⟧',
    '100%25 of 2540 items',
  ],
  'country codes in parentheses': [
    '⟦(+33) 6 39 98 41 27⟧',
    '⟦Anna Schmidt⟧\n⟦(+49) 170 1234567⟧',
    'Mobile: ⟦(+44) 7700 900417⟧',
    'ring ⟦(+1) 212-555-0187⟧ now',
    '⟦(+351) 912 345 678⟧',
  ],
  'removed lines of diffs': [
    '-⟦415-555-0142⟧\n⟦+415-555-0143⟧',
    '-⟦212-555-0187⟧\n-⟦212-555-0188⟧',
    ' a: 1\n-⟦(415) 555-0142⟧\n b: 2',
    '-⟦456-78-9012⟧',
    'a-415-555-0142',
  ],
  'addresses with numbers and signs of lines': [
    '4→⟦12 Rue de la Paix⟧\n5→⟦75002 Paris⟧',
    '4|⟦Hauptstr. 12⟧\n5|⟦10115 Berlin⟧',
    '+address: ⟦12 Rue de la Paix⟧\n+⟦75002 Paris⟧',
    '     2\taddress: ⟦12 Rue de la Paix⟧\n     3\t  ⟦75002 Paris⟧\n     4\tmail: x',
    '    10\taddr: ⟦4 Mill Lane⟧\n    11\t  ⟦Leeds LS1 4DY⟧\n',
    '-⟦Calle de Alcalá 45⟧\n-⟦28014 Madrid⟧',
    '7→⟦Anna Schmidt⟧\n8→⟦Prinsengracht 263⟧\n9→⟦1016 GV Amsterdam⟧\n',
    '+ship to: ⟦742 Evergreen Terrace⟧\n+⟦Springfield, IL 62704⟧',
    '12|⟦Storgatan 5⟧\n13|⟦111 22 Stockholm⟧\n14|x',
  ],
  'card numbers with wrong check digits between words for a card': [
    'my credit card is ⟦4532 1234 5678 9012⟧',
    'pay with ⟦4111 1111 1111 1112⟧ exp ⟦12/27⟧ cvv ⟦123⟧',
    'Visa: ⟦4242-4242-4242-4243⟧',
    'Kreditkarte ⟦5555 5555 5555 4445⟧',
    'my credit card is ⟦3782 822463 10006⟧',
    'order 4532 1234 5678 9012',
  ],
  'keys without digits': [
    'GITLAB_TOKEN=⟦glpat-QWERTYUIOPASDFGHJKLZ⟧',
    'token ⟦glpat-QWERTYUIOPASDFGHJKLZ⟧ here',
    '⟦sk_live_ABCDEFGHIJKLMNOPQRSTUVWX⟧',
    '⟦hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh⟧',
    'use ⟦ghp_QwErTyUiOpAsDfGhJkLzXcVbNmQwErTyUiOp⟧.',
    '⟦AKIAQWERTYUIOPASDFGH⟧',
    'key: ⟦sk-AbCdEfGhIjKlMnOpQrStUvWxYz⟧',
    '<div class="sk-folding-cube-fast-animation">',
    'hf_this_is_a_long_name_of_a_function',
  ],
  'secrets with quotes, brackets and backslashes': [
    'password: ⟦S3cr3t"Quote⟧',
    'password: ⟦Tr0ub&<dor>3x⟧',
    'password: ⟦p@ss"word1⟧',
    '{"password":"⟦a\\\\b9Zk!⟧"}',
    "SECRET_KEY='⟦a\"b\\c9ZkQx71⟧'",
    "Passwort: ⟦x7'Kt!9q⟧",
    'pwd=⟦Zr4>kk#2⟧',
    'password: ⟦is!9xKq⟧',
    "API_KEY='⟦q7!Zx#4kP-2v⟧'",
    '<b>password: ⟦S3cr3t9x⟧</b>',
    'password: ⟦S3cr3t9x⟧<br>next',
    '"password: ⟦S3cr3t9x⟧"',
    '"login?password=⟦S3cr3t9x⟧"title"',
  ],
  'unusual mail addresses': [
    "⟦o'neil@example.org⟧",
    '⟦o"b@example.org⟧',
    '⟦ivo AT example DOT org⟧',
    '⟦ivo=40example.org⟧',
    "to ⟦mary.O'Hara@mail.example⟧ today",
    "⟦D'Angelo@mail.example⟧",
    '⟦lia at mail dot example⟧, thanks',
    '⟦rosa.gil arroba correo punto example⟧',
    'To: ⟦lin.w=40mail.example⟧',
    "mail='⟦anna@mail.example⟧'",
    "l'adresse d'⟦anna@mail.example⟧",
    'f"⟦anna@mail.example⟧"',
    'a dot at this point in time',
    'x=40 y=20',
  ],
  'values that touch words': [
    'callback⟦415-555-0142⟧asap',
    'tel⟦415-555-0142⟧',
    'ssn⟦456-78-9012⟧thanks',
    'iban⟦DE89370400440532013000⟧ok',
    'phone⟦212.555.0187⟧',
    'cell⟦+14155550142⟧thx',
    'nhs⟦943 476 5919⟧ok',
    'konto⟦GB29NWBK60161331926819⟧',
    'model415-555-0142',
    'rev456-78-9012',
  ],
  'names before the name of the father': [
    '⟦Fatima bint Khalid al-Harbi⟧ called.',
    '⟦Noura bint Saleh al-Harbi⟧ called.',
    '⟦Siti binti Abdullah⟧ called.',
    'Ask ⟦Salem bin Khalid⟧ about it.',
  ],
  'initials, emphasis and names of files': [
    '⟦I.K. Halvorsen⟧ called.',
    '⟦J.R.T. Oldenburg⟧ called.',
    'Ask ⟦M.B. Schmidt⟧ about it.',
    'My name is ⟦**Anna** _Schmidt_⟧.',
    'My name is ⟦_Claire_ **Dubois**⟧.',
    'Ask ⟦*Robert* *Miller*⟧ about it.',
    '⟦anna_schmidt⟧_invoice_2024.pdf',
    '⟦ines_halvorsen⟧_cv.pdf',
    'see ⟦robert_miller⟧_contract.docx',
    '⟦claire_dubois⟧_passport.jpg',
    'user_service_test.py',
    'monthly_report_final.xlsx',
  ],
  'Spanish numbers with dots': [
    '⟦12.345.678-Z⟧',
    'D.N.I. ⟦12.345.678-Z⟧',
    'DNI: ⟦87.654.321-X⟧',
    'NIE ⟦X-1.234.567-L⟧',
    'D.N.I. ⟦12.345.678-A⟧',
    '12.345.678 B',
  ],
  'other forms of signs and digits': [
    'Mail ⟦ivo﹫example.org⟧',
    'Mail ⟦lin@example。org⟧',
    'card ⟦4242_4242_4242_4242⟧',
    'card ⟦④②④②④②④②④②④②④②④②⟧',
    'Mail ⟦lin@mail｡example⟧',
    'Mail ⟦mia﹫mail﹒example⟧',
    'call ⟦415_555_0142⟧',
    'card ⟦➍➋➍➋➍➋➍➋➍➋➍➋➍➋➍➋⟧',
    '你好。world',
    'const limit = 1_000_000;',
  ],
  'technical names': [
    'Draw a C4 diagram of our EKS cluster that writes to S3 via SNS.',
    'Convert the file to MP3 via FFmpeg.',
    'from Azure AD via Okta to AWS IAM',
    'Enable IRSA on EKS.',
    'Scale by SQS.',
    'Use KEDA.',
    'The pod runs on Rack 12.',
    'C4, C5 and C6 diagrams; S3, EC2, Route 53, Fargate, Cognito, Glue, Athena, Lex, Polly, Kendra, Macie, Neptune',
    'Send it from Kafka via Debezium.',
    'It sits in Slot 4.',
    'Ask for HPA, then KMS.',
    'We use S3, EC2, Polly, Lex and Macie.',
    'Send it to ⟦Via Roma 15, 20121 Milano⟧.',
    '⟦Polly Baker⟧ runs S3 and EC2.',
  ],
  'logs and user agents': [
    '[20/Sep/2026:08:15:30 +0000] "GET / HTTP/1.1" 200 12',
    '12-Sep-2026',
    'Failed password for invalid user admin from ⟦203.0.113.7⟧ port 52344 ssh2',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 Edg/120.0.0.0',
    '[03/May/2025:23:01:09 +0200] "POST /login HTTP/2" 302 0',
    '04-Apr-2025 and 05-Jun-2025',
    'Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0.6778.85 Vivaldi/7.0.3495.15',
    'Disconnected from ⟦198.51.100.23⟧ port 40022',
    'see https://intern.example/whois then ⟦203.0.113.9⟧',
  ],
  'code and configuration': [
    'SECRET_KEY=abc',
    'SORT_KEY=id',
    'secretKeyRef:\n  name: my-secret\n  key: password',
    'configMapKeyRef:\n  name: my-config\n  key: host',
    'AutoModel.from_pretrained("bert-base-cased")',
    '/tmp/⟦ines⟧_⟦halvorsen⟧/cv.pdf',
    'deadbeef cafebabe 8badf00d',
    'BIC codes: COMPLETE DOCUMENT POSITION ABSOLUTE',
    'the secret ingredient is cinnamon',
    'fieldRef:\n  kind: pod\n  name: web',
    'load("albert-xxlarge-v2")',
    'feedface deadbeef',
    'SWIFT STANDARD',
    'BIC ⟦DEUTDEFF500⟧',
    'my favourite spice is saffron',
    'my manager is ⟦anna schmidt⟧',
    'first_name: ⟦Anna⟧',
  ],
  'citations of law': [
    'Brown v. Board of Education, 347 U.S. 483',
    '42 U.S.C. § 1983',
    '28 U.S.C. § 1331',
    'Miranda v. Arizona, 384 U.S. 436',
    'Loving v. Virginia, 388 U.S. 1 (1967)',
    '18 U.S.C. § 1030(a)(2)',
  ],
};

const analyzer = createAnalyzer({ detectors: [createBuiltinDetector()] });

/** The text with what is hidden in marks. */
async function hidden(text: string): Promise<string> {
  const [spans = []] = await analyzer.analyze([text], { team: undefined, signal: new AbortController().signal });
  let shown = '';
  let from = 0;
  for (const { start, end } of spans) {
    shown += `${text.slice(from, start)}⟦${text.slice(start, end)}⟧`;
    from = end;
  }
  return shown + text.slice(from);
}

for (const [kind, cases] of Object.entries(kinds)) {
  describe(`built-in detector: ${kind}`, () => {
    for (const marked of cases) {
      const text = marked.replace(/[⟦⟧]/g, '');
      it(
        marked === text ? `leaves ${JSON.stringify(text)}` : `hides the values in ${JSON.stringify(text)}`,
        async () => {
          expect(await hidden(text)).to.equal(marked);
        },
      );
    }
  });
}
