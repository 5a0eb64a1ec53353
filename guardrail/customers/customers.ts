/**
 * Who may call: the customer list that the operator compiles from its customers, and the decision about a call. The list
 * contains keyed hashes, never names.
 */
export {
  createAccess,
  keyHashOf,
  type Access,
  type AccessDecision,
  type AccessState,
  type NamedCaller,
} from './access.ts';
export { listHash, listKey, type ListHash } from './listHash.ts';
export { openCustomerList } from './listSource.ts';
export { CustomerListError, readCustomerList, type CustomerList } from './readList.ts';
export {
  CustomerListTooLargeError,
  customerListRevision,
  MAX_SHARDS,
  shardName,
  writeCustomerList,
  type CustomerEntry,
  type UnknownCustomers,
  type WriteOptions,
} from './writeList.ts';
