/**
 * What no function in this language can be quicker than: a bare gRPC server that answers each request with what the
 * function would, made beforehand.
 *
 *   bare     bytes in, bytes out
 *   codec    the SDK's decoder for the request and its encoder for the answer, and nothing between
 */
import {
  FunctionRunnerServiceService,
  RunFunctionRequest,
  RunFunctionResponse,
} from '@crossplane-org/function-sdk-typescript';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { decide, refuseUnexpected } from '../src/decide.ts';
import { createFunction } from '../src/function.ts';

const SILENT = { debug: () => undefined, info: () => undefined, error: () => undefined };

interface Answer {
  readonly bytes: Buffer;
  readonly message: RunFunctionResponse;
}

const answers = new Map<number, Answer>();
const runFunction = createFunction({ decide, refuseUnexpected, log: SILENT });

/** All requests of one size have one length, which is cheap to look up. */
function answerTo(request: Buffer): Answer {
  const known = answers.get(request.length);
  if (known !== undefined) return known;
  const bytes = Buffer.from(runFunction(request));
  const made = { bytes, message: RunFunctionResponse.decode(bytes) };
  answers.set(request.length, made);
  return made;
}

export function answerByCodec(request: Buffer): Buffer {
  RunFunctionRequest.decode(request);
  return Buffer.from(RunFunctionResponse.encode(answerTo(request).message).finish());
}

const pass = (bytes: Buffer): Buffer => bytes;

export function serveFloor(kind: 'bare' | 'codec'): void {
  const server = new Server({ 'grpc.max_receive_message_length': -1, 'grpc.enable_channelz': 0 });
  const service = {
    runFunction: {
      ...FunctionRunnerServiceService.runFunction,
      requestSerialize: pass,
      requestDeserialize: pass,
      responseSerialize: pass,
      responseDeserialize: pass,
    },
  };
  server.addService(service, {
    runFunction: (call: { request: Buffer }, callback: (error: null, answer: Buffer) => void) => {
      callback(null, kind === 'bare' ? answerTo(call.request).bytes : answerByCodec(call.request));
    },
  });
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
    if (error !== null) throw error;
    process.stderr.write(`${JSON.stringify({ msg: 'listening', address: `127.0.0.1:${port}` })}\n`);
  });
}

const [kind] = process.argv.slice(2);
if (import.meta.filename === process.argv[1] && (kind === 'bare' || kind === 'codec')) serveFloor(kind);
