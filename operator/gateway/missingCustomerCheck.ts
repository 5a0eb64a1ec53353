/**
 * Second looks at a gateway whose word for a missing customer is not known: a 404 counts where the same path serves a
 * customer that is there, and answers for an id that nobody has just as it answered for the one in question.
 */
import { randomUUID } from 'node:crypto';

/** What a question about one customer brought. */
export type LookupResult =
  | { readonly kind: 'there' }
  /** A 404 that may mean the path; `words` are what the gateway says, without the id. */
  | { readonly kind: 'unclear'; readonly words: string }
  | { readonly kind: 'other' };

/** Customers that the gateway has served lately, as witnesses that the path works. More than one, since one may go. */
const witnessesKept = 8;

/** Confirms that customers are missing at one gateway. */
export class MissingCustomerCheck {
  #witnesses: readonly string[] = [];

  /** To be called whenever the gateway has served a customer. */
  recordFound(customerId: string): void {
    if (this.#witnesses.at(-1) === customerId) return;
    this.#witnesses = [...this.#witnesses.filter((id) => id !== customerId), customerId].slice(-witnessesKept);
  }

  /** Whether an unclear 404 for a customer means that it is missing. */
  async confirms(
    customerId: string,
    words: string,
    look: (customerId: string) => Promise<LookupResult>,
  ): Promise<boolean> {
    const witness = this.#witnesses.findLast((id) => id !== customerId);
    if (witness === undefined) return false;
    const usual = await notFoundQuote(witness, look);
    if (usual === undefined) this.#witnesses = this.#witnesses.filter((id) => id !== witness);
    return usual === words;
  }
}

/**
 * What a gateway says of an id that no customer has, while the same path serves one that is there, before and after.
 * @returns undefined where it does not serve that one, or its answer for nobody is no unclear 404
 */
export async function notFoundQuote(
  witness: string,
  look: (customerId: string) => Promise<LookupResult>,
): Promise<string | undefined> {
  const served = async (): Promise<boolean> => (await look(witness)).kind === 'there';
  if (!(await served())) return undefined;
  const answer = await look(`gcust-nobody-${randomUUID()}`);
  return answer.kind === 'unclear' && (await served()) ? answer.words : undefined;
}
