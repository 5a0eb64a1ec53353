/** The manifest of a gateway, as its owner deploys it. */

/** A folder in the gateway that has the files of a ConfigMap. */
interface Mounted {
  readonly name: string;
  readonly configMap: string;
  readonly path: string;
}

const CONFIG: Mounted = { name: 'config', configMap: 'litellm-config', path: '/etc/litellm' };
const CA: Mounted = { name: 'guardrail-ca', configMap: 'main-guardrail-ca', path: '/etc/guardrail-ca' };
const CERTIFICATE = {
  name: 'guardrail-client',
  path: '/etc/guardrail-client',
  secret: { secretName: 'main-guardrail-client' },
};

/** What the owner has added for the guardrail of the instance `main`. */
export interface GatewayParts {
  /** Its name, also that of its container. */
  readonly name?: string;
  /** Init containers of its owner. */
  readonly initContainers?: readonly object[];
  /** The configuration that the operator writes. */
  readonly hasConfig?: boolean;
  /** The ports of its container. */
  readonly ports?: readonly { readonly containerPort: number }[];
  /** The API key of the guardrail. */
  readonly hasKey?: boolean;
  /** The authority of the guardrail's certificate. */
  readonly trusts?: boolean;
  /** A certificate for the guardrail. */
  readonly hasCertificate?: boolean;
}

/** The Deployment of a gateway, by default `litellm` with its configuration. */
export function gatewayManifest({
  name: own = 'litellm',
  initContainers,
  ports,
  hasConfig = true,
  hasKey = false,
  trusts = false,
  hasCertificate = false,
}: GatewayParts = {}): object {
  const key = { secretKeyRef: { name: 'main-guardrail-api-key', key: 'api-key' } };
  const mounted = [
    ...[...(hasConfig ? [CONFIG] : []), ...(trusts ? [CA] : [])].map(({ configMap, ...rest }) => ({
      ...rest,
      configMap: { name: configMap },
    })),
    ...(hasCertificate ? [CERTIFICATE] : []),
  ];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: own, labels: { app: own } },
    spec: {
      selector: { matchLabels: { app: own } },
      template: {
        metadata: { labels: { app: own } },
        spec: {
          ...(initContainers && { initContainers }),
          containers: [
            {
              name: own,
              image: 'litellm:1',
              ...(ports && { ports }),
              ...(hasKey ? { env: [{ name: 'GUARDRAIL_API_KEY', valueFrom: key }] } : {}),
              volumeMounts: mounted.map(({ name, path }) => ({ name, mountPath: path })),
            },
          ],
          volumes: mounted.map(({ path: _path, ...volume }) => volume),
        },
      },
    },
  };
}
