import {
  FunctionRunnerServiceService,
  type RunFunctionRequest,
  type RunFunctionResponse,
} from '@crossplane-org/function-sdk-typescript';
import { type handleUnaryCall, Server, ServerCredentials } from '@grpc/grpc-js';
import { createServer as createTcpServer, type Server as SocketServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { RunFunction } from '../function.ts';
import { type Address, printAddress } from './address.ts';
import type { Certificates } from './certificates.ts';
import { findPeerFault } from './peer.ts';
import { StartError } from './start-error.ts';

/** Core's handshake takes milliseconds; a connection that dawdles only holds memory. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

export interface ListenLog {
  warn(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

export interface ListenSettings {
  readonly address: Address;
  /** undefined serves plaintext. */
  readonly certificates: Certificates | undefined;
  readonly maxMessageBytes: number;
}

export interface Listener {
  /** With the port that the system chose, where it was asked to. */
  readonly address: Address;
  /** Takes no more connections or calls; resolves when those under way are answered. */
  stop(): Promise<void>;
  /** Cuts what is still open; a pending {@link stop} then resolves. */
  force(): void;
}

/**
 * The SDK's own server passes no message limit on, only logs when it cannot bind, and asks callers
 * for no certificate; grpc-js's way of asking locks Crossplane out (see `peer.ts`). So connections are
 * accepted and judged here, and grpc-js gets those that may call.
 *
 * @throws StartError where the address cannot be listened on
 */
export async function listen(settings: ListenSettings, runFunction: RunFunction, log: ListenLog): Promise<Listener> {
  const grpc = createGrpcServer(runFunction, settings.maxMessageBytes);
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
  const accept = (socket: Socket): void => {
    injector.injectConnection(socket);
  };
  const sockets =
    settings.certificates === undefined
      ? createTcpServer({ noDelay: true }, accept)
      : createPeerCheckingServer(settings.certificates, accept, log);
  const address = await bind(sockets, settings.address);
  return {
    address,
    stop: () =>
      new Promise(resolve => {
        sockets.close();
        grpc.tryShutdown(() => {
          resolve();
        });
      }),
    force: () => {
      sockets.close();
      grpc.forceShutdown();
    },
  };
}

function createGrpcServer(runFunction: RunFunction, maxMessageBytes: number): Server {
  const handler: handleUnaryCall<RunFunctionRequest, RunFunctionResponse> = (call, callback) => {
    callback(null, runFunction(call.request));
  };
  const server = new Server({ 'grpc.max_receive_message_length': maxMessageBytes });
  server.addService(FunctionRunnerServiceService, { runFunction: handler });
  return server;
}

function createPeerCheckingServer(
  { key, cert, ca, authorities }: Certificates,
  accept: (socket: Socket) => void,
  log: ListenLog,
): SocketServer {
  const server = createTlsServer(
    {
      key,
      cert,
      ca,
      requestCert: true,
      // Not a door left open: findPeerFault judges below, before a byte of HTTP/2 is read.
      rejectUnauthorized: false,
      minVersion: 'TLSv1.3',
      ALPNProtocols: ['h2'],
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      noDelay: true,
    },
    socket => {
      const fault = judge(socket, authorities);
      if (fault === undefined) {
        accept(socket);
        return;
      }
      log.warn({ peer: socket.remoteAddress, reason: fault }, 'connection refused');
      // A refused caller may reset the connection at any time; unheard, that error would end the process.
      socket.on('error', () => undefined);
      socket.destroy();
    },
  );
  server.on('tlsClientError', (error, socket) => {
    log.debug({ peer: socket.remoteAddress, reason: error.message }, 'handshake failed');
  });
  return server;
}

/** A certificate so odd that judging it throws is refused: thrown from an event, it would end the process. */
function judge(socket: TLSSocket, authorities: Certificates['authorities']): string | undefined {
  if (socket.alpnProtocol !== 'h2') return 'caller does not speak HTTP/2';
  try {
    return findPeerFault(socket.getPeerX509Certificate(), authorities, new Date());
  } catch {
    return 'client certificate cannot be read';
  }
}

function bind(sockets: SocketServer, wanted: Address): Promise<Address> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void => {
      reject(
        new StartError('surroundings', `cannot listen on ${printAddress(wanted)}: ${error.message}`, { cause: error }),
      );
    };
    sockets.once('error', refuse);
    sockets.listen({ port: wanted.port, ...(wanted.host === undefined ? {} : { host: wanted.host }) }, () => {
      sockets.off('error', refuse);
      const bound = sockets.address();
      resolve(bound === null || typeof bound === 'string' ? wanted : { host: bound.address, port: bound.port });
    });
  });
}
