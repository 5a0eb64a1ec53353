/** The sections of the reference about resources. Pure. */
import { needsUser } from '../../operator/conditions/conditions.ts';
import type { PrinterColumn } from '../crdgen/checks.ts';
import type { StructuralSchema } from '../crdgen/schema.ts';
import { type Field, type FieldTable, fieldTables } from './fields.ts';
import { anchored, anchorOf, code, plain, table } from './markdown.ts';
import { ruleMessages, typeText } from './schemaText.ts';

/** A CRD, as it is generated. */
export interface Crd {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string; readonly shortNames: readonly string[] };
    readonly versions: readonly {
      readonly name: string;
      readonly additionalPrinterColumns: readonly PrinterColumn[];
      readonly schema: { readonly openAPIV3Schema: StructuralSchema };
    }[];
  };
}

/** What the conditions and events of a kind are. */
export interface Reports {
  /** By type: its reasons, and the sentence that is true while its status is True. */
  readonly conditions: readonly {
    readonly type: string;
    readonly meaning: string;
    readonly reasons: readonly string[];
  }[];
  readonly events: readonly string[];
  /** The page about the task for which people use the kind. */
  readonly page: string;
}

/** The section of a kind. */
export function resourceSection(crd: Crd, reports: Reports, reasonTexts: Readonly<Record<string, string>>): string {
  const { group, names, versions } = crd.spec;
  const [version] = versions;
  if (version === undefined) throw new Error(`${names.kind} has no version.`);
  const schema = version.schema.openAPIV3Schema;
  const { spec = {}, status = {} } = schema.properties ?? {};
  return [
    `## ${names.kind}`,
    plain(schema.description ?? ''),
    `\`apiVersion: ${group}/${version.name}\`, \`kubectl get ${names.shortNames[0] ?? names.plural}\`. ${reports.page} shows how to use it.`,
    ...rules(ruleMessages(schema), 'The whole resource'),
    ...fieldTables('spec', spec).flatMap((one) => fieldSection(names.kind, one)),
    ...fieldTables('status', status).flatMap((one) => fieldSection(names.kind, one)),
    ...reportSections(names.kind, reports, reasonTexts),
    `### ${names.kind}: columns`,
    table(
      ['Column', 'Shown', 'Field', 'Meaning'],
      version.additionalPrinterColumns.map(({ name, priority, jsonPath, description }) => [
        code(name.toUpperCase()),
        priority === undefined || priority === 0 ? 'always' : 'with `-o wide`',
        code(jsonPath),
        plain(description ?? ''),
      ]),
    ),
  ].join('\n\n');
}

function fieldSection(kind: string, { path, schema, fields }: FieldTable): string[] {
  const isStatus = path.startsWith('status');
  return [
    `### ${kind}: ${code(path)}`,
    ...(path === 'spec' || path === 'status' ? [] : [plain(schema.description ?? '')]),
    ...rules(path === 'spec' ? ruleMessages(schema) : [], `${code(path)} as a whole`),
    isStatus
      ? table(
          ['Field', 'Type', 'Description'],
          fields.map((field) => [nameOf(kind, field), typeText(field.schema), describe(field)]),
        )
      : table(
          ['Field', 'Type and limits', 'Default', 'Description'],
          fields.map((field) => [nameOf(kind, field), typeText(field.schema), fallbackOf(field), describe(field)]),
        ),
  ].filter((text) => text !== '');
}

function nameOf(kind: string, { path }: Field): string {
  return anchored(`${kind}.${path}`, path.replace(/^(?:spec|status)\./, ''));
}

function fallbackOf({ schema, isRequired }: Field): string {
  if (isRequired) return 'required';
  if (schema.default === undefined) return '';
  return code(typeof schema.default === 'string' ? schema.default : JSON.stringify(schema.default));
}

function describe({ path, schema }: Field): string {
  const text = plain(schema.description ?? schema.items?.description ?? '');
  const link = path === 'status.conditions' ? ' See [Conditions](#conditions).' : '';
  const messages = path.startsWith('status') ? [] : ruleMessages(schema);
  return [`${text}${link}`, ...messages.map((message) => `Rule: ${sentence(message)}`)].join('<br>');
}

function rules(messages: readonly string[], subject: string): string[] {
  if (messages.length === 0) return [];
  return [`${subject} has rules:`, messages.map((message) => `- ${sentence(message)}`).join('\n')];
}

function sentence(message: string): string {
  return `${plain(message)}${message.endsWith('.') ? '' : '.'}`;
}

function reportSections(
  kind: string,
  { conditions, events }: Reports,
  texts: Readonly<Record<string, string>>,
): string[] {
  const textOf = (reason: string): string => plain(texts[reason] ?? '');
  return [
    `### ${kind}: conditions`,
    table(
      ['Condition', 'True when', 'Reason', 'Meaning of the reason', 'A user must act'],
      conditions.flatMap(({ type, meaning, reasons }) =>
        reasons.map((reason, at) => [
          at === 0 ? anchored(`${kind}-condition-${type}`, type) : '',
          at === 0 ? plain(meaning) : '',
          code(reason),
          textOf(reason),
          needsUser(reason) ? 'yes' : '',
        ]),
      ),
    ),
    `### ${kind}: events`,
    table(
      ['Reason', 'Meaning'],
      events.map((reason) => [code(reason), textOf(reason)]),
    ),
  ];
}

/** The link to a section of a kind. */
export function linkTo(heading: string): string {
  return `[${heading}](#${anchorOf(heading)})`;
}
