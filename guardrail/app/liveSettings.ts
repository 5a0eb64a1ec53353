/** Opens the settings whose files are read again when they change. */
import type { TlsFiles } from '../http/http.ts';
import type { Live } from '../liveFile.ts';
import { openSecret, type Secret, type Settings } from '../settings/settings.ts';
import { settingProblem, type Report } from './report.ts';

/** The settings of a certificate begin with this. */
type TlsPrefix = 'TLS' | 'EXT_PROC_TLS';

type LiveName =
  | 'API_KEYS'
  | 'ENCRYPTION_KEYS'
  | 'METRICS_TOKEN'
  | `${TlsPrefix}_CERT`
  | `${TlsPrefix}_KEY`
  | `${TlsPrefix}_CLIENT_CA`;

export function openLive<T>(name: LiveName, secret: Secret<T>, report: Report): Live<T> {
  return openSecret(secret, (problem) => {
    report(settingProblem(`${name}_FILE`, problem));
  });
}

/** Opens certificates. @returns undefined without a certificate: plain text */
export function openTls(prefix: TlsPrefix, settings: Settings, report: Report): TlsFiles | undefined {
  const [certName, keyName, clientCaName] = [`${prefix}_CERT`, `${prefix}_KEY`, `${prefix}_CLIENT_CA`] as const;
  const { [certName]: certificate, [keyName]: key, [clientCaName]: clientCa } = settings;
  if (!certificate || !key) return undefined;
  return {
    certificate: openLive(certName, certificate, report),
    key: openLive(keyName, key, report),
    clientCa: clientCa && openLive(clientCaName, clientCa, report),
    settings: { certificate: `GUARDRAIL_${certName}`, key: `GUARDRAIL_${keyName}` },
    report,
  };
}
