/** grpc.health.v1.Health, for probes that speak gRPC. Written out: the packages for it load a .proto file at run time. */
import { BinaryReader } from '@bufbuild/protobuf/wire';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type Server,
  type ServerWritableStream,
  type ServiceDefinition,
  status,
} from '@grpc/grpc-js';

/** HealthCheckResponse.ServingStatus. */
const SERVING = 1;
const NOT_SERVING = 2;
const SERVICE_UNKNOWN = 3;

/** An object and not the name alone: grpc-js takes an empty string for a message that has not come. */
interface Request {
  readonly service: string;
}

type Watcher = ServerWritableStream<Request, number>;

export interface Health {
  /** Tells those who watch. */
  refresh(): void;
  /** Says a last "not serving" and ends the watches, which would keep a stopping server waiting. */
  end(): void;
}

/**
 * @param service its full name; the empty name stands for the process
 * @param isReady asked anew for every answer
 */
export function addHealthService(server: Server, service: string, isReady: () => boolean): Health {
  let ended = false;
  const watchers = new Map<Watcher, number>();
  const known = new Set(['', service]);
  const serving = (): number => (isReady() && !ended ? SERVING : NOT_SERVING);

  const check: handleUnaryCall<Request, number> = (call, callback) => {
    if (known.has(call.request.service)) callback(null, serving());
    else callback({ code: status.NOT_FOUND, details: 'unknown service' });
  };
  const watch: handleServerStreamingCall<Request, number> = call => {
    const now = known.has(call.request.service) ? serving() : SERVICE_UNKNOWN;
    call.write(now);
    if (ended) {
      call.end();
      return;
    }
    watchers.set(call, now);
    call.on('cancelled', () => watchers.delete(call));
  };
  server.addService(HEALTH, { check, watch });

  const refresh = (): void => {
    const now = serving();
    for (const [watcher, told] of watchers) {
      if (told === SERVICE_UNKNOWN || told === now) continue;
      watcher.write(now);
      watchers.set(watcher, now);
    }
  };
  return {
    refresh,
    end: () => {
      ended = true;
      refresh();
      for (const watcher of watchers.keys()) watcher.end();
      watchers.clear();
    },
  };
}

/** Both messages have one field with number 1: the service's name, and the status. */
const MESSAGES = {
  requestStream: false,
  requestSerialize: (): Buffer => Buffer.alloc(0),
  requestDeserialize: readRequest,
  responseSerialize: (serving: number): Buffer => Buffer.of(0x08, serving),
  responseDeserialize: (bytes: Buffer): number => bytes[1] ?? 0,
} as const;

const HEALTH = {
  check: { ...MESSAGES, path: '/grpc.health.v1.Health/Check', responseStream: false },
  watch: { ...MESSAGES, path: '/grpc.health.v1.Health/Watch', responseStream: true },
} satisfies ServiceDefinition;

function readRequest(bytes: Buffer): Request {
  const reader = new BinaryReader(bytes);
  let service = '';
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1) service = reader.string();
    else reader.skip(type, field);
  }
  return { service };
}
