/** Turns a manifest into a template by edits of its text, so that the template keeps the manifest's layout and comments. */
import { parse, stringify } from 'yaml';

/** An edit: a text that occurs exactly once, and its replacement. */
export type Edit = readonly [text: string, replacement: string];

const CLUSTER_SCOPED = new Set(['ClusterRole', 'ClusterRoleBinding', 'Namespace']);
/** What every template writes in place of the namespace of the manifests. `$` is the root also within a `range`. */
export const RELEASE_NAMESPACE = '{{ $.Release.Namespace }}';

/** Escapes the braces of other template languages. */
export function escaped(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}');
}

/** @throws Error if the text of an edit does not occur exactly once: the manifest has changed. */
export function edited(text: string, edits: readonly Edit[]): string {
  return edits.reduce((current, [from, to]) => {
    const parts = current.split(from);
    if (parts.length !== 2) {
      throw new Error(`A template's manifest contains this ${parts.length - 1} times instead of once: ${from}`);
    }
    return parts.join(to);
  }, text);
}

/** Renders the text only if a value is set. */
export function onlyIf(value: string, text: string): string {
  return `{{- if ${value} }}\n${text.trimEnd()}\n{{- end }}\n`;
}

/** The objects of a manifest, each with the comment above it. */
export function objectsIn(manifest: string): string[] {
  return manifest.split(/^---\n/m);
}

/**
 * Lets the labels of a manifest tell the release: what manages its objects, and which release and chart they belong to. `$` is
 * the root also within a `range`.
 * @param name the instance in the manifests
 */
export function releaseLabels(text: string, name: string): string {
  const prefix = 'app.kubernetes.io/';
  const set = (from: string, label: string, value: string, to: string): string =>
    from.replace(new RegExp(`^( +${prefix}${label}): ${value}$`, 'gm'), (_all, head: string) => `${head}: {{ ${to} }}`);
  const chart = '$.Chart.Version | replace "+" "_" | printf "%s-%s" $.Chart.Name | quote';
  // Pods have no label of the chart, and selectors no instance.
  const withChart = text.replace(
    /^ {4}app\.kubernetes\.io\/name: .*\n(?= {4}app\.kubernetes\.io\/instance: )/gm,
    (found) => `${found}    helm.sh/chart: {{ ${chart} }}\n`,
  );
  const managed = set(withChart, 'managed-by', 'kustomize', '$.Release.Service');
  return set(set(managed, 'instance', name, '$.Release.Name | quote'), 'version', '.*', '$.Chart.AppVersion | quote');
}

/** Adds the namespace and labels that a kustomization adds to an object, the labels also to the pods of a workload. */
export function completed(object: string, labels: Readonly<Record<string, string>>): string {
  const { kind, metadata } = parse(object) as {
    readonly kind: string;
    readonly metadata: { readonly namespace?: string; readonly labels?: object };
  };
  const pairs = Object.keys(labels).length === 0 ? '' : indented(stringify(labels), 4);
  const head = /^metadata:\n {2}name: .*\n/m;
  let text = object;
  if (metadata.labels === undefined && pairs !== '')
    text = text.replace(head, (found) => `${found}  labels:\n${pairs}`);
  else text = text.replace(/^ {2}labels:\n/m, (found) => found + pairs);
  const ofPods = /^( {2}template:\n {4}metadata:\n {6}labels:\n)((?: {8}.*\n)+)/m;
  text = text.replace(ofPods, (_all, start: string, own: string) => {
    const others = Object.entries(labels).filter(([label]) => !own.includes(`${label}: `));
    return start + own + (others.length === 0 ? '' : indented(stringify(Object.fromEntries(others)), 8));
  });
  if (metadata.namespace === undefined && !CLUSTER_SCOPED.has(kind)) {
    text = text.replace(head, (found) => `${found}  namespace: ${RELEASE_NAMESPACE}\n`);
  }
  return text;
}

/** The lines of a text, indented. */
export function indented(text: string, spaces: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(spaces));
}
