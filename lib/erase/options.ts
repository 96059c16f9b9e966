import { isId } from '../../functions/engine/model/ids.ts';
import type { Kind } from '../../functions/kinds.ts';
import { routes } from '../../functions/routes.ts';
import { parseFlags, UsageError, wholeNumber } from '../cli/command-line.ts';
import { type TableOptions, tableFlags, tableOptions } from '../cli/table-options.ts';
import { tenantFlags, tenantOption } from '../cli/tenant-option.ts';

export interface EraseCommand extends TableOptions {
  /** The tenant as keys begin with it. */
  readonly tenant: string;
  /** The deleted entity to erase. Without it, all of the tenant is erased. */
  readonly entity: { readonly kind: Kind; readonly id: string } | undefined;
  readonly unitsPerSecond: number;
}

const defaultUnitsPerSecond = 500;

export const help = `Erases all data of a tenant, or a deleted entity before its 30 days are over. Nothing brings it back
but a backup: docs/data.md#erase-a-tenant says what stays in backups and logs.

  npm run erase -- --table <name> --tenant <name> --access-revoked [options]
  npm run erase -- --table <name> --tenant <name> --entity tasks/<id> [options]

  --table <name>              the table
  --stage <name>              instead: the table of the last deployment from this folder
  --tenant <name>             the tenant, as the claim of its tokens names it
  --without-tokens            instead: the data of a service that needs no tokens
  --access-revoked            says that no token of the tenant is valid any more. Required: its
                              requests would write again what is erased
  --entity <collection>/<id>  erases only this entity, which was deleted through the API before
  --units-per-second <number> read and write units a second, at most (default: ${defaultUnitsPerSecond}). The command
                              reads the whole table, which others use meanwhile
  --dynamodb-endpoint <url>   DynamoDB endpoint of the table (DYNAMODB_ENDPOINT; default: AWS)
  --help                      prints this text

The command can be interrupted, and repeated.`;

const flags = {
  ...tableFlags,
  ...tenantFlags,
  'access-revoked': { type: 'boolean' },
  entity: { type: 'string' },
  'units-per-second': { type: 'string', default: String(defaultUnitsPerSecond) },
  help: { type: 'boolean' },
} as const;

/** @throws UsageError when the text does not name an entity. */
function entityOf(text: string): EraseCommand['entity'] {
  const [collection = '', id = ''] = text.split('/');
  const resources = routes.flatMap(({ contract: { resource } }) => resource ?? []);
  const kind = resources.find(({ plural }) => plural === collection)?.kind;
  if (kind && isId(id)) return { kind, id };
  throw new UsageError(`--entity must be a collection and an id, for example tasks/<id>, not "${text}".`);
}

/**
 * @throws CommandFailure when there are no outputs of a deployment of the stage.
 * @throws UsageError that names the wrong flag.
 */
export function eraseOptions(args: readonly string[]): EraseCommand | 'help' {
  const { values } = parseFlags({ args: [...args], options: flags });
  if (values.help) return 'help';
  const tenant = tenantOption(values);
  const entity = values.entity === undefined ? undefined : entityOf(values.entity);
  if (!entity && !values['access-revoked']) {
    throw new UsageError(
      'Revoke the access of the tenant first, as docs/data.md#erase-a-tenant says, and then add --access-revoked.',
    );
  }
  return {
    ...tableOptions(values),
    tenant,
    entity,
    unitsPerSecond: wholeNumber('--units-per-second', values['units-per-second'], 1, 40_000),
  };
}
