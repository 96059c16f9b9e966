/** Keeps a webhook away from private networks: whoever may choose its address must not reach what only this machine can reach. */
import { lookup } from 'node:dns/promises';
import { BlockList } from 'node:net';

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Resolves a name to all its addresses. */
type Resolve = (name: string) => Promise<readonly Address[]>;

/** Returns a check of addresses. Each family has a list of its own: `BlockList` compares an IPv4 address with ranges of IPv6 too. */
function listOf(family: 'ipv4' | 'ipv6', ranges: string): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges.split(' ')) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return (address) => list.check(address, family);
}

/** @see https://www.iana.org/assignments/iana-ipv4-special-registry */
const isSpecialIpv4 = listOf(
  'ipv4',
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 ' +
    '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3',
);

/** 2000::/3 is the internet, without Teredo and other protocols, documentation and 6to4. The rest has IPv4 in other forms, and private networks. */
const isSpecialIpv6 = listOf('ipv6', '::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20');

export const isPublic = ({ address, family }: Address): boolean =>
  family === 6 ? !isSpecialIpv6(address) : !isSpecialIpv4(address);

const resolveAll: Resolve = (name) => lookup(name, { all: true });

/**
 * Returns an address to connect to.
 * @throws Error when any address of the name is not of the internet: the name belongs to somebody who may not be trusted.
 */
export async function publicAddress({ hostname }: URL, resolve = resolveAll): Promise<Address> {
  const addresses = await resolve(hostname.replace(/^\[|\]$/g, ''));
  const refused = addresses.find((address) => !isPublic(address));
  const [first] = addresses;
  if (refused) throw new Error(`${hostname} has the address ${refused.address}, which is not a public one.`);
  if (!first) throw new Error(`${hostname} has no address.`);
  return first;
}
