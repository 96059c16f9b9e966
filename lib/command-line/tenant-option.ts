/** The options that name a tenant. */
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { encodeTenant } from '../../functions/http/caller.ts';

function parseTenant(name: string): string {
  const tenant = encodeTenant(name);
  if (tenant !== undefined) return tenant;
  throw new InvalidArgumentError('It is not the name of a tenant.');
}

/** The tenant, as keys begin with it. */
export const tenantOption = (description: string) =>
  new Option('--tenant <name>', description).conflicts('withoutTokens').argParser(parseTenant);
