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
  /** The ports of its container. */
  readonly ports?: readonly { readonly containerPort: number }[];
  /** The API key of the guardrail. */
  readonly hasKey?: boolean;
  /** The authority of the guardrail's certificate. */
  readonly trusts?: boolean;
  /** A certificate for the guardrail. */
  readonly hasCertificate?: boolean;
}

/** The Deployment `litellm`. */
export function gatewayManifest({
  ports,
  hasKey = false,
  trusts = false,
  hasCertificate = false,
}: GatewayParts = {}): object {
  const key = { secretKeyRef: { name: 'main-guardrail-api-key', key: 'api-key' } };
  const mounted = [
    ...[CONFIG, ...(trusts ? [CA] : [])].map(({ configMap, ...rest }) => ({ ...rest, configMap: { name: configMap } })),
    ...(hasCertificate ? [CERTIFICATE] : []),
  ];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'litellm', labels: { app: 'litellm' } },
    spec: {
      selector: { matchLabels: { app: 'litellm' } },
      template: {
        metadata: { labels: { app: 'litellm' } },
        spec: {
          containers: [
            {
              name: 'litellm',
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
