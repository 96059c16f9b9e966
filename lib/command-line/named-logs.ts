/** The logs that a command names. */
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { logPartition } from '../../functions/engine/model/change-log.ts';
import { publicTenant } from '../../functions/http/caller.ts';
import { resources } from '../../functions/schema.ts';

interface NamedLogs {
  /** As keys begin with it. */
  readonly tenant?: string | undefined;
  readonly withoutTokens?: true | undefined;
  readonly kind?: string | undefined;
}

/** Returns the partitions of the logs that are named; `undefined` when none is. @throws InvalidArgumentError for a kind without a tenant. */
export function logsOf({ tenant: name, withoutTokens, kind }: NamedLogs): ReadonlySet<string> | undefined {
  const tenant = withoutTokens ? publicTenant : name;
  if (tenant === undefined && kind === undefined) return undefined;
  if (tenant === undefined)
    throw new InvalidArgumentError('Choose the tenant: either with --tenant or with --without-tokens.');
  const named = resources.filter((one) => kind === undefined || one.kind === kind);
  return new Set(named.map((one) => logPartition(tenant, one.kind)));
}
