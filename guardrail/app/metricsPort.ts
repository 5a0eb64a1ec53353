/** The port of /metrics, which a process with workers serves for all of them. */
import { closeTls, serveMetrics, type Listening, type TlsFiles } from '../http/http.ts';
import type { Settings } from '../settings/settings.ts';
import { openLive, openTls } from './liveSettings.ts';
import type { Report } from './report.ts';

/** The settings, with metrics. */
export interface MetricsSettings extends Settings {
  readonly METRICS_PORT: number;
}

/**
 * Serves metrics as the settings say.
 * @param tls the certificates, if the caller has opened and closes them; default: those of the settings
 * @param exposition returns the metrics in the text format of Prometheus
 * @throws Error with one sentence if it cannot listen
 */
export async function serveMetricsOf(
  settings: MetricsSettings,
  { report, tls: shared }: { readonly report: Report; readonly tls?: TlsFiles | undefined },
  exposition: () => Promise<string>,
): Promise<Listening> {
  const { HOST: host, METRICS_PORT: port, METRICS_TOKEN: secret } = settings;
  const own = shared ? undefined : openTls('TLS', settings, report);
  const token = secret && openLive('METRICS_TOKEN', secret, report);
  const close = (): void => {
    if (own) closeTls(own);
    token?.close();
  };
  try {
    const served = await serveMetrics(exposition, {
      host,
      port,
      tls: shared ?? own,
      token: token && (() => token.current),
    });
    return {
      port: served.port,
      async close(graceMs) {
        await served.close(graceMs);
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}
