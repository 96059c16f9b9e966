/** Evaluates IAM policies for calls to DynamoDB. */

export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: unknown;
}

/** An action on a resource. */
export interface Permission {
  readonly action: string;
  readonly resource: string;
}

/** Returns a permission as text, for sets and reports. */
export const formatPermission = ({ action, resource }: Permission): string => `${action} ${resource}`;

const toArray = <Value>(values: Value | readonly Value[]): readonly Value[] =>
  Array.isArray(values) ? (values as readonly Value[]) : [values as Value];

/** Returns whether a value matches a pattern with the wildcards of IAM. */
const matches = (pattern: string, value: string): boolean =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  ).test(value);

/** The statements of a role. */
export class Policy {
  readonly #statements: readonly Statement[];

  /** @throws Error for a statement that this class cannot evaluate, so that none is ignored. */
  constructor(statements: readonly Statement[]) {
    for (const { Effect, Condition } of statements) {
      if (Effect !== 'Allow' || Condition !== undefined)
        throw new Error('Only statements with the effect "Allow" and without a condition are supported.');
    }
    this.#statements = statements;
  }

  /** Returns the permissions for DynamoDB. */
  permissions(): Permission[] {
    return this.#statements.flatMap(({ Action, Resource }) =>
      toArray(Action)
        .filter((action) => action.startsWith('dynamodb:'))
        .flatMap((action) => toArray(Resource).map((resource) => ({ action, resource }))),
    );
  }

  /** Returns the permission that allows an action on a resource, if there is one. */
  permissionFor({ action, resource }: Permission): Permission | undefined {
    return this.permissions().find(
      (permission) => matches(permission.action, action) && matches(permission.resource, resource),
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

/**
 * Returns the permissions that a call to DynamoDB requires.
 * @param arnPrefix beginning of the ARN of a table, up to its name.
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
 */
export function requiredPermissions(operation: string, body: RequestBody, arnPrefix: string): Permission[] {
  const permission = (name: string, resource: string): Permission => ({
    action: `dynamodb:${name}`,
    resource,
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
