/** What IAM decides of calls to DynamoDB. */

export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: unknown;
}

/** What is done, and to what. */
export interface Use {
  readonly action: string;
  readonly resource: string;
}

/** As people read it, and as it is kept in sets. */
export const described = ({ action, resource }: Use): string => `${action} ${resource}`;

const several = <Value>(values: Value | readonly Value[]): readonly Value[] =>
  Array.isArray(values) ? (values as readonly Value[]) : [values as Value];

const matches = (pattern: string, value: string): boolean =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  ).test(value);

/** A role's statements. */
export class Policy {
  readonly #statements: readonly Statement[];

  /** @throws Error for what is not understood here: it must not pass unseen. */
  constructor(statements: readonly Statement[]) {
    for (const { Effect, Condition } of statements) {
      if (Effect !== 'Allow' || Condition !== undefined)
        throw new Error('Only statements that allow, without a condition, are understood.');
    }
    this.#statements = statements;
  }

  /** All that it grants to do to DynamoDB. */
  grants(): Use[] {
    return this.#statements.flatMap(({ Action, Resource }) =>
      several(Action)
        .filter((action) => action.startsWith('dynamodb:'))
        .flatMap((action) => several(Resource).map((resource) => ({ action, resource }))),
    );
  }

  /** The grant that lets this through, if there is one. */
  grantFor({ action, resource }: Use): Use | undefined {
    return this.grants().find((grant) => matches(grant.action, action) && matches(grant.resource, resource));
  }
}

type Body = Readonly<Record<string, unknown>>;

/** IAM has no action for a transaction: those of its parts count. */
const partActions: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

/** Calls that name tables in other ways than by one `TableName`. */
const tablesOf = (body: Body): string[] => Object.keys((body['RequestItems'] ?? {}) as object);

/**
 * What a call needs to be allowed to do.
 * @param arn the beginning of a table's name for IAM.
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
 */
export function usesOf(operation: string, body: Body, arn: string): Use[] {
  const use = (name: string, resource: string): Use => ({ action: `dynamodb:${name}`, resource });
  const table = (name: unknown): string => `${arn}${String(name)}`;
  switch (operation) {
    case 'TransactWriteItems':
    case 'TransactGetItems':
      return (body['TransactItems'] as Record<string, Body>[]).flatMap((item) =>
        Object.entries(item).map(([part, { TableName }]) => use(partActions[part] ?? part, table(TableName))),
      );
    case 'BatchGetItem':
    case 'BatchWriteItem':
      return tablesOf(body).map((name) => use(operation, table(name)));
    case 'Query':
    case 'Scan': {
      const { TableName, IndexName } = body;
      return [
        use(
          operation,
          IndexName === undefined ? table(TableName) : `${table(TableName)}/index/${String(IndexName)}`,
        ),
      ];
    }
    case 'ListStreams':
      return [use(operation, '*')];
    default:
      return [use(operation, table(body['TableName']))];
  }
}
