/** IPv4 addresses and subnets as numbers: enough to say what lies in what. */

export interface Subnet {
  readonly first: number;
  readonly last: number;
  readonly prefix: number;
}

export function parseAddress(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some(part => part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

/** A subnet is written by its network address: host bits that are set are a typing error, so there is no subnet then. */
export function parseSubnet(text: string): Subnet | undefined {
  const [address, length, ...rest] = text.split('/');
  const first = parseAddress(address ?? '');
  const prefix = Number(length);
  if (first === undefined || rest.length > 0 || !/^\d{1,2}$/.test(length ?? '') || prefix > 32) return undefined;
  const size = 2 ** (32 - prefix);
  return first % size === 0 ? { first, last: first + size - 1, prefix } : undefined;
}

export function contains(subnet: Subnet, address: number): boolean {
  return subnet.first <= address && address <= subnet.last;
}

export function overlap(a: Subnet, b: Subnet): boolean {
  return a.first <= b.last && b.first <= a.last;
}
