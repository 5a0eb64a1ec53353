/** Decides whether an unclear 404 means that a customer is missing: a 404 whose form is not LiteLLM's. */
import { GatewayError } from './errors.ts';
import { wrongEndpointRemedy } from './errorResponse.ts';

/** The shortest time between two equal responses, in milliseconds. An outage mostly ends or changes its form before. */
const repeatAfterMs = 5_000;
/**
 * The maximum number of customers whose first response is kept. The oldest are dropped first: their next response counts
 * as the first again.
 */
const maxPending = 10_000;

/**
 * A path that no gateway has. A gateway without the path of the lookup responds to both in the same way, because routes
 * are selected by the beginning of a path.
 */
export const controlPath = '/customer/info/gcust-no-such-path';

interface Pending {
  readonly answer: string;
  readonly at: number;
}

/**
 * Confirms that customers are missing at one gateway. Two equal 404s for a customer, some seconds apart, mean that it is
 * missing, unless the gateway responds in the same way for a path that does not exist.
 */
export class MissingCustomers {
  readonly #now: () => number;
  readonly #pending = new Map<string, Pending>();

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records that the gateway has served a customer. */
  recordFound(customerId: string): void {
    this.#pending.delete(customerId);
  }

  /**
   * Whether an unclear 404 for a customer confirms that it does not exist.
   * @param askControl gets the response for {@link controlPath}; undefined if it is not a 404
   * @throws GatewayError of kind `unconfirmed` that says what is missing, or the error of the control call
   */
  async confirms(
    customerId: string,
    error: GatewayError,
    askControl: () => Promise<GatewayError | undefined>,
  ): Promise<boolean> {
    const answer = error.answer ?? '';
    const first = this.#pending.get(customerId);
    if (first?.answer === answer) {
      if (this.#now() - first.at < repeatAfterMs) throw incomplete(error);
      this.#pending.delete(customerId);
      return true;
    }
    this.#pending.delete(customerId);
    const control = await askControl();
    if (control?.answer === answer) throw missingPath(error);
    this.#keep(customerId, { answer, at: this.#now() });
    throw incomplete(error);
  }

  #keep(customerId: string, pending: Pending): void {
    this.#pending.set(customerId, pending);
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > maxPending && oldest !== undefined) this.#pending.delete(oldest);
  }
}

function incomplete(error: GatewayError): GatewayError {
  return unconfirmed(
    error,
    `${error.message} This does not show that the customer is missing: the operator needs the same response again after ${repeatAfterMs / 1_000} s.`,
  );
}

function missingPath(error: GatewayError): GatewayError {
  return unconfirmed(
    error,
    `${error.message} It returns the same for a path that does not exist. ${wrongEndpointRemedy}`,
  );
}

function unconfirmed(cause: GatewayError, message: string): GatewayError {
  const { operation, status, answer } = cause;
  return new GatewayError('unconfirmed', operation, message, {
    ...(status === undefined ? {} : { status }),
    ...(answer === undefined ? {} : { answer }),
  });
}
