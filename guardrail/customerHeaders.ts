/** The headers in which LiteLLM always looks for the customer of a call, in lower case. */
export const STANDARD_CUSTOMER_HEADERS = ['x-litellm-customer-id', 'x-litellm-end-user-id'] as const;
