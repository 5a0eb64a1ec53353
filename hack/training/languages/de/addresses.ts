import { codeBeforeTown, listed, prefixedBy, suffixed, type AddressFormat, type Street } from '../../addressFormat.ts';
import { capitalized } from '../../words.ts';

const german: Street = {
  name: listed('de de_AT', (maker) =>
    maker.random.chance(0.5)
      ? suffixed('straße str. strasse weg gasse allee platz ring ufer damm steig')(maker)
      : maker.random.pick(['Am ', 'An der ', 'Im ', 'Zum ', 'Auf dem ', 'Unter den ', 'Alte ', 'Lange ', 'Neue ']) +
        capitalized(maker.nounName()),
  ),
};

export const germanAddresses: readonly AddressFormat[] = [
  {
    code: 'DE',
    weight: 9,
    names: ['Germany', 'Deutschland'],
    street: german,
    codes: ['#####', '#####', 'D-#####'],
    order: codeBeforeTown,
  },
  {
    code: 'AT',
    weight: 2,
    names: ['Austria', 'Österreich'],
    street: german,
    codes: ['####', 'A-####'],
    order: codeBeforeTown,
  },
  {
    code: 'CH',
    weight: 2,
    names: ['Switzerland', 'Schweiz', 'Suisse'],
    street: {
      name: (m) => (m.random.chance(0.6) ? german.name(m) : prefixedBy('Rue|Chemin|Via|Route|Strada')(m)),
    },
    codes: ['####', 'CH-####'],
    order: codeBeforeTown,
  },
];
