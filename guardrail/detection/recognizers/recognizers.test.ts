import { expect } from 'chai';
import fc from 'fast-check';
import { luhn } from './checksums.ts';
import { textStatsOf } from './textStats.ts';
import { recognizersFor } from './recognizers.ts';

const recognizers = recognizersFor();

interface Find {
  readonly value: string;
  readonly type: string;
}

function find(text: string): Find[] {
  const stats = textStatsOf(text);
  const found: Find[] = [];
  for (const { type: own, mayMatch, find: look } of recognizers) {
    if (!mayMatch(stats)) continue;
    look(stats.text, (start, end, _score, type = own) => found.push({ value: text.slice(start, end), type }), stats);
  }
  return found;
}

/** Values in brackets, by type. The test puts an emoji before each, to detect offsets that are not UTF-16 code units. */
const positives: Readonly<Record<string, readonly string[]>> = {
  EMAIL_ADDRESS: [
    'mail an [paul.richter(at)posteo.de], danke',
    'mail: [j.doe (at) example (dot) org]',
    'mail [anna.schmidt+news@mail.example.co.uk]!',
    '<[a@b.de]>',
    'mailto:[jörg@müller.de],',
    "'[o_brien@x.io]'",
    'user=[kim@example.com];',
  ],
  PUBLIC_URL: [
    'see [https://www.anna-schmidt.de/blog].',
    'at [www.annaschmidt.net], too',
    '[https://firm.example.se/search?keyword=fountain]',
  ],
  URL: [
    '([http://bob.example.se/~bob])',
    '[postgres://admin:hunter2secret@db.internal:5432/app]',
    'REDIS_URL=[redis://:p4ssw0rd@cache:6379/0]',
    '[https://github.com/users/octocat]',
    'at [https://github.com/octocat], and [gitlab.com/octo-cat].',
    'CV: [linkedin.com/in/anna-schmidt-42] | anna',
    'Xing: [xing.de/profile/Anna_Schmidt7]',
    'at [linkedin.com/in/@anna-schmidt], too',
  ],
  IP_ADDRESS: [
    'from [203.0.113.77]:443',
    '"[2001:db8:85a3::8a2e:370:7334]"',
    'host [10.1.2.3] up',
    '[fe80::1ff:fe23:4567:890a]',
  ],
  MAC_ADDRESS: ['eth0 [00:1B:44:11:3A:B7]', '[00-1b-44-11-3a-b7]', 'cisco [001b.4411.3ab7]'],
  CREDIT_CARD: [
    'my card is [four five three nine, one four eight eight, zero three four three, six four six seven], valid',
    'card [4111 1111 1111 1111]',
    '[5500-0000-0000-0004] ok',
    'amex [378282246310005].',
    '[30569309025904]',
    '[6011000990139424]',
    '12-34,[4111 1111 1111 1111]',
    'order 2024-0012,[4111111111111111],02110',
    'rows 3-4 [4111 1111 1111 1111]',
    '7 12 [5500-0000-0000-0004] 12/27 123',
    '[4111 1111 1111 1111] 123 12/27',
    '2024-03-01\t[378282246310005]\t200',
    '2024 [3782 822463 10005] 1,234',
    '"note": "card:\\n[4111111111111111]\\nthanks"',
  ],
  IBAN_CODE: [
    'IBAN [DE89 3704 0044 0532 0130 00] please',
    '[GB82WEST12345698765432]',
    'iban: [fr1420041010050500013m02606]',
    '[NO9386011117947], thanks',
    '12,[DE89370400440532013000],34-56',
    '2024-0012 [DE89 3704 0044 0532 0130 00] 12 34',
  ],
  US_SSN: [
    'SSN: [536-22-8726]',
    'social security number [536 22 8726]',
    'ssn [536228726]',
    'ssn [536228726] 12 34-56',
    'SSN: [900-12-3456]',
    'Anna,[536-22-8726],Berlin',
    '12-34,[536-22-8726],7',
    '2024-0012 [536-22-8726] 12',
    'SSN: [536-22-8726]. 12 people',
    '"ssn:\\n[536-22-8726]\\n"',
  ],
  US_ITIN: ['ITIN [912-71-1234]'],
  UK_NHS: ['NHS number [943 476 5919]'],
  UK_NINO: ['NI number [AB 12 34 56 C]', '[JG103759A]', 'National Insurance no. [QQ 12 34 56 C]'],
  DE_TAX_ID: ['Steuer-ID [86095742719]', 'Steuerliche IdNr: [65 929 970 489]', 'Steuer-ID ist [12345678901]'],
  FR_NIR: ['NIR [1 84 12 76 451 089 46]', '[2 55 08 14 168 025 38]', '12 [2 55 08 14 168 025 38] 7,5'],
  ES_NIF: ['DNI [12345678Z]', 'NIF: [12345678A]'],
  ES_NIE: ['NIE [X1234567L]', 'NIE nº [X1234567A]'],
  IT_FISCAL_CODE: ['CF [RSSMRA85T10A562S]'],
  NL_BSN: ['BSN [111222333]', 'BSN [111222333] 12', 'BSN,[111222333],12', 'BSN: [123456789]'],
  SE_PERSONNUMMER: ['[811218-9876]', 'personnummer [198112189876]'],
  FI_PERSONAL_IDENTITY_CODE: ['HETU [131052-308T]'],
  PL_PESEL: ['PESEL [44051401359]', 'PESEL: [44051401350]'],
  CH_AHV: ['[756.9217.0769.85]', '12,[756.9217.0769.85],7', '3.5 [756.9217.0769.85] 118'],
  BE_NATIONAL_NUMBER: ['[85.07.30-033.28]'],
  BR_CPF: ['[529.982.247-25]', 'CPF nº [123.456.789-00]'],
  IN_AADHAAR: ['Aadhaar [2341 2341 2346]'],
  IN_PAN: ['PAN [ABCPE1234F]'],
  SG_NRIC_FIN: ['[S1234567D]'],
  CL_RUT: ['RUT [12.345.678-5]', 'Ana,[12.345.678-5],Santiago'],
  NO_FODSELSNUMMER: ['fødselsnummer [15076500565]'],
  VAT_NUMBER: [
    'VAT [DE136695976]',
    'USt-IdNr. [ATU12345678]',
    'btw [NL004495445B01]',
    'VAT no [BE 0403.170.701], Gent',
    'NIP [526-10-40-828]',
    'TVA [FR 40 303 265 045] Paris',
  ],
  US_PASSPORT: [
    'passport number [C03005988]',
    'passport number [C03005988],12',
    '\\"passport\\": \\"[C03005988]\\"',
    'passport no. [533401772]',
  ],
  US_DRIVER_LICENSE: ["driver's license: [D123-4567-8901]", 'driver license number is [F162823540116]'],
  ID: [
    'Kollegin Szymanski, Pers.-Nr. [004471], vom 4.',
    'carta c.i. [CA12345BB], al ritiro',
    'aanslagnr [88213320]',
    'cartão SUS [898 0012 3456 7890]',
    'Rx# [7712093], Dr M. Iqbal',
    '\n[P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<]\n',
    '\n[L898902C36UTO7408122F1204159ZE184226B<<<<<10]\n',
    'claim [55-20981-QA], please',
    'conf. no. [7734QX], arriving 5 June',
    'Auftragsnummer [98KXQ2], ICE 578',
    'conducteur adverse, permis [12AA34567]',
    '身份证号:[110105194912310021]',
    'Commerzbank, Konto [532013000], BLZ 37040044',
    'Kto. [532 013 000] bei der Sparkasse',
    'Mój numer dowodu to [ABC123456].',
    'O número do cliente é [4471200].',
    'the account at the bank: [nine double four, zero one seven, eight]. Right?',
    'Tarjeta dorada [7041 9922 03] de Renfe',
    'la mia CartaFreccia [004 118 2290]',
    'customer no. [C-2049913]',
    'Personal-Nr. [300417]',
    'VN-Nr. [55-778812-3] liegt vor',
    'Patienten-ID [0077123]',
    'ma référence client est le [7745-AB-19] et',
    'apólice [55-7781]',
    'cartão de cidadão [12345678 9 ZZ4]',
    'claim number [2024-AB-771]',
    'student number [s1234567]',
    'tax reference [123/AB456]',
    '\nPID|1||[P471]^^^HOSP^MR||||F',
    'O aluno, matrícula [2024118], faltou',
    'matricule [40417]',
    'numer klienta [4401882]',
    'clienta nº [55-2019-08]',
    'Booking confirmed! PNR [Q7XK2P]',
    'Prenotazione [J9WLMB], Frecciarossa',
    'student no. [2019-4451]',
    'Matrikelnummer: [1184302]',
    'employee id E-10293, badge number [P998231], more',
    'policy number [POL-88271]',
    'Policy nr: [KX/0071234/B]',
    'umowa z Play nr [17/2023/AB]',
    'nr karty [2024/113]',
    'NHC [552031]; alergias',
    'DNI [33221100] en trámite',
    'RG [31.552.118-4]',
    'Assuré n° [62 114 087 P], Nantes',
    'TK, Nr. [K204417782]',
    'BahnCard 25 Nr. [7081 2200 1145 9021]',
    'Mietvertrag Sixt Nr. [9938120011]',
    'level=info member=[M-2200917] ok',
    'Pasaportes [XDA100200], XDA100201 y XDA100202',
    'Pasaportes XDA100200, XDA100201 y [XDA100202]',
    'crachá [5127]',
    'tessera sanitaria [80380009911223344556]',
    'klantnummer [4470112]',
    'kundnummer: [881-2204]',
    'numer sprawy [2024/8812]',
    'fiscal: numéro fiscal [30 23 217 600 053]',
    'Aktenzeichen: [12345/24]',
    'Reisepassnummer: [C01X00T47]',
    'passport number [20AB48172]',
    'driving licence no. [MORGA657054SM9IJ]',
    'rijbewijs [1448190227]',
    'sort code 20-11-07, account [00417728]',
    'acct number [4400-118-22X]',
    'SIRET [404 833 048 00022]',
  ],
  DE_SOCIAL_SECURITY: ['SV-Nummer: [15 070649 C 103]', 'Rentenversicherungsnummer [65170839J003]'],
  VIN: ['VIN [WVWZZZ1JZXW000001]', 'FIN: [WVWZZZ3CZ9E123456]', 'the [1HGCM82633A004352] was sold'],
  IMEI: ['IMEI: [490154203237518]', 'imei [49-015420-323751-8]', 'device=[353451047760580]'],
  LICENSE_PLATE: [
    'parking his Prius ([7KZR881]) in the lane',
    'Columns: plate, owner, seen\n[7ABC123], Bob, 1.5, 2.5\n[BD51 SMR], Kim, 3, 4',
    'license plate [7ABC123]',
    'My licence plate number was [AB12 CDE].',
    'plaque nº [AB-123-CD]',
    'Das Kfz-Kennzeichen lautet [M-XY 987E].',
    'La mia targa è [AB 123 CD].',
    'A minha matrícula é [12-AB-34].',
    'Kennzeichen: [B-MA 1234]',
    'plate number is [AB12 CDE]',
    'matrícula [1234 BCD]',
    'targa [AB123CD]',
    'kenteken [12-ABC-3].',
    'a grey Vauxhall Corsa, [LD19 KXP], drove off',
    'car: Ford Focus [XKT 2B7], paid',
    'conducteur de la Citroën Berlingo [FK-204-ZW].',
    'la moto [3371 JKL] huyó',
    'unser VW Passat ([KA-BC 412]) steht dort',
    'immat. [GA-118-KX]',
    'bilen är [KXT 41P]',
  ],
  US_BANK_NUMBER: ['account number is [000123456789]', 'routing 021000021, bank account [5512038841]'],
  SWIFT_CODE: ['BIC: [DEUTDEFF500]'],
  API_KEY: [
    'key [sk-proj-4f9AbC81kLmN02pQrStUvWx3]',
    '[ghp_9Z8vuddHRB6HqTfQIJczK1LIkCMOIK97Ax3]',
    '[AKIAIOSFODNN7EXAMPL3]',
    '[AKIAIOSFODNN7EXAMPLE]',
    '[eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N]',
    '[-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq\n-----END RSA PRIVATE KEY-----] end',
    'api_key = "[Zx81kd93JfkQ02mmPqLs77]"',
    'Cookie: sessionid=[38a1f0c92be74d05a6f1] ; theme=dark',
    'JSESSIONID=[5D1A9BE0C7F24E6683AA]; refresh_token: [Xk29dLq8Zr41Pv77Ty03]',
    '{\\"api_key\\":\\"[Zx81kd93JfkQ02mmPqLs77]\\"}',
    '\\\\\\"clientSecret\\\\\\": \\\\\\"[Zx81kd93JfkQ02mmPqLs77]\\\\\\"',
    '"key:\\n[AKIAIOSFODNN7EXAMPL3]\\n"',
    'bot [MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs]',
    'aws secret [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]',
  ],
  PASSWORD: [
    'Passcode [449921]',
    'WLAN: FRITZ!Box, Passwort [58812277441199887766]',
    'Wi-Fi: GuestNet / [Sommer2024!]',
    'password: [Tr0ub4dor&3]',
    'Passwort ist [Sommer2024!]',
    "mysql -u app -p'[hunt3r-Two]' shop",
    'mysqldump -h db.internal -p[Xk9mm2qq] shop > x.sql',
    'sshpass -p [Xk9mm2qq] ssh kim@host',
    'redis-cli -h cache -a "[Xk9mm2qq]" ping',
    'ldapsearch -x -w [Xk9mm2qq] -b dc=x',
    'the password used: [Tr0ub4dor&3]',
    'The password for the portal is [Tr0ub4dor&3].',
    'my pass word. I think it was [Clementine#44] but no longer',
    'alias paul_k, ancien mot de passe [Crepe&Sucre12], mail x',
    'usuario ana, clave [Naranja#88]. No entra',
    'het oude wachtwoord was geloof ik [Hagelslag&1998] maar nee',
    'stare hasło to było [Pierogi!2011], ale',
    'gamla lösenordet var nog [Kanelbulle#7] tror jag',
    'esqueci a senha, a antiga era [Brigadeiro@19]. obrigada',
    'la vecchia password era [tortellini!82]. grazie',
    'altes Passwort war glaub ich [Mohnkuchen#31]. Danke',
    'WLAN-Passwort ist [apfelmus-und-zimt], viel Spass',
    'side gate, door code [7712C], bell broken',
    'Der Türcode ist [4471#], danke',
    'la clave del portal es [2208#] y',
    'wifi [mirabelle-7741], enjoy',
    'wifi bij ons is [hagelslag2008], tot dan',
    'alarmcode [5512]. sleutel onder de mat',
    'portkod [3391], andra våningen',
    'kod do bramy [22#71]',
    '12 rue Monge, code [A2291]',
    'PIN [4471] for the safe',
    'Il PIN è [4471], grazie',
    'code for the gate is [0937], bell broken',
    'Zugangscode: [BLAU-4471], danke',
    "Mon code d'accès est [4821#], merci",
    'Wifi password: [83920174658291034456]',
    'senha: [Verao2024!]',
    'hasło: [Lato2024!]',
    'пароль: [Leto2024!]',
    'pwd=[xK9#mm2]',
    'Authorization: Basic [dXNlcjpwYXNzd29yZDEyMw==]',
    "curl -u '[admin:Sup3rS3cret]' https://x.example",
    'curl --user=[kim:open-Sesame] https://x.example',
    'machine api.example.com login kim password [s3kret99]',
    '{"password":"[Tr0ub4dor&3]"}',
    '{\\"password\\":\\"[Tr0ub4dor&3]\\"}',
    '{\\\\\\"password\\\\\\":\\\\\\"[Tr0ub4dor&3]\\\\\\"}',
    "{\\'password\\': \\'[Tr0ub4dor&3]\\'}",
    '"password": "[Tr0ub,4dor;3]", "user": "kim"',
    '"password": "[Tr0ub\\"4dor]", "user": "kim"',
    '\\"password\\": \\"[Tr0ub\\\\\\"4dor]\\", \\"user\\": \\"kim\\"',
    '"env": "A=1\\nPASSWORD=[Tr0ub4dor3]\\nUSER=kim"',
    '\\"env\\":\\"PASSWORD=[Tr0ub4dor3]\\"',
    '"yaml": "db:\\n  password: [Tr0ub4dor3]\\n  user: kim"',
    '"yaml": "password: \'[Tr0ub4dor3]\'\\n"',
    'user=kim&password=[Tr0ub4dor3]&grant_type=password',
    'password=[Tr0ub4dor%263]',
    'user%3Dkim%26password%3D[Tr0ub4dor3]%26grant_type%3Dpassword',
    '%7B%22user%22%3A%22kim%22%2C%22password%22%3A%22[Tr0ub4dor3]%22%7D',
    '{&quot;password&quot;:&quot;[Tr0ub4dor3]&quot;}',
    '"run": "curl -u \\"[admin:Sup3rS3cret]\\" https://x.example"',
    '"netrc": "machine a.example login kim password [s3kret99]"',
    '"netrc": "login kim\\npassword [s3kret99]\\n"',
    '"headers": "\\"Authorization\\": \\"Basic [dXNlcjpwYXNzd29yZDEyMw==]\\""',
  ],
  ADDRESS: [
    'Lebt in der [Hauptstr. 5, 3. OG links, Köln].',
    'Er wohnt [Hauptstraße 5, 3. Etage, in Köln].',
    '[calle Mayor 5, 3.º B, Toledo]',
    '[Kerkstraat 8, 2 hoog, Delft]',
    '[Storgatan 9, 2 tr, Umeå]',
    'My zip code is [2371] in Austria',
    'the zip code was [90210]',
    'my zip is [02139]',
    'ZIP: [8592]',
    'https://shop.example/near?zip=[94107-1234]&x=1',
    'zip=[8500]',
    'Meine PLZ lautet [6373]',
    '{"plz":"[6373]"}',
    '{\\"plz\\":\\"[6373]\\"}',
    '<postcode>[0610]</postcode>',
    'postcode: [LS1 4DY], UK',
    'Agent: And your postcode?\nCaller: It is [BD2 3XY].',
    'postcode is [1012 AB]',
    'Agent: And the postcode?\nCaller: [B-D-2-3, 4-X-Y].',
    'postal_code: [K1A 0B1]',
    'Eircode [D02 X285]',
    'pincode [560001]',
    'code postal : [75011]',
    'CP: [1425]',
    '"cp": "[28013]"',
    'código postal [28013]',
    'CAP: [20121]',
    'codice postale [20121]',
    'CEP [01310-100]',
    'kod pocztowy [38-500]',
    'postnummer [114 55]',
    'vive en [C/ Señores Curas 88] de',
    'en la [c/ de la Cruz, nº 4], bajo',
    'an: [Hauptstr. 12, Köln]; danke',
    '[Bahnhofstrasse 3, 8001 Zürich] (Lager)',
    'in der [Mariahilfer Straße 88a/15, 1070 Wien]',
    '[Dorpsstraat 12a, Ede]; bel aan',
    '[Østerbrogade 50, 3. th, 2100 København Ø]',
    '[Vestergade 4, 8000 Aarhus C]',
    '[Storgatan 5, Uppsala]',
    'Adres: [ul. Kwiatowa 7/12, Kraków]',
    'przy [ul. Kwiatowej 7/12] w Krakowie',
    '[al. Jana Pawła II 22 m. 4, Warszawa]',
    'mora na [Rua das Flores, 55, apto 302, Porto Alegre]',
    'em [Rua das Flores, nº 55].',
    '[Paseo de la Reforma 222, CDMX]',
    'bytem [Lipová 8, Brno].',
    'Frau A\\\\ [Deichstr. 7\\\\ 26721 Emden]}',
    '[Deichstr. 7\n26721 Emden]\nTel.',
    '\nADR;TYPE=HOME:;;[Elveveien 9];[Hamar];;[2317];[Norway];',
    '\nPID|1||||||||||[88 CEDAR AVE]^^[RENO]^[NV]^[89501]||',
    'Adresa: [Na Příkopě 4, 110 00 Praha 1]',
    'to [PO Box 442], Hobart',
    'to [PO Box 1901]',
    'an [Postfach 12 34 56], Bonn',
  ],
  CRYPTO: ['wallet [0x52908400098527886E0F7030069857D2E4169EE7]', '[bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq]'],
  PHONE_NUMBER: [
    'avisar a su padre al [655 31 08 22].',
    '\nNK1|1||||[7755550188]|',
    'My number is [five five five, zero one four three]. That is [555 0143], right?',
    'call me: [Oh one six... three two. nine six zero - two five five]',
    'Handy: [null eins sieben zwo fünf fünf eins drei acht]',
    'mon portable [zéro six un deux trois quatre huit neuf]',
    'mi móvil es [seis uno dos, nueve ocho tres, cuatro cuatro cinco]',
    'cellulare [tre quattro otto, sei sei due, zero uno nove]',
    'bel [nul zes, een twee drie vier vijf nul zeven acht]',
    'telefone: [nove um meia dois três quatro sete oito oito]',
    'dzwoń: [pięć zero siedem, dwa dwa osiem, cztery jeden trzy]',
    'ring mig [noll sju noll, två fem åtta, nio ett sex]',
    'Unser Anschluss [02202 99900 12] ist gestört.',
    '[+49 30 901820]',
    'call [(415) 555-0132] now',
    '[212-555-0199 x42]',
    'Tel: [030 / 9018 20]',
    'tel [01 42 68 53 00]',
    'mobile [07700 900123]',
    'Handy: [0171-3456789]',
    'teléfono [912 345 678]',
    'Phone: [72 128 827]',
    '"telefon": "[72 128 827]"',
    'Tel.: [12 345 678]',
    'cellulare [347 123 4567]',
    'bel me op [06-12345678]',
    'telefon [08-123 456 78]',
    '[0049 89 2180 0]',
    'phone:\n[555 0199]',
    '[555-0199] (office)',
    'Mon numéro est le [06 12 34 56 78].',
    'tél. [01-02-23-45-67]',
    '电话[13912345678]。',
    '電話番号は[090-1234-5678]です',
    'телефон [8 916 123-45-67]',
    '12,[+49 30 901820],34',
    '[+4930901820],+4930901821',
    'Anna,[415-555-0132],Berlin',
    '12,[(415) 555-0132],34',
    '118 5123 [415-555-0132] 200',
    '200 12-34 [(415) 555-0132]',
    '118 5123 200 [(415) 555-0132]',
    '2024-03-01 10:00:00 +0100 [415-555-0132] called',
    'at 10:30 [+1 415 555 0132]',
    'at 10:30 [+49 30 901820]',
    'GMT+1 [415-555-0132]',
    '[+0049 30 901820]',
    'Nadia ([029 2018 0466])',
    'nouveau num : [0612345678]',
    'swisha [0701740699] till mig',
    'Telefno: [55 5550 0199]',
  ],
  CVV: [
    'carta scad. 11/27, cod. [204]',
    'Karte gültig bis 09/27, Code [5512]',
    'cartão validade 03/29 - cód. [118].',
    '{ "exp": "2027-11", "cid": "[4417]" }',
    'cvv [123],',
    'the CVV was [123] on that card',
    'CVC: [0456]',
    'the card security code is [877].',
    '"cvv2":"[901]"',
    '\\"cvv2\\":\\"[901]\\"',
  ],
  CREDIT_CARD_EXPIRATION: [
    'card 4111 1111 1111 1111 exp [12/27] cvv 123',
    'Visa, valid thru [03/2029]',
    'Karte gültig bis [11/28]',
    '4111111111111111, expiry date: [1-30]',
    'tarjeta 4111 1111 1111 1111 cad.: [02/29]',
    'carta di credito, scad. [09/29]',
    'betaalkaart geldig tot [06/28]',
    'karta ważna do [06/28]',
    'kortet giltigt till [06/28]',
    '{ card: "378282246310005", exp: "[2029-07]" }',
  ],
  COORDINATE: [
    'seen by Bob, [34.05223, -118.24368]\nnext',
    '([48.85837,2.29448])',
    'GPS: [48.8584, 2.2945]',
    'Latitud y longitud: [40.416, -3.703]',
    'I am at coordinates [-33.8567,151.2152].',
    '{"lat": [48.858400], "lng": 2.294500}',
    '{"lat": 48.858400, "lng": [2.294500]}',
    `at [48°51'30"N 2°17'40"E] now`,
    '[51.5007° N, 0.1246° W]',
    '7,[51.5007° N, 0.1246° W]',
    '\\"lat\\": \\"[48.858400]\\"',
  ],
  PERSON: [
    'From: [Ada van der Berg] <ada@example.net>',
    'From: "[Müller, Jörg]" <joerg@example.net>',
    'To: [Müller, Jörg Peter] <joerg@example.net>',
    '\nPID|1||^^^||[DUARTE]^[MARISOL]^^^||',
    '\nNK1|1|[DUARTE]^[LUIS]|SPO',
    'Signed-off-by: [Kofi Mensah] <kofi.m@example.net>',
    `To: "[Sean O'Neill]" <sean@example.net>`,
    '{"first_name": "[Priya]", "age": 4}',
    String.raw`{\"lastName\": \"[García Lorca]\"}`,
    "'patient': '[Omar Haddad]'",
    '{"Nachname":"[Müller-Lüdenscheidt]"}',
    '{"氏名": "[山田太郎]"}',
    '\n12/03/24, 10:22 - [Lucia]: hola',
    '\n12.03.24, 10:22:11 [Jürgen Müller]: hallo',
  ],
  'PERSON in a column': [
    'id,first_name,last_name\n1,[Priya],Rao\n',
    'Name;Vorname;Geb.\nHäberle;[Gundula];12.12.1955\n',
    '| Surname | Room |\n|---|---|\n| [Petrosyan] | 4 |\n',
    '\nnom\tprénom\tville\n[de La Fontanille]\tOmbeline\tAngers\n',
    '\nname,date of birth\n"[Okafor, Robert]",1990-02-03\n',
  ],
  'DATE_OF_BIRTH in a column': [
    'nombre;fecha_nac;ciudad\nUxía Otero;[1988-11-02];Lugo\n',
    'full name,dob\nAda King,[19881102]\n',
  ],
  'DATE_OF_BIRTH in an inserted row': [
    "INSERT INTO people (id, full_name, birth_date) VALUES\n (1, 'Ada King', '[1988-11-02]'),\n (2, 'Bo Li', NULL);",
    "insert into t (name, born, city) values ('O''Neill, Sean','1970-01-02','Cork'), ('Lee, Kim','[1971-05-06]','Bray')",
    'id;cognome;data di nascita\n1;Sala;[14/03/1979]\n',
  ],
  'ADDRESS in a column': [
    'Name;Vorname;Straße;PLZ\nHuber;Resi;[Dorfstr. 3];[83022]\n',
    'Vorname;Nachname;Ort;Land\nAnna;Keller;[Ennetbürgen];n/a\n',
    'Vorname;Nachname;PLZ;Land\nAnna;Keller;[6373];CH\n',
    '| first name | home town |\n|---|---|\n| Priya | [Stoke-on-Trent] |\n',
    '\nnom complet\tcode postal\tsite\nRoux\t[59100]\t2\n',
    "INSERT INTO people (full_name, city) VALUES ('Ada King', '[Hull]');",
  ],
  'LICENSE_PLATE in a column': ['| Nr | Kennzeichen | Ort |\n|---|---|---|\n| 1 | [HH-AB 771] | Altona |\n'],
  'PHONE_NUMBER in a column': ['| naam | telefoon |\n| Bo | 7 |\n| van Dijk | [611 220 334] |\n'],
  'ID in a column': ['\nstudent_no\tsurname\n[s1048812]\tRao\n'],
  USERNAME: [
    'my discord is [moonfox#4471]',
    'steam: [xX_Reaper_Xx]',
    '@[jonas.weber] can you take a look?',
    '/home/[jdoe]/projects/x.py',
    '"/Users/[maria.gomez]/Desktop/cv.pdf"',
    String.raw`C:\Users\[tbecker]\Documents`,
    String.raw`"path": "C:\\Users\\[tbecker]\\AppData"`,
    'sshd: Accepted publickey for [lwagner] from 10.1.2.3 port 51122 ssh2',
    'Failed password for invalid user [okonkwo7] from 203.0.113.9 port 22',
    'pam_unix(sshd:session): session opened for user [mkowalski] by (uid=0)',
    'sudo:  [pnovak] : TTY=pts/0 ; USER=root ; COMMAND=/bin/ls',
    'uid=1001([jdoe]) gid=1001(staff)',
    '\n203.0.113.9 - [hschneider] [10/Oct/2025:13:55:36 +0200] "GET / HTTP/1.1" 200',
    '{"username": "[jdoe]", "age": 4}',
    String.raw`{\"user\":\"[jdoe]\"}`,
    'level=info user=[jdoe] action=login',
    'Benutzername: [k.weber84]',
    'identifiant : [mdupont_77]',
    'usuario=[cgarcia] ip=x',
    'användarnamn: [lind.erik]',
    '\n12:41 <[nightowl]> hello',
    'omg @[nightowl_77] did u see',
    'follow @[lenavoss] on twitter',
    'hey @[carlos] can you look',
    'her venmo is @[marta-lu8]',
    'Or LINE me: [sora.hoshi_4]',
    'Skills: C\nGitHub: [mpalmer]\nEmail: x',
    'Telegram: @[ivanka]',
    'Profile name "[otter_den]" was taken',
    'usuario [lucas.pereira], esqueci',
    '\n14:03 * [owlbear9] is now known as owl_afk',
    '\n14:03 * owlbear9 is now known as [owl_afk]',
    '<@[U04KD81PX]> please look',
    '\n    Co-authored-by: [mpalmer7] <1234+mp@users.example>',
    '// TODO([mpalmer]): ask again',
    '# owners\n/api/   @[mpalmer] @acme/web',
    '\n/web/   @acme/web @[jo-lind]\n*  @root',
    'ssh -i ~/.ssh/key [mpalmer]@198.51.100.7',
    '\n[mpalmer]@web01:~/src$ ls',
    'rsync a b:/srv/home/[mpalmer]/',
    'systemd-logind: New session 41 of user [mpalmer].',
    'smbd: [CORP\\mpalmer] (192.168.14.7) connect to service x',
    'connect to service [mpalmer]',
    'useradd: new user: name=[mpalmer], UID=1014',
    'openvpn: [palmer.mo]/203.0.113.9:51820 TLS',
    'auditd: acct="[mpalmer]" exe="/usr/bin/su"',
    '$ git shortlog -sn\n    12\tdependabot\n     3\t[mpalmer]\n',
  ],
  DATE_OF_BIRTH: [
    'DOB [14-Sep-1959] | chest pain',
    'und ist am [5. Mai 1990] in Novi Sad geboren.',
    'op [3 juni 1931] te Venlo geboren',
    '田中は[1985年3月2日]生まれです。',
    '他[1990年5月5日]出生于上海',
    '[1985년 3월 2일]생',
    '\nPID|1||||||[19840212]|F',
    'born in the old house at a lake [12.03.1960]',
    'DOB: [21/06/1979]',
    'born on [4 March 1980]',
    'geboren am [12.05.1991]',
    'né le [3 avril 1975]',
    'Okafor, Ada (b. [04/12/2001]), nurse',
    'Karl Voss (* [12.03.1960])',
    'Karl Voss *[12.03.1960]',
    'DOB [07JUN91]',
    'DOB: [8.i.1941].',
    'Né(e) le : [14/07/1992]',
    'data de nascimento: [03/05/1988]',
    'ur. [4 marca 1990]',
    '生年月日: [1990年5月3日]',
    '出生日期[1990年5月3日]',
    'date of birth [19810923]',
    'född [810923]',
    'geb. [07/1984] in Kassel',
    "DOB [4th of Oct '63], confirmed",
    'Mrs Ottilie Brandt ([14/02/1951])',
    'bonjour, je suis paul legrand ([03 11 77])',
    'Persson, f. [12/3 1960]',
    'Claes Peeters\n° [12.03.1960] te Gent',
    'And your date of birth?\nCaller: [14/02/1951]',
    'born [the third of May nineteen eighty-one] in Hull',
    'geboren [am dritten Mai 81]',
    'Geburtsdatum?\nKunde: [Vierter Zehnter Neunundfünfzig], ja',
    'née [le vingt-deux avril quatre-vingt-quatorze]',
    'nació [el siete de enero de mil novecientos noventa]',
    'data di nascita: [dodici marzo settantuno]',
    'geboortedatum [drie maart negentienachtenzestig]',
    'data de nascimento: [nove de junho de oitenta e três]',
    'data urodzenia: [drugiego kwietnia siedemdziesiątego czwartego]',
    'född [den tredje maj nittonhundraåttioett]',
  ],
};

/** Texts that resemble personal data but contain none. */
const negatives: readonly string[] = [
  'one two three four five six seven eight nine ten, and nine eight seven six five four three two one',
  'zero zero zero zero zero zero zero zero',
  'two by four, six of seven, five or six people, three or four, eight to nine',
  'weights 48.85837, 2.29448, 0.33411 and 0.12345, 0.67891',
  'x 48.858 2.294 and 91.123456, 2.123456',
  'Columns: name, email, phone\nThen we send, for each, the invoice',
  'std::cout << std::endl; abc::def::ghi',
  '127.0.0.1 and 0.0.0.0 and ::1 and 255.255.255.0 and 8.8.8.8',
  'version 10.2.3.4 and v1.2.3.4',
  'the range 10.0.0.0/8',
  'git@github.com:owner/repo.git',
  'https://github.com/nodejs/undici/pull/4365',
  'import "@types/node" and user@localhost',
  'https://docs.python.org/3/library/re.html and https://example.com/path',
  'order 4111111111111112 and 1234567890123456',
  'on 2024-03-01 10:22:31, 01.02.2024, 2023/24, 12/31/1999',
  'total 1 234 567 and 12.345.678,90 and 3.14159265358979',
  'phones sold: 72 128 827, calls: 72 128 827, I phoned 72 128 827 people',
  'Der Weg 5, Version 2, Weg 4, Team 2; der Weg 12, den Ring 3, Hinweg 5 Minuten, Umweg 12 km, Platz 3, Berlin; Bahnplatz 4 Stufen',
  'a Rua Augusta 1755, a Praça do Comércio em 1755, pl. 5 osób, al. 3, os. 12, mailbox 12, box 5',
  'CPF inválido: tente 3 vezes em 12345678901 ms; the BSN of person 123456789; sin 12 345',
  'C/C++ 17, c/o Ann 4, C/Windows 10, a/ Mayor 5, N/A C/ 5, c/ Pedro 12:30',
  'order number 555 123 4567, invoice 2024-000123',
  'SHA-256 d7a8fbb307d7809469ca9abcb0082e4f8d5651e46d3cdb762d02d0bf37c9e592',
  'uuid 123e4567-e89b-12d3-a456-426614174000',
  'timestamp 1700000000 and 1700000000000',
  'password: required, token: string, secret: null, api_key = process.env.API_KEY',
  'your password is wrong; the token was invalid',
  'Bitte auf Konto 1200 buchen, das Konto ist seit dem 01.02.2024 gesperrt',
  'The zip code for the building is 10115, the status code for the gate was 4040, password: 12345',
  'key sk-xxxxxxxxxxxxxxxxxxxxxxxx',
  'isbn 978-3-16-148410-0',
  'ratio 16:9 at 12:30:45, aa:bb',
  'Kubernetes 1.29.3 uses port 6443',
  '/usr/lib/x86_64-linux-gnu/libc.so.6',
  'weights 0.12345, 0.98765 and [0.4821, -1.2034]',
  'position: 0.123, 0.456; geometry 12.3451 67.8901; long: 1.234 seconds',
  'the coordinates 148.8584, 202.2945 are out of range',
  'the licence expires 12/27 and version 3.142 is valid until 01/28',
  'exit code 123, section 404 of the security code of conduct',
  'docker run -u 1000:1000 -e A=b, useradd -u kim:staff, basic training and Basic authentication',
  'please login with the password page, session: started, sessions = 12',
  'the plate is on the table, plate 4 of 7; boilerplate ABC1 and template A1B2C3',
  'BMW 320 GTI 2019, Audi A4 B8, Ford F-150, Tesla Model 3, Golf GTI 2019, Mazda MX-5, Mercedes E 220',
  'the truck needs 4411 ABC parts, the van 12 AB, car 2024 NEW',
  'imei 490154203237519, checksum 0123456789ABCDEFG, token ABCDEFGH123456789',
  '0.6.3 / 2022-01-22, Boston, MA 02110-1301, Boston, MA\n  02110-1301',
  '2 2 1l 0 2 6 3 1 3 2 6 4',
  'pino -u http://localhost/logs1',
  'on 06 12 34, 06.12.2034 and 01-02-23',
  '2024-01-01 10:00:00 +0100 118',
  'Date: Mon, 1 Jan 2024 10:00:00 +0530 118 KB',
  'Mon Jan 1 10:00:00 2024 -0700 200 512',
  '127.0.0.1 - - [10/Oct/2000:13:55:36 +1000] "GET /a HTTP/1.0" 200 232 1234',
  '2024-01-01T10:00:00.123+0200 200 51234',
  '2024-01-01T10:00:00+02:00 200 51234',
  '2024-01-01 10:00:00+01 200 5123',
  'author 1700000000 +1000 118 2345',
  'UTC+0100 118234, GMT+2 118 200 5123, UTC -3 200 51',
  '10:22:31,012 3456789 rows',
  'about 12,345678 and 123 456 789,50 and 0,030901820',
  '{\\"password\\":\\"${DB_PASSWORD}\\",\\"token\\":\\"{{ token }}\\",\\"secret\\":\\"<your-secret>\\"}',
  '/home/runner/work, /home/ubuntu, /Users/Shared/x and C:\\Users\\Public',
  'user=root, user: string, const user=name; username=self.username, { user: user }, "user": "admin"',
  '@Override public void run() {}, @media (min-width: 2px), @param user_name the name, @koa/router, foo@bar',
  ' * @internal_use\n@dataclass_json\nclass A: pass',
  'TODO(#123): x, TODO(b/123), XXX(rfc2616), FIXME(later maybe), call TODO(), DONE(x)',
  'a regex DUPLICATES\\sFROM and HKLM\\software and C:\\windows\\temp, \\alpha',
  'GitHub: Actions\nTwitter: share this page\nline: 12, Line: foo.bar()',
  '@font-face { } @tailwind base; @angular-devkit/core and @babel/core, @my-decorator\nclass A',
  'Handle os.walk errors, the user settings.json file, login page.html, user guide.pdf',
  '/path  @acme/team, admin@localhost:~$ ls',
  '1 2 is known as 3, 14:03 * 2 = 28\n12:00 * build',
  'Cookie <b>user</b>, git@github.com:a/b.git, user is logged in, login: required',
  'Invalid user input, session opened for user root(uid=0), Failed password for admin from x',
  '"name": "Build Image", "names": "Main List", "author": "Main Team", "customer": "Acme Corporation"',
  '12/03/24, 10:22 - started: ok',
  'mysql -p shop, mkdir -p /srv/data1, ssh -p 2222 host, docker run -p 8080:80 x, mongo -p, 7z x -pfoo a.7z',
  'the password used by the service, a password for the admin: see the wiki',
  'name,version,license\nkoa,3.3.0,MIT\nzod,4.6.7,MIT\n',
  '[\n  "user_name",\n  "title",\n]',
  'first name, last name\nare required; see below, please\n',
  'account 12.345,67, policy 12.03.2024, contract 3.10.2, customer 1.234.567, patient 2019, the client error number 10054',
  'booking is open, reservation ABCDEF, contract law, customer 7, the client is ready, member of 12',
  'password hashing with bcrypt, 12 rounds; passwords in C#7 or F#; the password of kim@localhost',
  'passes v_steps+1 arguments, password&nbsp;1234567, a password policy of 8+ characters, 100%25 password%20text1',
  'the wifi channel 36, wifi 802.11ac, wlan0 and wifi6 routers; hotspot on port 8080',
  'error code 4471, exit code 1001, access code is required, door codes for 2024 models, pin 1301 of the chip',
  'It was released on (12.03.1960), 3 *12 and 2*12.03',
  'born of two minds in the third act, one of seven, first in May',
  'The birthday party had 123456 guests; he was born with 19810923 others',
  'Mr Smith (Version 12.03.19) and Release Two (12.03.2019)',
  "INSERT INTO prices (sku, amount, updated) VALUES ('A-1', 3, '2024-01-02')",
  'password = os.environ["DB_PASSWORD_1"], secret: "getSecret(\'a1\')", token="env.TOKENS[0].value"',
  'zip 1234 files, unzip 2.1, zip -9 out.zip 1234, zip: 1234 files, zip(1234, 5678), gzip: 12345',
  'cp 1234 5678, tcp: 8080, scp=54321, cap=4096, len=3 cap: 5000, recap: 12345',
  'error code 12345, country code 1234, zip code 2.5, postal codes with 5 digits, postcode lookup 2024-01-01',
  'Game 8, 38-500 points; Table 4, 2019-112 rows; Apollo 8, 1968-12-21 Florida',
  '[{"city":"Berlin","population":1},{"name":"Seine","city":"Paris"}]',
  'city;population\nBerlin;3600000\nHamburg;1800000\n',
  'telefon,ort\nkeines,Altona\n',
  'station,ort,plz\nA,Altona,22765\n',
  'street,price\nMain 5,3\n',
  '该产品2023年5月1日生产,生日快乐',
  'sums of 612 34 56 78 90 and 655 31 08 22 11',
  'password 2024 policy, meet us (at) the office, [at] 5.30',
  'steam: required, our discord is online, skype: not installed',
  'a<<2, cout<<COUNT<<ENDL, template<A<B<<3>>>',
  'birthplace of jazz, a birth in Berlin',
];

describe('structured recognizers', () => {
  for (const [type, examples] of Object.entries(positives)) {
    for (const example of examples) {
      it(`find ${type} in ${JSON.stringify(example)}`, () => {
        const value = /\[([^[]*)\](?!\()/s.exec(example)?.[1] ?? '';
        const text = `😀 ${example.replace(`[${value}]`, value)} 👍`;
        const same = find(text).filter((found) => found.type === type.split(' ')[0]);
        expect(same.map((found) => found.value)).to.include(value);
      });
    }
  }

  for (const text of negatives) {
    it(`find nothing in ${JSON.stringify(text)}`, () => {
      expect(find(text)).to.deep.equal([]);
    });
  }

  it('find the user of a cron job', () => {
    expect(find('CRON[981]: (mpalmer) CMD (x)')).to.deep.equal([{ value: 'mpalmer', type: 'USERNAME' }]);
  });

  it('find no person in the mailbox of a function or a program', () => {
    const text = 'GitHub Actions <noreply@github.com>, Acme Support <support@acme.example>, Team <x@y.example>';
    expect(find(text).filter(({ type }) => type === 'PERSON')).to.deep.equal([]);
  });

  it('reject values with a wrong check digit', () => {
    expect(find('transfer GB82WEST12345698765433')).to.deep.equal([]);
    expect(find('part 12345678A')).to.deep.equal([]);
    expect(find('order 4111 1111 1111 1112')).to.deep.equal([]);
  });

  const national: readonly (readonly [string, string, string])[] = [
    ['pl', 'Danuta, 22 555 01 43, Warszawa', '22 555 01 43'],
    ['pt', 'Marli 21 555 0123 Lisboa', '21 555 0123'],
    ['da', 'Bente 32 12 34 56 Aarhus', '32 12 34 56'],
    ['cs', 'Jana 601 123 456 Brno', '601 123 456'],
  ];
  for (const [language, text, number] of national) {
    it(`find a national phone number only if the language ${language} is expected`, () => {
      const stats = textStatsOf(text);
      const found = (languages: readonly string[]): string[] => {
        const values: string[] = [];
        for (const recognizer of recognizersFor(languages)) {
          if (recognizer.mayMatch(stats))
            recognizer.find(text, (start, end) => values.push(text.slice(start, end)), stats);
        }
        return values;
      };
      expect(found(['en'])).to.deep.equal([]);
      expect(found(['en', language])).to.deep.equal([number]);
    });
  }

  it('do not run on a text whose stats exclude a match', () => {
    const stats = textStatsOf('Just a plain sentence about nothing at all');
    expect(recognizers.filter(({ mayMatch }) => mayMatch(stats)).map(({ type }) => type)).to.deep.equal(['API_KEY']);
  });

  it('find nothing without digits if they say that they need them', () => {
    const needing = recognizers.filter(({ needsDigit }) => needsDigit);
    expect(needing.length).to.be.greaterThan(30);
    for (const example of Object.values(positives).flat()) {
      const stats = textStatsOf(example.replace(/\p{Nd}/gu, 'b'));
      for (const { type, mayMatch, find } of needing) {
        if (mayMatch(stats)) find(stats.text, () => expect.fail(`${type} in ${stats.text}`), stats);
      }
    }
  });

  it('find numbers at any distance from each other in a long text', () => {
    const filler = 'Nothing of note happened that day, and nobody wrote it down. ';
    for (const length of [0, 40, 63, 64, 65, 66, 128, 129, 130, 131, 200, 5000]) {
      const gap = filler.repeat(90).slice(0, length);
      const text = `${gap} IBAN GB82 WEST 1234 5698 7654 32 ${gap}, born March 5, 1980; ${gap}codice fiscale RSSMRA85T10A562S ${gap}`;
      expect(
        find(text).map(({ value }) => value),
        `${length} characters between`,
      ).to.have.members(['GB82 WEST 1234 5698 7654 32', 'March 5, 1980', 'RSSMRA85T10A562S']);
    }
  });

  it('find values after keywords at any distance from each other', () => {
    const filler = 'Nothing of note happened that day, and nobody wrote it down. ';
    for (const length of [0, 1, 20, 40, 64, 90, 150, 2000]) {
      const gap = filler.repeat(40).slice(0, length);
      const text = `BIC: DEUTDEFF500, ${gap}, licence plate: B-KR 4711, ${gap}, BIC: COBADEFFXXX, ${gap}, number plate K-AB 123, card valid until 12/27, ${gap}, cvv 123`;
      expect(
        find(text).map(({ value }) => value),
        `${length} characters between`,
      ).to.have.members(['DEUTDEFF500', 'COBADEFFXXX', 'B-KR 4711', 'K-AB 123', '12/27', '123']);
    }
  });
});

describe('structured values in lists', () => {
  const digits = (most: number): fc.Arbitrary<string> =>
    fc.integer({ min: 0, max: 10 ** most - 1 }).map((number) => String(number));
  const ordinary = fc.oneof(
    digits(6),
    fc.tuple(digits(2), digits(2)).map((parts) => parts.join('-')),
    fc
      .tuple(fc.integer({ min: 1990, max: 2030 }), fc.integer({ min: 1000, max: 9999 }))
      .map((parts) => parts.join('-')),
    fc.tuple(digits(3), digits(2)).map((parts) => parts.join('.')),
    fc.constantFrom(
      '2024-03-01',
      '01.02.2024',
      '10:22',
      '10:22:31',
      '1,234',
      '12%',
      '$4.50',
      '-5',
      '1.2.3',
      '#7',
      '12/27',
    ),
  );
  const between = fc.constantFrom(' ', ',', ', ', ';', '; ', '\t', '\n', ' | ', '|', ' - ', ': ');
  const list = fc.array(fc.tuple(ordinary, between), { maxLength: 4 });

  /** Card numbers with a valid check digit, in groups. */
  const card = fc
    .tuple(
      fc.constantFrom<readonly [string, readonly number[]]>(
        ['4', [4, 4, 4, 4]],
        ['55', [4, 4, 4, 4]],
        ['37', [4, 6, 5]],
      ),
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 15, maxLength: 15 }),
      fc.constantFrom('', ' ', '-'),
    )
    .map(([[prefix, groups], rest, separator]) => {
      const length = groups.reduce((sum, group) => sum + group, 0);
      const body = (prefix + rest.join('')).slice(0, length - 1);
      const number = body + (Array.from('0123456789').find((check) => luhn(body + check)) ?? '');
      let from = 0;
      return groups.map((group) => number.slice(from, (from += group))).join(separator);
    })
    .filter((number) => !/(\d)\1{8}/.test(number.replace(/\D/g, '')));
  const values: Readonly<Record<string, fc.Arbitrary<string>>> = {
    CREDIT_CARD: card,
    IBAN_CODE: fc.constantFrom('DE89370400440532013000', 'GB82 WEST 1234 5698 7654 32', 'NO93 8601 1117 947'),
    US_SSN: fc.constantFrom('536-22-8726', '219-09-9999'),
    PHONE_NUMBER: fc.constantFrom('+4930901820', '+49 30 901820', '+1 415-555-0132', '415-555-0132', '(415) 555-0132'),
  };

  for (const [type, value] of Object.entries(values)) {
    it(`are found between ordinary numbers: ${type}`, () => {
      fc.assert(
        fc.property(list, value, fc.tuple(between, list), (before, number, [next, after]) => {
          const start = before.flat().join('');
          const text = start + number + next + after.flat().join('');
          const covered = new Uint8Array(text.length);
          const stats = textStatsOf(text);
          for (const { type: own, find: recognize } of recognizers)
            recognize(
              stats.text,
              (from, to, _score, found = own) => {
                if (found === type) covered.fill(1, from, to);
              },
              stats,
            );
          const uncovered = Array.from(number).filter((_, at) => covered[start.length + at] === 0);
          expect(uncovered.join(''), JSON.stringify(text)).to.equal('');
        }),
        { numRuns: 400 },
      );
    });
  }
});

describe('offsets from UTC', () => {
  it('do not begin a phone number, whatever status and size follow', () => {
    const hours = fc.integer({ min: 0, max: 14 });
    const minutes = fc.constantFrom('00', '30', '45');
    const zone = fc
      .tuple(fc.constantFrom('+', '-'), hours, minutes, fc.constantFrom('', ':'))
      .filter(([, hour, minute]) => (hour > 0 && hour < 10) || minute === '00')
      .map(([sign, hour, minute, colon]) => `${sign}${String(hour).padStart(2, '0')}${colon}${minute}`);
    const time = fc.oneof(
      fc.constantFrom(
        '2024-03-01 10:00:00 ',
        '2024-03-01T10:00:00',
        '2024-03-01T10:00:00.123',
        'Mon, 1 Jan 2024 10:00:00 ',
      ),
      fc.constantFrom('Mon Jan 1 10:00:00 2024 ', 'author Kim 1700000000 ', '[10/Oct/2000:13:55:36 ', 'UTC', 'GMT '),
    );
    const behind = fc.tuple(
      fc.constantFrom(' ', '\t', '] "GET /a HTTP/1.1" '),
      fc.integer({ min: 1, max: 599 }),
      fc.option(fc.integer({ min: 0, max: 9_999_999 }), { nil: undefined }),
    );
    fc.assert(
      fc.property(time, zone, behind, (at, offset, [gap, status, size]) => {
        const text = `${at}${offset}${gap}${status}${size === undefined ? '' : ` ${size}`}`;
        expect(find(text)).to.deep.equal([]);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('secrets within strings', () => {
  const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);
  const deep = (text: string, depth: number): string => (depth === 0 ? text : deep(escaped(text), depth - 1));

  it('are found exactly at any nesting depth and with any characters', () => {
    const secret = fc
      .array(fc.constantFrom(...Array.from('aZ09!,;:"\'\\/&#-_n]['), 'é'), { maxLength: 12 })
      .map((parts) => `Xk9mQ4v${parts.join('')}q7Wd2Zr81kT`);
    const key = fc.constantFrom('password', 'db_passwd', 'api_key', 'client-secret', 'access_token');
    fc.assert(
      fc.property(secret, key, fc.nat(3), fc.constantFrom(':', ': ', ' : '), (value, name, depth, colon) => {
        const inner = `{"user":"kim","${name}"${colon}${JSON.stringify(value)},"n":1}`;
        const text = `request body ${deep(inner, depth)}, status 200`;
        expect(find(text).map((found) => found.value)).to.include(deep(value, depth + 1));
      }),
      { numRuns: 500 },
    );
  });

  it('are found without quotes, up to the end of the line or the string', () => {
    const secret = fc.stringMatching(/^Xk9[a-zA-Z0-9!#_-]{4,20}q7$/);
    fc.assert(
      fc.property(secret, fc.nat(3), fc.constantFrom('\n', '"', '\r\n', '\tx'), (value, depth, end) => {
        const text = deep(`{"env": "A=1\nDB_PASSWORD=`, depth) + value + deep(end, depth + 1) + deep('}', depth);
        expect(find(text).map((found) => found.value)).to.deep.equal([value]);
      }),
    );
  });
});
