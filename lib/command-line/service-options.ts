/** Options of the commands that call a running service. */
import { Option } from '@commander-js/extra-typings';
import { collections } from './collections.ts';
import { defaultServiceUrl, serviceAddress } from './command-line.ts';

export const urlOption = () =>
  new Option('--url <url>', 'address of the service').default(defaultServiceUrl).argParser(serviceAddress);

export const tokenOption = () =>
  new Option('--token <token>', 'access token; default: one of the local issuer').env('TOKEN');

export const collectionOption = (description: string) =>
  new Option('--collection <name>', description).choices(collections);
