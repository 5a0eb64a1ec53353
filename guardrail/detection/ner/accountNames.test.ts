import { expect } from 'chai';
import { Keywords } from '../recognizers/keywords.ts';
import { accountNames } from './accountNames.ts';
import { EntityFinder } from './entityFinder.ts';
import { loadNameModels } from './nameModels.ts';

const finder = new EntityFinder(loadNameModels());
function accountsIn(text: string): string[] {
  finder.find(text, 'balanced');
  return accountNames(finder.tokens, text, new Keywords(text)).map(({ start, end }) => text.slice(start, end));
}

const accounts: readonly [text: string, names: readonly string[]][] = [
  ['login: akowal', ['akowal']],
  ['identifiant : mlefort\nsite : Lyon', ['mlefort']],
  ['Benutzername: mmueller, bitte zurücksetzen.', ['mmueller']],
  ['his username is jsmith', ['jsmith']],
  ['usuario: mgarcia', ['mgarcia']],
  ['inlog: jdevries; gebruiker: annak', ['jdevries', 'annak']],
  ['Nazwa użytkownika: kwisniewska', ['kwisniewska']],
  ['The login is akowal.', ['akowal']],
  ["user 'hkowalczyk' logged in", ['hkowalczyk']],
  ['mitt användarnamn lovisab03', ['lovisab03']],
];
const others: readonly string[] = [
  'login: required',
  'username: string\nuser: grafana\nuser: elastic',
  'user: postgres, user: nextcloud',
  'User: please log in',
  'user web01, account x86, login node17',
  'jsmith: login',
  'login page of jsmith',
  'login: jsmith()',
  'login: jsmith/home',
  '',
];

describe('accountNames', () => {
  for (const [text, names] of accounts) {
    it(`finds ${names.join(' and ')} in: ${JSON.stringify(text)}`, () => {
      expect(accountsIn(text)).to.deep.equal(names);
    });
  }
  for (const text of others) {
    it(`finds none in: ${JSON.stringify(text)}`, () => {
      expect(accountsIn(text)).to.deep.equal([]);
    });
  }
});
