/** A load program of our own: it writes frames that are encoded once, so that it is not what is measured. */
import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';

const HEADERS = {
  ':method': 'POST',
  ':path': '/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction',
  'content-type': 'application/grpc',
  te: 'trailers',
};

export interface Load {
  readonly address: string;
  readonly request: Buffer;
  /** One call at a time over each. */
  readonly connections: number;
  /** Ends when both are reached. */
  readonly calls: number;
  readonly milliseconds: number;
}

export interface Measured {
  readonly calls: number;
  readonly milliseconds: number;
  /** Of each call, sorted. */
  readonly latencies: Float64Array;
}

export async function load({ address, request, connections, calls, milliseconds }: Load): Promise<Measured> {
  const frame = Buffer.alloc(5 + request.length);
  frame.writeUInt32BE(request.length, 1);
  request.copy(frame, 5);
  const sessions = await Promise.all(Array.from({ length: connections }, () => open(address)));
  const latencies: number[] = [];
  let started = 0;
  const begin = performance.now();
  await Promise.all(
    sessions.map(async session => {
      while (started < calls || performance.now() - begin < milliseconds) {
        started += 1;
        const start = performance.now();
        await call(session, frame);
        latencies.push(performance.now() - start);
      }
    }),
  );
  const elapsed = performance.now() - begin;
  for (const session of sessions) session.close();
  return { calls: latencies.length, milliseconds: elapsed, latencies: Float64Array.from(latencies).sort() };
}

/** @param latencies sorted */
export function percentile(latencies: Float64Array, share: number): number {
  return latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? NaN;
}

async function open(address: string): Promise<ClientHttp2Session> {
  const window = 16 * 1024 * 1024;
  const session = connect(`http://${address}`, { settings: { initialWindowSize: window } });
  await once(session, 'connect');
  session.setLocalWindowSize(window);
  return session;
}

function call(session: ClientHttp2Session, frame: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request(HEADERS);
    let status: unknown;
    // On the headers where there is no answer.
    const hear = (headers: IncomingHttpHeaders): void => {
      status ??= headers['grpc-status'];
    };
    stream.on('response', hear);
    stream.on('trailers', hear);
    stream.on('error', reject);
    stream.on('close', () => {
      if (status === '0') resolve();
      else reject(new Error(`a call ended with gRPC status ${String(status)}`));
    });
    stream.resume();
    stream.end(frame);
  });
}
