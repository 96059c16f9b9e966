import { isIPv6 } from 'node:net';
import { isPublic, publicAddress } from '../../../examples/webhook/public-address.ts';

/** The addresses that the webhook of the example refuses. */

const addressOf = (address: string) => ({ address, family: isIPv6(address) ? 6 : 4 });

const refused = [
  '0.0.0.0',
  '10.0.0.1',
  '127.0.0.1',
  // The metadata of an EC2 instance, and the credentials of a container.
  '169.254.169.254',
  '172.31.255.255',
  '192.168.1.1',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:169.254.169.254',
  '64:ff9b::7f00:1',
  'fd00:ec2::254',
  'fe80::1',
  'ff02::1',
  '2001:0:7f00:1::1',
  '2002:7f00:1::1',
];

const accepted = ['1.1.1.1', '172.15.0.1', '172.32.0.1', '223.255.255.255', '2606:4700::1111'];

test.each(refused)('%s is not of the internet', (address) => {
  expect(isPublic(addressOf(address))).toBe(false);
});

test.each(accepted)('%s is of the internet', (address) => {
  expect(isPublic(addressOf(address))).toBe(true);
});

test.each([
  'https://127.0.0.1/',
  'https://localhost/',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
  // Other forms of 127.0.0.1.
  'https://2130706433/',
  'https://0x7f.1/',
  'https://017700000001/',
])('%s is refused', async (url) => {
  await expect(publicAddress(new URL(url))).rejects.toThrow('has the address');
});

test('a name is refused if one of its addresses is private', async () => {
  const resolve = async () => ['1.1.1.1', '10.0.0.1'].map(addressOf);
  await expect(publicAddress(new URL('https://rebinding.example.com/'), resolve)).rejects.toThrow('10.0.0.1');
});

test('a name with public addresses is resolved once, and one of them is returned', async () => {
  const names: string[] = [];
  const resolve = async (name: string) => {
    names.push(name);
    return ['1.1.1.1', '2606:4700::1111'].map(addressOf);
  };
  expect(await publicAddress(new URL('https://hooks.example.com:8443/a'), resolve)).toEqual(
    addressOf('1.1.1.1'),
  );
  expect(names).toEqual(['hooks.example.com']);
});

test('a name without addresses is refused', async () => {
  await expect(publicAddress(new URL('https://hooks.example.com/'), async () => [])).rejects.toThrow(
    'has no address',
  );
});
