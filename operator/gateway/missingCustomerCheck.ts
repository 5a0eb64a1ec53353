/**
 * Confirms a missing customer at a gateway whose 404 for it is not known. A 404 is accepted if the same path serves an
 * existing customer and returns the same response for a random id as for the requested id.
 */
import { randomUUID } from 'node:crypto';

/** The result of one lookup. */
export type LookupResult =
  | { readonly kind: 'found' }
  /** A 404 that may mean the path. `message` is the gateway's message without the id. */
  | { readonly kind: 'unclear'; readonly message: string }
  | { readonly kind: 'other' };

/**
 * The number of recently served customers that are kept to check the path. There are several, because one may be
 * deleted.
 */
const maxWitnesses = 8;

/** Confirms that customers are missing at one gateway. */
export class MissingCustomerCheck {
  #witnesses: readonly string[] = [];

  /** Records that the gateway has served a customer. */
  recordFound(customerId: string): void {
    if (this.#witnesses.at(-1) === customerId) return;
    this.#witnesses = [...this.#witnesses.filter((id) => id !== customerId), customerId].slice(-maxWitnesses);
  }

  /** Whether an unclear 404 for a customer means that the customer does not exist. */
  async confirms(
    customerId: string,
    message: string,
    lookUp: (customerId: string) => Promise<LookupResult>,
  ): Promise<boolean> {
    const witness = this.#witnesses.findLast((id) => id !== customerId);
    if (witness === undefined) return false;
    const expected = await notFoundQuote(witness, lookUp);
    if (expected === undefined) this.#witnesses = this.#witnesses.filter((id) => id !== witness);
    return expected === message;
  }
}

/**
 * The gateway's message for an unused id. The lookup is valid only if the same path serves the witness before and after
 * it.
 * @returns undefined if the witness is not served, or if the lookup does not result in an unclear 404
 */
export async function notFoundQuote(
  witness: string,
  lookUp: (customerId: string) => Promise<LookupResult>,
): Promise<string | undefined> {
  const served = async (): Promise<boolean> => (await lookUp(witness)).kind === 'found';
  if (!(await served())) return undefined;
  const result = await lookUp(`gcust-nobody-${randomUUID()}`);
  return result.kind === 'unclear' && (await served()) ? result.message : undefined;
}
