/**
 * Who may call: the customer list that the operator compiles from its customers, and the decision about a call. The list
 * contains keyed hashes, never names.
 */
export { createAccess, keyHashOf, type Access, type AccessState, type NamedCaller } from './access.ts';
export { listHash, listKey, type ListHash } from './listHash.ts';
export { openCustomerList, type CustomerListSource } from './listSource.ts';
export { CustomerListError, readCustomerList, type CustomerList } from './readList.ts';
export {
  CustomerListTooLargeError,
  customerListRevision,
  MAX_SHARDS,
  shardName,
  writeCustomerList,
  type CustomerEntry,
  type UnknownCustomers,
} from './writeList.ts';
