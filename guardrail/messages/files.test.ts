import { expect } from 'chai';
import type { Json } from './contract.ts';
import { atOnce } from '../eventLoop.ts';
import { findingFiles } from './files.ts';

const hasFiles = (messages: readonly Json[]): boolean => atOnce(findingFiles(messages));

const PDF = 'data:application/pdf;base64,JVBERi0xLjQK';

const FILES: [what: string, part: Json][] = [
  ['a file in a chat', { type: 'file', file: { filename: 'cv.pdf', file_data: PDF } }],
  ['an uploaded file in a chat', { type: 'file', file: { file_id: 'file-1' } }],
  ['a file in a response', { type: 'input_file', filename: 'cv.pdf', file_data: PDF }],
  ['a file in a response, by address', { type: 'input_file', file_url: 'https://example.org/cv.pdf' }],
  ['a document', { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } }],
  ['a document, by address', { type: 'document', source: { type: 'url', url: 'https://example.org/cv.pdf' } }],
  ['an uploaded document', { type: 'document', source: { type: 'file', file_id: 'file_1' } }],
  ['a file for a container', { type: 'container_upload', file_id: 'file_1' }],
  ['audio', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }],
  ['audio, by address', { type: 'audio_url', audio_url: { url: 'https://example.org/a.mp3' } }],
  ['audio of a tool', { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }],
  [
    'a resource of a tool',
    { type: 'resource', resource: { uri: 'file:///cv', mimeType: 'application/pdf', blob: 'JV' } },
  ],
  ['inline data', { inline_data: { mime_type: 'application/pdf', data: 'JVBERi0' } }],
  ['data, by address', { file_data: { mime_type: 'video/mp4', file_uri: 'gs://bucket/a.mp4' } }],
  ['text, by address', { fileData: { mimeType: 'text/plain', fileUri: 'gs://bucket/a.txt' } }],
  ['a video, by address', { type: 'video_url', video_url: { url: 'https://example.org/a.mp4' } }],
];

const OTHERS: [what: string, part: Json][] = [
  ['text', { type: 'text', text: 'file' }],
  ['an image', { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }],
  ['a document that is text', { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Hello.' } }],
  [
    'a document of content parts',
    { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Hi' }] } },
  ],
  ['a resource that is text', { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'Hi' } }],
  ['an image of a tool', { type: 'image', mimeType: 'image/png', data: 'iVBORw0' }],
  ['an image, by address', { file_data: { mime_type: 'image/png', file_uri: 'gs://bucket/a.png' } }],
  ['a listing of files', { type: 'file', name: 'cv.pdf', size: 1 }],
  ['a type that every object inherits', { type: 'constructor' }],
];

describe('hasFiles', () => {
  for (const [what, part] of FILES) {
    it(`finds ${what}, at any depth`, () => {
      expect(hasFiles([{ role: 'user', content: [{ type: 'text', text: 'Look' }, part] }])).to.equal(true);
      const result = { type: 'tool_result', tool_use_id: 't', content: [part] };
      expect(hasFiles([{ role: 'user', content: 'Hello.' }, { messages: [{ content: [result] }] }])).to.equal(true);
    });
  }
  for (const [what, part] of OTHERS) {
    it(`does not count ${what}`, () => {
      expect(hasFiles([{ role: 'user', content: [part] }])).to.equal(false);
    });
  }
});
