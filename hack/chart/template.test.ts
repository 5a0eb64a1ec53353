import { expect } from 'chai';
import { edited } from './template.ts';

// The check of generated files compares what else a template has with the chart.
describe('a template', () => {
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
});
