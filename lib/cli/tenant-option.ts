import { encodeTenant, publicTenant } from '../../functions/http/caller.ts';
import { UsageError } from './command-line.ts';

export const tenantFlags = { tenant: { type: 'string' }, 'without-tokens': { type: 'boolean' } } as const;

interface TenantValues {
  readonly tenant?: string | undefined;
  readonly 'without-tokens'?: boolean | undefined;
}

/**
 * Returns the tenant as keys begin with it.
 * @throws UsageError when not exactly one of both options is given, or the name is not one of a tenant.
 */
export function tenantOption({
  tenant: name,
  'without-tokens': isWithoutTokens = false,
}: TenantValues): string {
  if ((name === undefined) !== isWithoutTokens)
    throw new UsageError('Choose the tenant: either with --tenant or with --without-tokens.');
  const tenant = name === undefined ? publicTenant : encodeTenant(name);
  if (tenant === undefined) throw new UsageError(`"${name}" is not the name of a tenant.`);
  return tenant;
}
