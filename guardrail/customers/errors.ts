/** There is no valid customer list, so nobody knows who may call. The caller gets 502. */
export class CustomersUnavailableError extends Error {
  override readonly name = 'CustomersUnavailableError';
  constructor() {
    super('The guardrail has no valid list of customers, so that it cannot tell who may call.');
  }
}
