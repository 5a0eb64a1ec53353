import type { Span } from './contract.ts';
import type { DropReason } from './trace.ts';
import { withAddresses } from './addresses.ts';
import { withAddressLines } from './addressLines.ts';
import { withAddressParts } from './addressParts.ts';
import { withDwellings } from './dwellings.ts';
import { withFamilyNames } from './familyNames.ts';
import { withHomes } from './homes.ts';
import { withIntroductions } from './introductions.ts';

/** A step after the recognizers and the model: it corrects or completes what they have found. */
export interface Step {
  readonly id: string;
  /** Why spans that it takes away are no finds. Undefined: it takes none away. */
  readonly drops?: DropReason;
  /** @returns the spans after the step; the same list if it changes none. */
  readonly apply: (text: string, spans: readonly Span[]) => readonly Span[];
}

/** The steps in their order. Each needs what the ones before it have found. */
export const steps: readonly Step[] = [
  { id: 'introductions', apply: withIntroductions },
  { id: 'familyNames', apply: withFamilyNames },
  { id: 'homes', apply: withHomes },
  { id: 'dwellings', apply: withDwellings },
  { id: 'addresses', apply: withAddresses },
  { id: 'addressParts', drops: 'joined', apply: withAddressParts },
  { id: 'addressLines', apply: withAddressLines },
];
