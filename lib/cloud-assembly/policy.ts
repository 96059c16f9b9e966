import { isDeepStrictEqual } from 'node:util';

export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: unknown;
}

export interface Permission {
  readonly action: string;
  readonly resource: string;
  /** In a role: patterns, of which each partition key of a call must match one. In a call: its partition keys, if they are known. */
  readonly leadingKeys?: readonly string[] | undefined;
}

export const formatPermission = ({ action, resource, leadingKeys }: Permission): string =>
  leadingKeys ? `${action} ${resource} (${leadingKeys.join(', ')})` : `${action} ${resource}`;

/** Returns whether a value matches a pattern of IAM: `*` stands for any text, `?` for one character. */
const matchesPattern = (pattern: string, value: string): boolean =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  ).test(value);

const leadingKeysName = 'dynamodb:LeadingKeys';

/**
 * Returns the patterns of partition keys to which a condition limits a statement; `undefined` without a condition.
 * @throws Error for any other condition.
 */
function leadingKeysOf({ Effect, Condition: condition }: Statement): readonly string[] | undefined {
  if (condition === undefined) return undefined;
  const operator = Effect === 'Allow' ? 'ForAllValues:StringLike' : 'ForAnyValue:StringLike';
  const patterns = (condition as Record<string, Record<string, string | string[]>>)[operator]?.[
    leadingKeysName
  ];
  const found = patterns === undefined ? [] : [patterns].flat();
  const supported = {
    [operator]: { [leadingKeysName]: patterns },
    // "ForAllValues" is true for a request without keys.
    ...(Effect === 'Allow' && { Null: { [leadingKeysName]: 'false' } }),
  };
  if (found.length === 0 || !isDeepStrictEqual(condition, supported)) {
    throw new Error('Only conditions that limit the leading keys are supported.');
  }
  return found;
}

/** Returns whether all partition keys of a call match the patterns of a permission. A call whose keys are unknown does not. */
const matchesKeys = (patterns: Permission['leadingKeys'], keys: Permission['leadingKeys']): boolean =>
  patterns === undefined ||
  (keys !== undefined &&
    keys.length > 0 &&
    keys.every((key) => patterns.some((pattern) => matchesPattern(pattern, key))));

export class Policy {
  readonly permissions: readonly Permission[];
  readonly #denied: readonly Permission[];

  /** @throws Error for a statement that this class cannot evaluate, so that none is ignored. */
  constructor(statements: readonly Statement[]) {
    const permissionsOf = (statement: Statement): Permission[] => {
      const { Action, Resource } = statement;
      const actions = [Action]
        .flat()
        .filter((action) => /^(?:appsync|dynamodb|events|lambda|sqs):/.test(action));
      const leadingKeys = actions.length > 0 ? leadingKeysOf(statement) : undefined;
      return actions.flatMap((action) =>
        [Resource].flat().map((resource) => ({ action, resource, ...(leadingKeys && { leadingKeys }) })),
      );
    };
    this.permissions = statements.filter(({ Effect }) => Effect === 'Allow').flatMap(permissionsOf);
    this.#denied = statements.filter(({ Effect }) => Effect === 'Deny').flatMap(permissionsOf);
  }

  permissionFor({ action, resource, leadingKeys }: Permission): Permission | undefined {
    const isDenied = this.#denied.some(
      (denied) =>
        matchesPattern(denied.action, action) &&
        matchesPattern(denied.resource, resource) &&
        (denied.leadingKeys === undefined ||
          leadingKeys?.some((key) => matchesKeys(denied.leadingKeys, [key]))),
    );
    if (isDenied) return undefined;
    return this.permissions.find(
      (permission) =>
        matchesPattern(permission.action, action) &&
        matchesPattern(permission.resource, resource) &&
        matchesKeys(permission.leadingKeys, leadingKeys),
    );
  }
}

type RequestBody = Readonly<Record<string, unknown>>;

/** IAM has no action for a transaction. It requires the action of each item in it. */
const transactionActions: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

type Attributes = Readonly<Record<string, { readonly S?: string } | undefined>>;

/**
 * Returns the partition keys of a call that reads, updates or deletes items. Of a query, all values of its expressions, of which one is the key; no other one of
 * this service looks like the beginning of a key with a condition. `undefined` for any other call, which no statement with a condition allows.
 * @param partitionKey name of the attribute.
 */
function leadingKeysIn(operation: string, body: RequestBody, partitionKey: string): string[] | undefined {
  const { Key, ExpressionAttributeValues, RequestItems } = body as {
    readonly Key?: Attributes;
    readonly ExpressionAttributeValues?: Attributes;
    readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly Attributes[] }>>;
  };
  switch (operation) {
    case 'UpdateItem':
    case 'GetItem':
    case 'DeleteItem':
      return [Key?.[partitionKey]?.S ?? []].flat();
    case 'Query':
      return Object.values(ExpressionAttributeValues ?? {}).flatMap((value) => value?.S ?? []);
    case 'BatchGetItem':
      return Object.values(RequestItems ?? {}).flatMap(({ Keys }) =>
        Keys.flatMap((key) => key[partitionKey]?.S ?? []),
      );
    default:
      return undefined;
  }
}

/**
 * Returns the permissions that a call to DynamoDB requires.
 * @param table.arnPrefix beginning of the ARN of a table, up to its name.
 * @param table.partitionKey name of the attribute.
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
 */
export function requiredPermissions(
  operation: string,
  body: RequestBody,
  { arnPrefix, partitionKey }: { readonly arnPrefix: string; readonly partitionKey: string },
): Permission[] {
  const leadingKeys = leadingKeysIn(operation, body, partitionKey);
  const permission = (name: string, resource: string): Permission => ({
    action: `dynamodb:${name}`,
    resource,
    ...(leadingKeys && { leadingKeys }),
  });
  const tableArn = (name: unknown): string => `${arnPrefix}${String(name)}`;
  switch (operation) {
    case 'TransactWriteItems':
    case 'TransactGetItems':
      return (body['TransactItems'] as Record<string, RequestBody>[]).flatMap((item) =>
        Object.entries(item).map(([name, { TableName }]) =>
          permission(transactionActions[name] ?? name, tableArn(TableName)),
        ),
      );
    case 'BatchGetItem':
    case 'BatchWriteItem':
      return Object.keys((body['RequestItems'] ?? {}) as object).map((name) =>
        permission(operation, tableArn(name)),
      );
    case 'Query':
    case 'Scan': {
      const arn = tableArn(body['TableName']);
      const { IndexName } = body;
      return [permission(operation, IndexName === undefined ? arn : `${arn}/index/${String(IndexName)}`)];
    }
    case 'ListStreams':
      return [permission(operation, '*')];
    default:
      return [permission(operation, tableArn(body['TableName']))];
  }
}
