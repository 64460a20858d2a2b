import type { Server } from 'node:net';
import { type Address, printAddress } from './address.ts';
import { StartError } from './start-error.ts';

/**
 * @returns the address with the port that the system chose, where it was asked to
 * @throws StartError
 */
export function bind(server: Server, wanted: Address): Promise<Address> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void => {
      reject(
        new StartError('surroundings', `cannot listen on ${printAddress(wanted)}: ${error.message}`, { cause: error }),
      );
    };
    server.once('error', refuse);
    server.listen({ port: wanted.port, ...(wanted.host === undefined ? {} : { host: wanted.host }) }, () => {
      server.off('error', refuse);
      const bound = server.address();
      resolve(bound === null || typeof bound === 'string' ? wanted : { host: bound.address, port: bound.port });
    });
  });
}
