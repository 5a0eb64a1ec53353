import type { AddressFormat, Street } from '../../addressFormat.ts';
import { fakerList } from '../../faker.ts';

const usStates = fakerList('en', 'location', 'state_abbr').concat(fakerList('en', 'location', 'state'));

const english: Street = {
  numberFirst: true,
  name: (maker) => {
    const { random } = maker;
    const suffix = random.pick(
      'Street St St. Road Rd Rd. Avenue Ave Ave. Lane Ln Drive Dr Dr. Court Ct Boulevard Blvd Place Pl Way Terrace Close Crescent Parkway Pkwy Highway Square Circle Trail Plaza Gardens Grove Hill Mews Row Walk View Heights Green Park Rise Loop Path Ridge Run Crossing Meadows Union Station Ferry Springs Island Harbors Mills Estates Junction Bypass Causeway Turnpike Alley Views'.split(
        ' ',
      ),
    );
    const stem = random.chance(0.25)
      ? `${random.int(1, 140)}${random.pick(['th', 'st', 'nd', 'rd'])}`
      : random.chance(0.45)
        ? maker.family()
        : random.chance(0.3)
          ? maker.given()
          : random.pick(
              'Oak Maple Cedar Pine Elm Washington Lake Hill Walnut Spring North Ridge Church Willow Mill Sunset Railroad Jackson Cherry West South East Highland Forest River Meadow Chestnut Broad Green School Center Station Park Main High Victoria King Queen Grange London Manor Windsor York Albert Springfield George Prospect Valley'.split(
                ' ',
              ),
            );
    const direction = random.chance(0.12)
      ? `${random.pick(['N', 'S', 'E', 'W', 'N.', 'West', 'North', 'SW', 'NE'])} `
      : '';
    return `${direction}${stem} ${suffix}${random.chance(0.05) ? ` ${random.pick(['North', 'West', 'NW', 'E'])}` : ''}`;
  },
};

const aptUnits = [
  'Apt. ###',
  'Suite ###',
  'Apt ##',
  'Unit #',
  '#5##',
  'Apt. #?',
  'Ste ###',
  'Floor #',
  'Apt. ###',
  'Suite ###',
];

export const englishAddresses: readonly AddressFormat[] = [
  {
    code: 'US',
    weight: 16,
    names: ['USA', 'United States', 'US', 'U.S.A.'],
    street: english,
    codes: ['#####', '#####', '#####-####'],
    regions: usStates,
    units: aptUnits,
    order: (s, c, t, r) => `${s}, ${t}, ${r} ${c}`,
  },
  {
    code: 'GB',
    weight: 8,
    names: ['United Kingdom', 'UK', 'England', 'Scotland'],
    street: english,
    codes: ['??# #??', '??## #??', '?# #??', '?## #??', 'EC#? #??'],
    units: ['Flat #', 'Flat ##', 'Unit #'],
    order: (s, c, t) => `${s}, ${t} ${c}`,
  },
  {
    code: 'GB',
    weight: 4,
    names: ['United Kingdom', 'UK'],
    street: english,
    codes: ['??# #??', '??## #??'],
    order: (s, c, t) => `${s}, ${t}, ${c}`,
  },
  {
    code: 'CA',
    weight: 3,
    names: ['Canada'],
    street: english,
    codes: ['?#? #?#'],
    regions: ['ON', 'QC', 'BC', 'AB', 'MB', 'NS', 'Ontario', 'Quebec'],
    units: aptUnits,
    order: (s, c, t, r) => `${s}, ${t}, ${r} ${c}`,
  },
  {
    code: 'AU',
    weight: 3,
    names: ['Australia'],
    street: english,
    codes: ['####'],
    regions: ['NSW', 'VIC', 'QLD', 'WA', 'SA', 'TAS', 'ACT'],
    units: ['Unit #', 'Level ##'],
    order: (s, c, t, r) => `${s}, ${t} ${r} ${c}`,
  },
  {
    code: 'NZ',
    weight: 1.5,
    names: ['New Zealand'],
    street: english,
    codes: ['####'],
    order: (s, c, t) => `${s}, ${t} ${c}`,
  },
  {
    code: 'IN',
    weight: 2,
    names: ['India'],
    street: {
      numberFirst: true,
      name: (m) =>
        `${m.family()} ${m.random.pick(['Nagar', 'Marg', 'Road', 'Chowk', 'Colony', 'Layout', 'Cross', 'Street'])}`,
    },
    codes: ['######', '### ###'],
    order: (s, c, t) => `${s}, ${t} ${c}`,
  },
];
