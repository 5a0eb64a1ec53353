/** The text of imported manifests. Pure. */
import { Document, Scalar, visit } from 'yaml';
import type { Decision, Manifest } from './plan.ts';

const style = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 } as const;
/** A key that means itself in every version of YAML. Keys of metadata and names of models may be anything. */
const plainKey = /^(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z][a-z0-9]*$/i;

/** kubectl reads YAML 1.1, in which an unquoted `yes` is a boolean, and `012` is a number. */
function yamlOf(manifest: Manifest): string {
  const document = new Document(manifest);
  visit(document, {
    Pair: (_, { key }) => {
      if (key instanceof Scalar && !plainKey.test(String(key.value))) key.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString(style);
}

/** The YAML document of a decision; a comment if there is no manifest, and empty text for what needs no mention. */
export function documentOf(noun: 'customer' | 'budget', decision: Decision): string {
  switch (decision.is) {
    case 'manifest': {
      const { manifest, unexpressed, ownLimits } = decision;
      const notes = [
        ...(unexpressed.length === 0
          ? []
          : [
              `The spec cannot express these fields, which stay as they are at the gateway: ${unexpressed.join(', ')}.`,
            ]),
        ...(ownLimits === undefined
          ? []
          : [
              `Only this customer has its budget. To change the limits, replace budgetId by limits. Now: ${ownLimits}.`,
            ]),
      ];
      return `---\n${notes.map((note) => `# ${printable(note)}\n`).join('')}${yamlOf(manifest)}`;
    }
    case 'refused':
      return `# Not imported: ${noun} ${printable(JSON.stringify(decision.id))}: ${decision.why}.\n`;
    case 'known':
    case 'internal':
      return '';
  }
}

/** A text on one line. Comments of YAML may not contain control characters, and some readers end lines at others. */
function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
