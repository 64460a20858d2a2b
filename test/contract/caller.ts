/** Calls the function the way core does, with bytes that the test has made. */
import { RunFunctionRequest, RunFunctionResponse } from '@crossplane-org/function-sdk-typescript';
import { type ChannelCredentials, Client, credentials, type ServiceError } from '@grpc/grpc-js';

export const METHOD = '/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction';
export const SECRET = 'S3CR3T-MARKER';

const DEADLINE_MS = 20_000;

export const OTHER = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'other' },
  data: { constructor: 'x', list: ['a', 'a'] },
};

export function makeRequest(padding = 0): RunFunctionRequest {
  return RunFunctionRequest.fromPartial({
    meta: { tag: 'tag-1', capabilities: [1, 2, 4] },
    observed: {
      composite: {
        resource: {
          apiVersion: 'platform.kueber.eu/v1alpha1',
          kind: 'TofuWorkspace',
          metadata: { name: 'workspace', namespace: 'demo-a', uid: 'u-1' },
          spec: { retainBuckets: true },
        },
        connectionDetails: { secret: Buffer.from(SECRET) },
      },
    },
    desired: {
      composite: { resource: { status: { foreign: true } } },
      resources: { other: { resource: OTHER, ready: 1 } },
    },
    context: { k: { nested: ['v'] } },
    credentials: { c: { credentialData: { data: { secret: Buffer.from(SECRET) } } } },
    requiredResources:
      padding === 0 ? {} : { bootstrap: { items: [{ resource: { kind: 'X', blob: 'x'.repeat(padding) } }] } },
  });
}

export const encodeRequest = (request: RunFunctionRequest): Uint8Array => RunFunctionRequest.encode(request).finish();

export interface Caller {
  readonly address: string;
  call(bytes: Uint8Array): Promise<RunFunctionResponse>;
  /** The answer's bytes as they come. */
  callBytes(bytes: Uint8Array, method?: string): Promise<Buffer>;
  close(): void;
}

export function createCaller(
  address: string,
  channel: ChannelCredentials = credentials.createInsecure(),
  serverName = 'localhost',
): Caller {
  const client = new Client(address, channel, {
    // A name, not an address, so that TLS can say whom it calls.
    'grpc.ssl_target_name_override': serverName,
    // A connection for each caller, also to one address.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_receive_message_length': -1,
  });
  const callBytes: Caller['callBytes'] = (bytes, method = METHOD) =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        method,
        (value: Uint8Array) => Buffer.from(value),
        (value: Buffer) => value,
        bytes,
        { deadline: Date.now() + DEADLINE_MS },
        (error, response) => {
          if (response === undefined) reject(error ?? new Error('no response'));
          else resolve(response);
        },
      );
    });
  return {
    address,
    callBytes,
    call: async bytes => RunFunctionResponse.decode(await callBytes(bytes)),
    close: () => {
      client.close();
    },
  };
}

export async function failureOf(answer: Promise<unknown>): Promise<ServiceError> {
  return await answer.then(
    () => Promise.reject(new Error('the call succeeded')),
    (error: unknown) => error as ServiceError,
  );
}
