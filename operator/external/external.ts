/** The face of this folder: what customers and budgets have in common as resources that stand for a record at a gateway. */
export {
  type Claim,
  type Claimant,
  claimKey,
  type ClaimRules,
  Claims,
  isForeign,
  type Ownership,
  reapplyGraceMs,
  yieldsTo,
} from './claims.ts';
export type { External, ExternalStatus, RecordOwnership } from './resource.ts';
