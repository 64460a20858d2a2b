import { describe, expect, it } from 'vitest';
import { parseAddress, printAddress } from './address.ts';

describe('an address', () => {
  it.each([
    ['0.0.0.0:9443', '0.0.0.0', 9443],
    ['localhost:0', 'localhost', 0],
    ['[::]:9443', '::', 9443],
    ['[fe80::1%eth0]:1', 'fe80::1%eth0', 1],
    [':65535', undefined, 65535],
  ])('%s is read, and printed alike', (text, host, port) => {
    const address = parseAddress(text, '--address');
    expect(address).toEqual({ host, port });
    expect(printAddress(address)).toBe(text);
  });

  it.each([
    '',
    '9443',
    'host',
    'host:',
    'host:65536',
    'host:-1',
    'host:1x',
    '::1:9443',
    'a b:1',
    'http://host:1',
    'host:1/',
  ])('"%s" is refused', text => {
    expect(() => parseAddress(text, '--address')).toThrow(/^--address: expected host:port, such as/);
  });
});
