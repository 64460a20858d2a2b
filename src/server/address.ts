import { quoteShort } from '../errors.ts';
import { StartError } from './start-error.ts';

/** An undefined host is every address of the machine, in both families where there are two. */
export interface Address {
  readonly host: string | undefined;
  readonly port: number;
}

/** `host:port`, `[2001:db8::1]:port`, or `:port`. Port 0 lets the system choose. */
const ADDRESS = /^(?:\[(?<bracketed>[0-9A-Fa-f:.%\w-]+)\]|(?<plain>[^\s:[\]/]*)):(?<port>\d{1,5})$/;

/** @param flag for the message */
export function parseAddress(text: string, flag: string): Address {
  const groups = ADDRESS.exec(text)?.groups;
  const port = Number(groups?.port);
  if (groups === undefined || port > 65_535)
    throw new StartError(
      'usage',
      `${flag}: expected host:port, such as 0.0.0.0:9443 or [::]:9443, got ${quoteShort(text)}`,
    );
  const host = groups.bracketed ?? groups.plain;
  return { host: host === '' ? undefined : host, port };
}

export function printAddress({ host, port }: Address): string {
  return host === undefined ? `:${port}` : host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
