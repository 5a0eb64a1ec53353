/** Stands in for the module of client-node that authenticates with OpenID Connect: its packages are loaded on first use. */
import type { User } from '@kubernetes/client-node';

interface Authenticator {
  applyAuthentication(user: User, options: object): Promise<void>;
}

/** Used by `KubeConfig` for users with the authentication provider `oidc`. */
export class OpenIDConnectAuth implements Authenticator {
  #loading: Promise<Authenticator> | undefined;

  isAuthProvider(user: User): boolean {
    return (user.authProvider as { readonly name?: unknown } | undefined)?.name === 'oidc';
  }

  async applyAuthentication(user: User, options: object): Promise<void> {
    // It keeps the token.
    this.#loading ??= create();
    await (await this.#loading).applyAuthentication(user, options);
  }
}

async function create(): Promise<Authenticator> {
  const { OpenIDConnectAuth: Loaded } = await import('@kubernetes/client-node/dist/oidc_auth.js');
  return new Loaded();
}
