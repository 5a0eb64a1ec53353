import { expect } from 'chai';
import type { Json, TextKind } from './contract.ts';
import { atOnce } from '../eventLoop.ts';
import { findingFiles } from './files.ts';
import { findingImages, replacingImages } from './images.ts';
import { visitingMessages } from './messageVisitor.ts';

const hasFiles = (messages: readonly Json[]): boolean => atOnce(findingFiles(messages));
const imagesIn = (messages: readonly Json[]): string[] => atOnce(findingImages(messages));
const withImages = (messages: readonly Json[], replacementOf: () => string): readonly Json[] =>
  atOnce(replacingImages(messages, replacementOf));
const visitMessages = (...call: Parameters<typeof visitingMessages>): Json[] => atOnce(visitingMessages(...call));

const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const OTHER_PNG = 'data:image/png;base64,iVBORw0KGgoA';
const PDF = 'data:application/pdf;base64,JVBERi0xLjQK';
const ENCODED = 'JVBERi0xLjQK'.repeat(40);

function textsIn(messages: readonly Json[]): [text: string, kind: TextKind][] {
  const texts: [string, TextKind][] = [];
  const text = (found: string, kind: TextKind): string => {
    texts.push([found, kind]);
    return found;
  };
  visitMessages(messages, { text }, 'structured_messages');
  return texts;
}

const inMessage = (part: Json): Json[] => [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }, part] }];
const inToolResult = (part: Json): Json[] =>
  inMessage({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'Hello.' }, part] });

/** The texts, images and files in a part. Checks that a message and a tool result give the same. */
function inspect(part: Json): { texts: [string, TextKind][]; images: string[]; files: boolean } {
  const results = [inMessage(part), inToolResult(part)].map((messages) => ({
    texts: textsIn(messages).filter(([text]) => text !== 'Hello.'),
    images: imagesIn(messages),
    files: hasFiles(messages),
  }));
  const [first, second] = results;
  expect(first).to.deep.equal(second);
  return first ?? { texts: [], images: [], files: false };
}

describe('numbers in place of texts', () => {
  it('are visited as texts, and become strings if they are replaced', () => {
    const part = { type: 'text', text: 41111111 };
    const messages: Json[] = [
      { role: 'user', content: 41111111, index: 41111111 },
      { role: 'user', content: [part, 41111111, 5] },
      { role: 'tool', content: 41111111 },
      { type: 'function_call_output', call_id: 'c', output: 41111111 },
    ];
    const replaced = visitMessages(
      messages,
      { text: (text) => text.replace('41111111', '<X>') },
      'structured_messages',
    );
    expect(replaced).to.deep.equal([
      { role: 'user', content: '<X>', index: 41111111 },
      { role: 'user', content: [{ ...part, text: '<X>' }, '<X>', 5] },
      { role: 'tool', content: '<X>' },
      { type: 'function_call_output', call_id: 'c', output: '<X>' },
    ]);
    expect(visitMessages(messages, { text: (text) => text }, 'structured_messages')[0]).to.equal(messages[0]);
  });
});

describe('content parts of unknown types', () => {
  it('visits every text, except ids and signatures', () => {
    const part = {
      ...{ type: 'brand_new', id: 'a', call_id: 'b', signature: 'c', encrypted_index: 'd' },
      ...{ name: 'name', title: 'title', status: 'status', data: 'data', blob: 'blob', detail: 'detail' },
      ...{ list: ['one', { deep: 'deep' }], url: 'https://example.org/a', arguments: '{"a":"b"}' },
      ...{ input: { to: 'to' }, media: { text: 'media' } },
    };
    const { texts, images, files } = inspect(part);
    expect(texts).to.have.deep.members([
      ...['name', 'title', 'status', 'data', 'blob', 'detail', 'one', 'deep', 'media'].map((text) => [text, 'text']),
      ['https://example.org/a', 'address'],
      ['{"a":"b"}', 'arguments'],
      ['{"to":"to"}', 'arguments'],
    ]);
    expect([images, files]).to.deep.equal([[], false]);
  });

  it('finds images in every known form, and as data URLs', () => {
    for (const members of [
      { image_url: PNG },
      { image_url: { url: PNG } },
      { url: PNG },
      { data: PNG },
      { image: PNG },
      { media: { url: PNG } },
      { source: { type: 'also_new', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
    ]) {
      const part = { type: 'brand_new', ...members };
      expect(imagesIn(inMessage(part)), JSON.stringify(members)).to.deep.equal([PNG]);
      const [message] = withImages(inMessage(part), () => OTHER_PNG);
      expect(JSON.stringify(message), JSON.stringify(members)).to.include('iVBORw0KGgoA').and.not.include('Kggo=');
      expect(inspect(part).texts.filter(([text]) => text.includes('iVBOR'))).to.deep.equal([]);
    }
  });

  it('finds references to files, files as data URLs, and other base64', () => {
    for (const members of [
      { file_id: 'file-1' },
      { file_url: 'https://example.org/a.pdf' },
      { file_data: PDF },
      { input_audio: { data: 'AAAA', format: 'wav' } },
      { video_url: { url: 'https://example.org/a.mp4' } },
      { data: ENCODED },
      { anything: ENCODED },
      { media: { data: ENCODED } },
      { media: { url: PDF } },
      { url: PDF },
    ]) {
      const part = { type: 'brand_new', ...members };
      expect(inspect(part).files, JSON.stringify(members)).to.equal(true);
    }
  });
});

describe('content parts of known types', () => {
  it('visits members by their role', () => {
    const messages: Json[] = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'text' }] },
      { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'summary' }], encrypted_content: 'x' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'web_search_call', id: 'w', action: { type: 'search', query: 'query' } },
      { role: 'user', content: [{ type: 'resource_link', uri: 'file:///cv', name: 'name' }] },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'thought', signature: 'x' }] },
    ];
    expect(textsIn(messages)).to.deep.equal([
      ['text', 'text'],
      ['summary', 'text'],
      ['{}', 'arguments'],
      ['query', 'text'],
      ['file:///cv', 'text'],
      ['name', 'text'],
      ['thought', 'thought'],
    ]);
  });

  it('visits members that the type does not declare', () => {
    expect(inspect({ type: 'text', text: 'a', footnote: 'b', more: { note: 'c' } }).texts).to.deep.equal([
      ['a', 'text'],
      ['b', 'text'],
      ['c', 'text'],
    ]);
    expect(inspect({ type: 'image_url', image_url: { url: PNG, caption: 'd' } }).texts).to.deep.equal([['d', 'text']]);
    expect(inspect({ type: 'audio', data: ENCODED }).files).to.equal(true);
  });

  it('finds images in rare forms', () => {
    for (const [part, source] of [
      [{ type: 'computer_screenshot', file_id: 'file-1' }, 'file:file-1'],
      [{ type: 'image', url: 'https://example.org/a.png' }, 'https://example.org/a.png'],
      [{ type: 'image_generation_call', id: 'i', status: 'completed', result: 'iVBORw0KGgo=' }, PNG],
      [{ type: 'image', source: { type: 'new', at: 'x' } }, ''],
    ] as const) {
      expect(inspect(part).images, JSON.stringify(part)).to.deep.equal([source]);
    }
    expect(inspect({ type: 'image_generation_call', id: 'i', result: null }).images).to.deep.equal([]);
  });

  it('replaces an image whose address is a data URL', () => {
    for (const part of [
      { type: 'image', source: { type: 'url', url: PNG } },
      { fileData: { mimeType: 'image/png', fileUri: PNG } },
      { type: 'image_generation_call', result: 'iVBORw0KGgo=' },
    ]) {
      expect(imagesIn([part])).to.deep.equal([PNG]);
      expect(imagesIn(withImages([part], () => OTHER_PNG))).to.deep.equal([OTHER_PNG]);
    }
  });
});

describe('data of a tool', () => {
  it('is visited as one text, and its images and files are found', () => {
    const input = { type: 'anything', name: 'name', deep: [{ image_url: PNG }, { file_data: PNG }, 5] };
    const messages: Json[] = [{ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input }] }];
    expect(textsIn(messages)).to.deep.equal([[JSON.stringify(input), 'arguments']]);
    expect(imagesIn(messages)).to.deep.equal([PNG, PNG]);
    expect(hasFiles(messages)).to.equal(false);
    const part = { type: 'input_file', file_id: 'file-1' };
    expect(hasFiles([{ role: 'tool', content: { part } }])).to.equal(true);
  });
});
