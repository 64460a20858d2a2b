import { FunctionRunnerServiceService } from '@crossplane-org/function-sdk-typescript';
import { type handleUnaryCall, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { createServer as createTcpServer, type Server as SocketServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type SecureVersion, type TLSSocket } from 'node:tls';
import type { RunFunction } from '../function.ts';
import type { Address } from './address.ts';
import { bind } from './bind.ts';
import type { CertificateStore } from './certificate-store.ts';
import { addHealthService, type Health } from './health.ts';
import { findPeerFault, type Trust } from './peer.ts';

/** Core's handshake takes milliseconds; a connection that dawdles only holds memory. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Core opens one connection per function and pod of its own. */
const MAX_CONNECTIONS = 1_000;
/** Per connection; a caller with more waits. Each can hold a whole message in memory. */
const MAX_CONCURRENT_CALLS = 100;

const SERVICE = 'apiextensions.fn.proto.v1.FunctionRunnerService';

export interface ListenLog {
  warn(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

export interface TlsSettings {
  readonly store: CertificateStore;
  readonly minVersion: SecureVersion;
  /** A DNS name that a caller's certificate must carry. */
  readonly clientSan: string | undefined;
}

export interface ListenSettings {
  readonly address: Address;
  /** undefined serves plaintext. */
  readonly tls: TlsSettings | undefined;
  readonly maxMessageBytes: number;
  /** A peer is asked for a sign of life after so long, and cut off when it gives none for as long again. */
  readonly keepaliveMs: number;
  readonly maxConnectionAgeMs: number;
}

export interface Listener {
  /** With the port that the system chose, where it was asked to. */
  readonly address: Address;
  /** Takes no more connections or calls; resolves when those under way are answered. */
  stop(): Promise<void>;
  /** Cuts what is still open; a pending {@link stop} then resolves. */
  force(): void;
}

export interface ListenParts {
  readonly runFunction: RunFunction;
  readonly isReady: () => boolean;
  readonly onRefusal: () => void;
  readonly log: ListenLog;
}

/**
 * The SDK's own server passes no message limit on, only logs when it cannot bind, and asks callers
 * for no certificate; grpc-js's way of asking locks Crossplane out (see `peer.ts`). So connections are
 * accepted and judged here, and grpc-js gets those that may call.
 *
 * @throws StartError where the address cannot be listened on
 */
export async function listen(settings: ListenSettings, parts: ListenParts): Promise<Listener> {
  const { grpc, health } = createGrpcServer(settings, parts);
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
  let stopping = false;
  const accept = (socket: Socket): void => {
    // A handshake can end after the stop began; grpc-js would keep such a connection open for ever.
    if (stopping) refuse(socket);
    else injector.injectConnection(socket);
  };
  const { tls } = settings;
  const sockets =
    tls === undefined ? createTcpServer({ noDelay: true }, accept) : createPeerCheckingServer(tls, accept, parts);
  sockets.maxConnections = MAX_CONNECTIONS;
  tls?.store.onChange(() => {
    health.refresh();
  });
  const address = await bind(sockets, settings.address);
  return {
    address,
    stop: () =>
      new Promise(resolve => {
        stopping = true;
        health.end();
        sockets.close();
        grpc.tryShutdown(() => {
          resolve();
        });
      }),
    force: () => {
      stopping = true;
      sockets.close();
      grpc.forceShutdown();
    },
  };
}

/** Bytes go in and out: the function decodes and encodes, where it can answer for a fault. */
const FUNCTION_SERVICE = {
  runFunction: {
    ...FunctionRunnerServiceService.runFunction,
    requestSerialize: passBytes,
    requestDeserialize: passBytes,
    responseSerialize: passBytes,
    responseDeserialize: passBytes,
  },
};

function createGrpcServer(settings: ListenSettings, parts: ListenParts): { grpc: Server; health: Health } {
  const handler: handleUnaryCall<Buffer, Uint8Array> = (call, callback) => {
    try {
      callback(null, parts.runFunction(call.request));
    } catch (error) {
      callback({ code: status.INTERNAL, details: error instanceof Error ? error.message : 'unknown error' });
    }
  };
  const grpc = new Server({
    'grpc.max_receive_message_length': settings.maxMessageBytes,
    'grpc.max_concurrent_streams': MAX_CONCURRENT_CALLS,
    'grpc.keepalive_time_ms': settings.keepaliveMs,
    'grpc.keepalive_timeout_ms': settings.keepaliveMs,
    'grpc.max_connection_age_ms': settings.maxConnectionAgeMs,
    'grpc.enable_channelz': 0,
  });
  grpc.addService(FUNCTION_SERVICE, { runFunction: handler });
  return { grpc, health: addHealthService(grpc, SERVICE, parts.isReady) };
}

function passBytes(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function createPeerCheckingServer(
  { store, minVersion, clientSan }: TlsSettings,
  accept: (socket: Socket) => void,
  { log, onRefusal }: ListenParts,
): SocketServer {
  const readPair = () => {
    const { key, cert, ca } = store.current();
    return { key, cert, ca, minVersion };
  };
  const server = createTlsServer(
    {
      ...readPair(),
      requestCert: true,
      // Not a door left open: findPeerFault judges below, before a byte of HTTP/2 is read.
      rejectUnauthorized: false,
      ALPNProtocols: ['h2'],
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      noDelay: true,
    },
    socket => {
      const fault = judge(socket, { authorities: store.current().authorities, san: clientSan });
      if (fault === undefined) {
        log.debug({ peer: socket.remoteAddress }, 'connection accepted');
        accept(socket);
        return;
      }
      log.warn({ peer: socket.remoteAddress, reason: fault }, 'connection refused');
      onRefusal();
      refuse(socket);
    },
  );
  server.on('tlsClientError', (error, socket) => {
    log.debug({ peer: socket.remoteAddress, reason: error.message }, 'handshake failed');
  });
  // For connections to come: those that are open stay as they are.
  store.onChange(() => {
    server.setSecureContext(readPair());
  });
  return server;
}

function refuse(socket: Socket): void {
  // The other side may reset the connection at any time; unheard, that error would end the process.
  socket.on('error', () => undefined);
  socket.destroy();
}

/** A certificate so odd that judging it throws is refused: thrown from an event, it would end the process. */
function judge(socket: TLSSocket, trust: Trust): string | undefined {
  if (socket.alpnProtocol !== 'h2') return 'caller does not speak HTTP/2';
  try {
    return findPeerFault(socket.getPeerX509Certificate(), trust, new Date());
  } catch {
    return 'client certificate cannot be read';
  }
}
