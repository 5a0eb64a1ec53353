/**
 * The part of Envoy's API that the external processor uses, as a descriptor of protobuf.js: the names and numbers of the
 * fields of `envoy/service/ext_proc/v3/external_processor.proto` and what it imports, at version 1.40 of
 * https://github.com/envoyproxy/envoy (api/). Fields that are not listed are skipped when a message is read.
 *
 * Copyright Envoy Project Authors. Licensed under the Apache License, version 2.0: see the file LICENSE.
 */
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import type { ProcessingRequest, ProcessingResponse } from './messages.ts';

const SERVICE = 'envoy.service.ext_proc.v3.ExternalProcessor';

type Fields = Readonly<Record<string, { readonly type: string; readonly id: number; readonly rule?: 'repeated' }>>;

const message = (fields: Fields): { readonly fields: Fields } => ({ fields });

const MESSAGES = {
  // envoy.config.core.v3
  HeaderValue: message({
    key: { type: 'string', id: 1 },
    value: { type: 'string', id: 2 },
    rawValue: { type: 'bytes', id: 3 },
  }),
  HeaderMap: message({ headers: { type: 'HeaderValue', id: 1, rule: 'repeated' } }),
  HeaderValueOption: message({ header: { type: 'HeaderValue', id: 1 }, appendAction: { type: 'int32', id: 3 } }),
  // envoy.type.v3
  HttpStatus: message({ code: { type: 'int32', id: 1 } }),
  // envoy.service.ext_proc.v3
  ProtocolConfiguration: message({
    requestBodyMode: { type: 'int32', id: 1 },
    responseBodyMode: { type: 'int32', id: 2 },
  }),
  HttpHeaders: message({ headers: { type: 'HeaderMap', id: 1 }, endOfStream: { type: 'bool', id: 3 } }),
  HttpBody: message({ body: { type: 'bytes', id: 1 }, endOfStream: { type: 'bool', id: 2 } }),
  HttpTrailers: message({ trailers: { type: 'HeaderMap', id: 1 } }),
  ProcessingRequest: message({
    requestHeaders: { type: 'HttpHeaders', id: 2 },
    responseHeaders: { type: 'HttpHeaders', id: 3 },
    requestBody: { type: 'HttpBody', id: 4 },
    responseBody: { type: 'HttpBody', id: 5 },
    requestTrailers: { type: 'HttpTrailers', id: 6 },
    responseTrailers: { type: 'HttpTrailers', id: 7 },
    observabilityMode: { type: 'bool', id: 10 },
    protocolConfig: { type: 'ProtocolConfiguration', id: 11 },
  }),
  HeaderMutation: message({
    setHeaders: { type: 'HeaderValueOption', id: 1, rule: 'repeated' },
    removeHeaders: { type: 'string', id: 2, rule: 'repeated' },
  }),
  StreamedBodyResponse: message({ body: { type: 'bytes', id: 1 }, endOfStream: { type: 'bool', id: 2 } }),
  BodyMutation: message({
    body: { type: 'bytes', id: 1 },
    clearBody: { type: 'bool', id: 2 },
    streamedResponse: { type: 'StreamedBodyResponse', id: 3 },
  }),
  CommonResponse: message({
    headerMutation: { type: 'HeaderMutation', id: 2 },
    bodyMutation: { type: 'BodyMutation', id: 3 },
  }),
  // HeadersResponse and BodyResponse are alike.
  PhaseResponse: message({ response: { type: 'CommonResponse', id: 1 } }),
  TrailersResponse: message({ headerMutation: { type: 'HeaderMutation', id: 1 } }),
  ImmediateResponse: message({
    status: { type: 'HttpStatus', id: 1 },
    headers: { type: 'HeaderMutation', id: 2 },
    body: { type: 'bytes', id: 3 },
    details: { type: 'string', id: 5 },
  }),
  ProcessingResponse: message({
    requestHeaders: { type: 'PhaseResponse', id: 1 },
    responseHeaders: { type: 'PhaseResponse', id: 2 },
    requestBody: { type: 'PhaseResponse', id: 3 },
    responseBody: { type: 'PhaseResponse', id: 4 },
    requestTrailers: { type: 'TrailersResponse', id: 5 },
    responseTrailers: { type: 'TrailersResponse', id: 6 },
    immediateResponse: { type: 'ImmediateResponse', id: 7 },
  }),
};

/** The service, with the code that reads and writes its messages. */
export interface ExternalProcessor extends ServiceDefinition {
  readonly process: MethodDefinition<ProcessingRequest, ProcessingResponse>;
}

export function externalProcessor(): ExternalProcessor {
  const method = {
    requestType: 'ProcessingRequest',
    requestStream: true,
    responseType: 'ProcessingResponse',
    responseStream: true,
  };
  const packages = SERVICE.split('.');
  const service = { [packages.pop() ?? '']: { methods: { Process: method } } };
  const root = packages.reduceRight<object>((inner, name) => ({ nested: { [name]: inner } }), {
    nested: { ...MESSAGES, ...service },
  });
  const definition = fromJSON(root)[SERVICE] as ServiceDefinition | undefined;
  const process = definition?.Process as ExternalProcessor['process'] | undefined;
  if (!process) throw new Error(`The descriptor does not contain ${SERVICE}.`);
  return { process };
}
