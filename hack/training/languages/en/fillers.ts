import { split } from '../../words.ts';

export const months: readonly string[] = split(
  'January February March April May June July August September October November December',
);

export const weekdays: readonly string[] = split('Monday Tuesday Wednesday Thursday Friday Saturday Sunday');

/** Names of columns and fields. */
export const columns: readonly string[] =
  split(`Name Full_Name First_Name Last_Name Surname Role Position Title Department Team Status Rank Score Points Driver Player Item
  Quantity Price Amount Total Date Start End Location City Country Email Phone Owner Author Reviewer Assignee Customer Client Employee
  Manager Notes Comment Category Type Priority Due Gender Age Height Weight Grade Subject Course Room Floor Seat Model Colour Size`);

export const departments: readonly string[] = split(
  'Human_Resources Finance Accounting Marketing Sales Engineering Customer_Service Procurement Legal Operations Quality_Assurance Research_and_Development IT_Support Public_Relations Facilities Logistics Payroll Design Security Training Purchasing Administration Product_Management Data_Science Internal_Audit Communications',
).map((name) => name.replaceAll('_', ' '));

export const levels: readonly string[] = split(
  'Senior Junior Lead Principal Staff Associate Chief Head Assistant Deputy Trainee Freelance Interim Executive',
);

export const jobs: readonly string[] = split(
  'Engineer Developer Designer Analyst Consultant Manager Architect Administrator Accountant Nurse Technician Teacher Lecturer Researcher Editor Writer Translator Chef Electrician Plumber Mechanic Driver Cashier Receptionist Coordinator Specialist Officer Director Controller Auditor Recruiter Planner Buyer Clerk Operator Scientist Tester Strategist Producer Surveyor',
);

export const fields: readonly string[] = split(
  'Software Backend Frontend Mechanical Civil Electrical Data Systems Network Security Quality Marketing Sales Product Project Account Business Financial Tax Legal Graphic Interior Web Mobile Cloud Machine_Learning Supply_Chain Customer_Success Content Research Process Human_Factors Test Embedded',
).map((name) => name.replaceAll('_', ' '));

/** Words in product names: material, make, use. */
export const goods: readonly string[] = split(
  'Oak Wool Linen Cotton Merino Leather Denim Bamboo Ceramic Glass Steel Copper Classic Vintage Deluxe Premium Compact Portable Folding Wireless Smart Organic Spicy Creamy Roasted Grilled Fresh Lemon Chocolate Vanilla Winter Summer Trail Travel Kids Navy Washed Slim Ultra Pro Mini Maxi Everyday Natural Handmade Solid Soft Heavy Light Eco Alpine Ocean Urban Sport',
);

/** Kinds of organisations, not their names. */
export const groups: readonly string[] = split(
  'company firm bank orchestra choir club association university hospital agency startup institute museum foundation union committee office shop store brewery bakery school college ministry court newspaper publisher airline hotel restaurant charity league team band cooperative consultancy laboratory network provider manufacturer retailer',
);

/** Words of organisation names that often have another meaning: "the Software", "a bank of switches". */
export const orgWords: readonly string[] = split(
  'software library system group bank company foundation service network solution association institute university program work product licence licensor contributor distributor trust capital insurance security data design research engineering management market agency store record press power energy water supply trading transport union council committee corporation partner studio academy hospital club team office party society authority board fund exchange',
);

export const kin: readonly string[] = split(
  'mother father sister brother grandmother grandfather aunt uncle cousin niece nephew daughter son wife husband partner mom dad mum grandma grandpa godfather neighbour boss landlord friend colleague teacher doctor',
);

export const mathWords: readonly string[] = split(
  'theorem lemma inequality method matrix distribution equation norm space test filter transform series integral criterion process algorithm scheme solver mesh coefficient correction statistic factor formula law effect constant operator polynomial kernel sequence identity bound',
);

export const mathEnvironments: readonly string[] = split(
  'theorem lemma proof definition corollary proposition remark example',
);
