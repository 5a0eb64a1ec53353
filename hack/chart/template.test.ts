import { expect } from 'chai';
import { parse } from 'yaml';
import { completed, edited, escaped, onlyIf } from './template.ts';

const SERVICE = 'apiVersion: v1\nkind: Service\nmetadata:\n  name: s # why\nspec:\n  ports: []\n';
const ROLE = 'kind: ClusterRole\nmetadata:\n  name: r\n  labels:\n    a: b\nrules: []\n';

describe('a template', () => {
  it('has the namespace and labels that the kustomization adds, and keeps comments', () => {
    const text = completed(SERVICE, { team: 'ai' });
    expect(text.replace('{{ $.Release.Namespace }}', 'n')).to.satisfy((yaml: string) => {
      expect(parse(yaml))
        .to.have.property('metadata')
        .that.deep.equals({
          name: 's',
          namespace: 'n',
          labels: { team: 'ai' },
        });
      return true;
    });
    expect(text).to.include('name: s # why');
  });

  it('keeps the labels of the manifest, and has no namespace if the kind has none', () => {
    expect(parse(completed(ROLE, { team: 'ai' })))
      .to.have.property('metadata')
      .that.deep.equals({
        name: 'r',
        labels: { team: 'ai', a: 'b' },
      });
  });

  it('has no labels if the kustomization adds none', () => {
    expect(completed(ROLE, {})).to.equal(ROLE);
  });

  it('is edited where the text occurs once, and not generated where it does not', () => {
    expect(edited('replicas: 2\n', [['replicas: 2', 'replicas: {{ .Values.replicas }}']])).to.equal(
      'replicas: {{ .Values.replicas }}\n',
    );
    for (const [text, times] of [
      ['replicas: 3', 0],
      ['replicas: 2\nreplicas: 2', 2],
    ] as const) {
      expect(() => edited(text, [['replicas: 2', '']])).to.throw(`${times} times instead of once: replicas: 2`);
    }
  });

  it('keeps a replacement with $ as it is', () => {
    expect(edited('a', [['a', "$& $' {{ $.x }}"]])).to.equal("$& $' {{ $.x }}");
  });

  it('escapes the braces of other template languages', () => {
    expect(escaped('{{ $labels.name }}')).to.equal('{{ "{{" }} $labels.name }}');
  });

  it('can depend on a value', () => {
    expect(onlyIf('.Values.x', 'a: b\n')).to.equal('{{- if .Values.x }}\na: b\n{{- end }}\n');
  });
});
