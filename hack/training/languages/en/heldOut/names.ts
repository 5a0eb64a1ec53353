import { lines, type HeldOutNames } from '../../../heldOut/language.ts';

/** The organisations are invented. */
export const englishHeldOut: HeldOutNames = {
  pools: ['us', 'us', 'en', 'en_IN'],
  country: 'GB',
  organizations: lines(`Tidewell Marine Insurance
      Harrowgate & Daughters Solicitors
      Copperlatch Brewing Co.
      Northmoor Veterinary Centre
      Windlesea Building Society
      Quillbrook
      Stonefold Primary School
      Pennard Wheelers
      Larkhollow Care Homes Ltd
      Ironbridge Kitchens and Bathrooms
      Saltmarsh Housing Trust
      Brindle Telecoms plc
      Fernhurst Rowing Club
      Oakenshaw Dental Practice`),
  streets: lines(`# Tanner's Yard
      # Lower Quay Lane
      # Brickfield Crescent
      # St Aldhelm's Road
      Flat 4, # Orchard Rise
      # Pinfold Drive
      # Old Ropewalk
      # Beacon Terrace
      # Mercer Street
      # Hawthorn Way`),
  towns: ['@ BS7 4QT', '@, LA12 9XD', '@ NR3 2PW', '@'],
  phones: ['01632 960817', '07700 900461', '+44 20 7946 0832'],
  dates: ['9 February', '14/11/2024', '2025-06-18', '3rd of May'],
};
