import { parseArgs } from 'node:util';

/** The settings of `npm start`. */
export interface StartSettings {
  /** Port of the development gateway on 127.0.0.1. */
  gatewayPort: number;
  /** Port of the API server on 127.0.0.1; undefined: the last one, or a free one. */
  apiPort: number | undefined;
  /** Whether to delete the data of earlier runs. */
  reset: boolean;
  /** An external gateway, which replaces the development gateway. */
  gateway: { url: string; masterKey: string } | undefined;
}

/** Invalid settings. The message says how to correct them. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

export const HELP = `Runs the project on this machine's loopback interface until Ctrl-C. First starts a development gateway with
an echo model and a guardrail with its playground, then a Kubernetes API server, the operator, and sample customers. The
first run fetches or builds the API server. The gateway and the guardrail do not need it.

npm start -- [flags]

  --gateway-port PORT   port of the development gateway (default 4000; 0: a free one); the playground uses the next port
                        if it is free
  --api-port PORT       port of the API server (default: the last one, or a free one)
  --reset               delete the data of earlier runs in .local first
  --help                print this help

  GATEWAY_URL           external gateway, such as LiteLLM's proxy, that replaces the development gateway
  GATEWAY_MASTER_KEY    its master key

Exit code: 0 after Ctrl-C, 130 after Ctrl-C before everything is ready, 1 after a failure.
`;

const KNOWN = {
  'gateway-port': { type: 'string' },
  'api-port': { type: 'string' },
  reset: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/**
 * Reads the settings from the flags and the environment.
 * @throws SettingsError
 */
export function readSettings(args: readonly string[], env: NodeJS.ProcessEnv): StartSettings | 'help' {
  const values = parse(args);
  if (values.help === true) return 'help';
  const { GATEWAY_URL: url = '', GATEWAY_MASTER_KEY: masterKey = '' } = env;
  if (url !== '' && masterKey === '')
    throw new SettingsError('GATEWAY_URL is set without GATEWAY_MASTER_KEY. Set both, or neither.');
  if (url === '' && masterKey !== '')
    throw new SettingsError('GATEWAY_MASTER_KEY is set without GATEWAY_URL. Set both, or neither.');
  if (url !== '' && !/^https?:\/\/[^/?#@]+(\/[^?#]*)?$/.test(url)) {
    throw new SettingsError(
      'GATEWAY_URL must be an http or https address without credentials, query or fragment, such as http://127.0.0.1:4000.',
    );
  }
  return {
    gatewayPort: port('--gateway-port', values['gateway-port']) ?? 4000,
    apiPort: port('--api-port', values['api-port']) ?? undefined,
    reset: values.reset === true,
    gateway: url === '' ? undefined : { url: url.replace(/\/+$/, ''), masterKey },
  };
}

function parse(args: readonly string[]): Partial<Record<keyof typeof KNOWN, string | boolean>> {
  try {
    return parseArgs({ args: [...args], options: KNOWN, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const reason = (error as Error).message.split('. ')[0] ?? '';
    throw new SettingsError(`${reason.replace(/\.$/, '')}. To list the flags, run npm start -- --help.`);
  }
}

function port(flag: string, text: string | boolean | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || !/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new SettingsError(`${flag} must be an integer from 0 to 65535, but is ${JSON.stringify(text)}.`);
  }
  return Number(text);
}
