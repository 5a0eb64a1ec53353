import { expect } from 'chai';
import { operationOf } from './bodies.ts';

const name = (request: string): string | undefined => {
  const [method = '', path = ''] = request.split(' ');
  const operation = operationOf(method, path);
  return operation && `${operation.api} ${operation.name}`;
};

describe('operationOf', () => {
  const table: Record<string, string[]> = {
    'openai chat.completions': [
      'POST /v1/chat/completions',
      'POST /chat/completions',
      'POST /openai/v1/chat/completions',
      'POST /openai/deployments/gpt-4o/chat/completions',
      'POST /engines/gpt-4o/chat/completions',
      'POST /azure/openai/deployments/gpt-4o/chat/completions',
    ],
    'openai chat.completions.get': ['GET /v1/chat/completions/c', 'GET /v1/chat/completions/c/messages'],
    'openai completions': ['POST /v1/completions', 'POST /openai/deployments/gpt/completions'],
    'openai responses': ['POST /v1/responses', 'POST /openai/v1/responses', 'POST /responses/input_tokens'],
    'openai responses.get': ['GET /v1/responses/r', 'GET /v1/responses/r/input_items'],
    'openai responses.delete': ['DELETE /v1/responses/r'],
    'openai responses.cancel': ['POST /v1/responses/r/cancel'],
    'openai embeddings': ['POST /v1/embeddings', 'POST /openai/deployments/e/embeddings'],
    'openai moderations': ['POST /v1/moderations'],
    'openai images.generations': ['POST /v1/images/generations'],
    'openai images.edits': ['POST /v1/images/edits', 'POST /v1/images/variations'],
    'openai audio.speech': ['POST /v1/audio/speech'],
    'openai audio.transcriptions': ['POST /v1/audio/transcriptions', 'POST /v1/audio/translations'],
    'openai files': ['POST /v1/files'],
    'openai files.get': ['GET /v1/files', 'GET /v1/files/f', 'GET /v1/files/f/content'],
    'openai files.delete': ['DELETE /v1/files/f'],
    'openai batches': ['POST /v1/batches'],
    'openai batches.get': ['GET /v1/batches', 'GET /v1/batches/b'],
    'openai batches.cancel': ['POST /v1/batches/b/cancel'],
    'openai rerank': ['POST /rerank', 'POST /v1/rerank', 'POST /v2/rerank'],
    'openai models': ['GET /v1/models', 'GET /models', 'GET /v1/models/openai/gpt-4o'],
    'anthropic messages': ['POST /v1/messages', 'POST /anthropic/v1/messages', 'POST /V1/Messages'],
    'anthropic messages.count_tokens': ['POST /v1/messages/count_tokens'],
    'anthropic messages.batches': ['POST /v1/messages/batches'],
    'anthropic messages.batches.get': ['GET /v1/messages/batches', 'GET /v1/messages/batches/b/results'],
    'anthropic messages.batches.cancel': ['POST /v1/messages/batches/b/cancel'],
    'anthropic messages.batches.delete': ['DELETE /v1/messages/batches/b'],
    'gemini generateContent': [
      'POST /v1beta/models/gemini-pro:generateContent',
      'POST /v1/models/gemini-pro:countTokens',
      'POST /models/openai/gpt-4o:generateContent',
      'POST /gemini/v1beta/models/e:embedContent',
      'POST /v1beta/models/e:batchEmbedContents',
      'POST /v1beta/tunedModels/t:generateContent',
      'POST /vertex_ai/v1/projects/p/locations/l/publishers/google/models/g:generateContent',
    ],
    'gemini streamGenerateContent': ['POST /v1beta/models/gemini-pro:streamGenerateContent'],
    'gemini models': ['GET /v1beta/models', 'GET /v1beta/models/gemini-pro'],
  };
  for (const [operation, requests] of Object.entries(table)) {
    for (const request of requests) it(`knows ${request}`, () => expect(name(request)).to.equal(operation));
  }

  const unknown = [
    ...['GET /v1/embeddings', 'PUT /v1/chat/completions', 'POST /v1/models', 'POST /v1/chat/completions/'],
    ...['POST /v1/chat/completions/a/b', 'POST /v1/chat/completions/../../key/generate', 'POST /key/generate'],
    ...[
      'POST /v1/fine_tuning/jobs',
      'GET /v1/realtime',
      'POST /v1/uploads',
      'POST /evil/v1/messages',
      'POST //v1/messages',
    ],
    ...['GET /v1/files/a/b/content', 'POST /v1beta/models/g:predict', 'POST /v1beta/models/g'],
  ];
  for (const request of unknown) it(`does not know ${request}`, () => expect(name(request)).to.equal(undefined));
});
