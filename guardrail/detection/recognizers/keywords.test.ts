import { expect } from 'chai';
import fc from 'fast-check';
import { languages } from '../languages/languages.ts';
import { Keywords, type KeywordList } from './keywords.ts';

const pieces: Readonly<Record<KeywordList, readonly string[]>> = {
  secret: ['pass', 'phpsess', 'sess', 'mot de passe', "parola d'ordine", 'csrf', 'secret', 'access', 'pin'],
  cloudSecret: ['aws', 'secret', 'access'],
  login: ['basic ', ' -u', '-user', 'login '],
  keyPrefix: ['glpat-', 'hf_', 'akia'],
  mailDot: [' dot ', ' punto '],
  card: ['cvv', 'cv2', 'security code', 'codigo de', 'exp', 'pruf'],
  bank: ['swift', 'bic'],
  plate: ['plat', 'matric', 'schild'],
  username: ['user', 'login', 'benutz', 'handle'],
  personName: ['name', 'surname', 'apellido', 'nachname'],
  birthWord: ['born', 'geb', 'naissance'],
  birth: ['born', 'geb', 'naissance', '(b.'],
  booking: ['pnr', 'booking', 'buchung'],
  postalCode: ['zip', 'cap:', 'postcode'],
  accessCode: ['door', 'wifi', 'kod do'],
  column: ['name', 'plat', 'telef'],
  vehicleKind: ['renault', 'voiture'],
  sql: ['insert into'],
  calle: ['c/ '],
  quotedKey: ['":', "' :"],
  spokenDigit: ['five ', 'funf ', 'dwa '],
  document: ['member', 'dni', 'kunde', 'polic'],
  service: ['github', 'skype'],
  homeFolder: ['/home/', 'users'],
  domainAccount: ['\\\\'],
  vpn: ['vpn'],
  accessLog: ['] "'],
  chat: [' * '],
  renamed: ['known as'],
  assignee: ['todo(', 'hack('],
  shortlog: ['shortlog'],
  account: ['/home/', 'sudo', 'todo('],
  authenticationLog: ['sudo', 'uid=', ' user '],
};
const kinds = Object.keys(pieces) as KeywordList[];

/** Where any of the words begins, by exhaustive search. */
function beginsOf(text: string, words: readonly string[]): number[] {
  return Array.from({ length: text.length }, (_, at) => at).filter((at) =>
    words.some((word) => text.startsWith(word, at)),
  );
}

describe('keywords', () => {
  it('finds all words, also inside other words', () => {
    const part = fc.constantFrom(...Object.values(pieces).flat(), ' ', 'p', 's', 'ph', 'mot de ', '漢', 'codi', 'x');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const keywords = new Keywords(text);
        for (const kind of kinds) {
          const found = keywords.of(kind);
          expect(found).to.deep.equal([...new Set(found)].sort((a, b) => a - b));
          expect(found, `${kind} in ${JSON.stringify(text)}`).to.include.members(beginsOf(text, pieces[kind]));
        }
      }),
    );
  });

  const texts: readonly (readonly [string, KeywordList, readonly number[]])[] = [
    ['My PassWord and your PIN', 'secret', [3, 21]],
    ['Contraseña, LÖSENORD, Mot de passe', 'secret', [0, 12, 22, 29]],
    ['Prüfziffer 123, GÜLTIG bis', 'card', [0, 16]],
    ['Matrícula, Kfz-Kennzeichen, nummernschild', 'plate', [0, 11, 15, 35]],
    ['AWS_SECRET', 'cloudSecret', [0, 4]],
    ['Nothing of the kind', 'secret', []],
    ['p ass, se-cret, mot de', 'secret', []],
  ];
  for (const [text, kind, begins] of texts) {
    it(`finds the ${kind} keywords in ${JSON.stringify(text)}`, () => {
      expect(new Keywords(text).of(kind)).to.deep.equal(begins);
    });
  }

  it('stand in each language that has words for their purpose', () => {
    const purposes = { password: 'secret', plate: 'plate', username: 'username', personName: 'personName', birth: 'birth', booking: 'booking', documentId: 'document', phoneHeader: 'column', accessCode: 'accessCode', vehicleKind: 'vehicleKind' } as const; // prettier-ignore
    const missing = languages.flatMap(({ codes, context, keywords }) =>
      Object.entries(purposes)
        .filter(([purpose, list]) => context?.[purpose as keyof typeof purposes] && !keywords?.[list]?.length)
        .map(([purpose]) => `${codes.join(', ')}: ${purpose}`),
    );
    expect(missing).to.deep.equal([]);
  });
});
