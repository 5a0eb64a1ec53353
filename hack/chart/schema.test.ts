import { expect } from 'chai';
import { parse } from 'yaml';
import { schemaFile, valuesFile, type ValueSchema } from './schema.ts';

const VALUES: Record<string, ValueSchema> = {
  replicas: { type: 'integer', default: 2, description: 'How many.' },
  image: {
    type: 'object',
    description: `The image. ${'More words. '.repeat(20)}`.trimEnd(),
    properties: { tag: { type: 'string', default: '', description: 'The tag.' } },
  },
  affinity: { type: 'object', default: {} },
  env: { type: 'array', default: [], items: { type: 'object', properties: { name: { type: 'string' } } } },
};

describe('values of the chart', () => {
  it('have their defaults in values.yaml, below their descriptions', () => {
    const text = valuesFile(VALUES, 'Header.');
    expect(parse(text)).to.deep.equal({ replicas: 2, image: { tag: '' }, affinity: {}, env: [] });
    expect(text).to.match(/^# Header\.\n/);
    expect(text).to.include('# How many.\nreplicas: 2\n');
    expect(text).to.include('  # The tag.\n  tag: ""\n');
    expect(Math.max(...text.split('\n').map((line) => line.length))).to.be.at.most(112);
  });

  it('are refused by the schema if they are misspelled, at each depth, but a free object has any properties', () => {
    const schema = JSON.parse(schemaFile(VALUES)) as {
      additionalProperties: boolean;
      properties: Record<string, { additionalProperties?: boolean; items?: object }>;
    };
    expect(schema.additionalProperties).to.equal(false);
    expect(schema.properties.image?.additionalProperties).to.equal(false);
    expect(schema.properties.env?.items).to.have.property('additionalProperties', false);
    expect(schema.properties.affinity).not.to.have.property('additionalProperties');
    expect(schema.properties).to.have.property('global');
  });
});
