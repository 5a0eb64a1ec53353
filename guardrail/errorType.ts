/** Codes of Node and of undici, which no caller chooses. */
const SYSTEM_CODE = /^(?:E[A-Z0-9]{2,15}|(?:ERR|UND_ERR)_[A-Z0-9_]{1,48})$/;

/** Names an error without its message, which may quote what a caller sent: by the code of the system, or by its class. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && SYSTEM_CODE.test(code) ? code : error.constructor.name;
}
