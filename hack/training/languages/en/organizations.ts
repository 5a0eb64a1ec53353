/** Words at the end of company names. */
export const companyWords: readonly string[] = ['Solutions', 'Systems', 'Technologies', 'Technology', 'Partners', 'Capital', 'Consulting', 'Labs', 'Software', 'Media', 'Logistics', 'Energy', 'Pharma', 'Pharmaceuticals', 'Financial', 'Insurance', 'Bank', 'Bancorp', 'Foods', 'Motors', 'Industries', 'Enterprises', 'Holdings', 'International', 'Global', 'Analytics', 'Networks', 'Robotics', 'Biotech', 'Health', 'Healthcare', 'Medical', 'Airlines', 'Electric', 'Electronics', 'Semiconductor', 'Steel', 'Chemical', 'Chemicals', 'Construction', 'Properties', 'Realty', 'Investments', 'Trust', 'Foundation', 'Institute', 'Association', 'Services', 'Design', 'Studios', 'Entertainment', 'Records', 'Press', 'Publishing', 'Brewery', 'Bakery', 'Travel', 'Hotels', 'Resorts', 'Retail', 'Stores', 'Markets', 'Supply', 'Data', 'Digital', 'Interactive', 'Security', 'Wireless', 'Telecom', 'Communications', 'Ventures', 'Advisors', 'Resources', 'Minerals', 'Mining', 'Oil', 'Gas', 'Petroleum', 'Water', 'Power', 'Solar', 'Trading', 'Transport', 'Shipping', 'Freight', 'Factoring', 'Therapeutics', 'Sciences', 'Brands', 'Apparel', 'Beverages', 'Farms', 'Ratings Agency', 'Management', 'Real Estate', 'REIT', 'Aerospace', 'Defense', 'Instruments', 'Engineering', 'Packaging', 'Paper', 'Plastics', 'Textiles', 'Research', 'Education', 'Academy']; // prettier-ignore

/** After the name of a town, for an organisation. */
export const townOrganizationEndings: readonly string[] = [
  'University',
  'General Hospital',
  'Hospital',
  'High School',
  'City Council',
  'College',
  'Museum',
  'Rovers',
  'United',
  'FC',
  'Police Department',
  'Bank',
  'Orchestra',
  'Times',
  'Herald',
  'Library',
];

/** After the name of a town, for another place. */
export const placeEndings: readonly string[] = [
  'Airport',
  'Station',
  'Bay',
  'Beach',
  'County',
  'District',
  'Valley',
  'Park',
  'Hills',
  'River',
  'Harbour',
  'Castle',
  'Bridge',
];
