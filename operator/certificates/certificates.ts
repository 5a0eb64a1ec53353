/** The face of this folder: issues certificates, and replaces them before they expire. */
export { bundleOf, issuingAuthority, nextAuthorities, readAuthorities, writeAuthorities } from './authorities.ts';
export { hasPrivateKey, mergedCertificates } from './blocks.ts';
export { certificateProblem } from './check.ts';
export { isIssuedFor, issue, type Authority, type KeyPair, type Usage, validityOf } from './issue.ts';
export { isDue } from './rotation.ts';
