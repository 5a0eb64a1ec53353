import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';
import { englishAddresses } from './addresses.ts';
import { months, weekdays } from './fillers.ts';

export const englishTraining = {
  addresses: englishAddresses,
  particles: ["O'", 'Mc', 'Mac', 'St.'],
  titles: split('Mr. Mrs. Ms. Dr. Mr Mrs Ms Dr Miss Prof. Professor Sir Lady Mx.'),
  labels:
    split(`Mail Email E-mail Call Phone Tel Tel. Telephone Fax Mobile Cell Contact Write Text Ring Reach Message Ping Send Ask
  Forward Reply Dial Office Home Support Info Website Web Url User Login Username Account Also Or Via Then
  Now Please`),
  degrees: split(
    'BSc MSc BA MA PhD MBA B.Sc. M.Sc. B.A. M.A. Bachelor_of_Science Master_of_Arts Diploma Certificate',
  ).map((name) => name.replaceAll('_', ' ')),
  legalForms: [
    'Inc',
    'Inc.',
    'LLC',
    'Ltd',
    'Ltd.',
    'Limited',
    'Corp',
    'Corp.',
    'Corporation',
    'Group',
    'plc',
    'PLC',
    'Co.',
    'Co., Ltd.',
    'Pty Ltd',
    'Pvt Ltd',
    'LLP',
    'LP',
    'Company',
    'and Company',
    '& Co',
    'Holdings',
    'Holding',
  ],
  organizationPrefixes: [
    'University of',
    'Bank of',
    'Hotel',
    'Royal',
    'City of',
    'Institute of',
    'Ministry of',
    'Department of',
  ],
  organizationAdjectives: split(
    'American National First United Global General Pacific Atlantic Northern Central Royal European',
  ),
  and: ['and', '&'],
  placePrefixes: split('North South East West New Upper Lower Port Lake Mount Saint St. Fort'),
  streetWords: split(
    'street st road rd avenue ave lane ln drive dr court ct boulevard blvd way terrace close crescent parkway pkwy highway square circle trail apt apartment suite ste unit flat floor box nagar marg',
  ),
  organizationWords: split(
    'inc llc ltd limited corp corporation company co plc pty pvt llp lp group holding holdings solutions systems technologies partners capital consulting labs software bank insurance university college institute hospital foundation association ministry department museum orchestra bancorp pharma pharmaceuticals industries enterprises ventures airlines motors',
  ),
  postBoxes: [
    'P.O. Box ###',
    'PO Box ####',
    'P.O. Box #####',
    'PSC ####, Box ####',
    'Unit #### Box ####',
    'CMR ### Box ###',
    'USS Endeavor',
    'USNS Hope',
  ],
  phones: ['+1 ###-###-####', '(###) ###-####', '###-###-####', '+44 20 #### ####', '0#### ######', '###.###.####x###'],
  months,
  weekdays,
} satisfies TrainingLanguage;
