/** Compares a table with the shape that the template gives it. */
import type {
  GlobalSecondaryIndexDescription,
  KeySchemaElement,
  TableDescription,
} from '@aws-sdk/client-dynamodb';
import { table as shape } from '../../functions/engine/model/table.ts';

/** A table as DynamoDB describes it. */
export interface TableInUse {
  readonly description: TableDescription;
  /** The attribute of the time to live; undefined when it is off. */
  readonly timeToLive: string | undefined;
  readonly hasPointInTimeRecovery: boolean;
}

/** What a deployment expects of the table in use. */
interface ExpectedTable {
  readonly name: string;
  /**
   * Whether it is the stack's own table. A deployment gives this one the indexes of the template, but does not switch on again what somebody has
   * switched off: CloudFormation compares templates, not tables.
   */
  readonly isOwn: boolean;
  readonly isProtected: boolean;
  /** The stream that the settings name, if they name one. */
  readonly streamArn: string;
}

type KeyNames = { readonly partitionKey: string; readonly sortKey: string };

const keyOf = (schema: readonly KeySchemaElement[] = []): string =>
  schema.map(({ AttributeName }) => AttributeName).join(', ');

const expectedKey = ({ partitionKey, sortKey }: KeyNames): string => `${partitionKey}, ${sortKey}`;

function indexDifferences(
  name: string,
  expected: KeyNames,
  found?: GlobalSecondaryIndexDescription,
): string[] {
  if (!found) return [`lacks the index ${name}`];
  const key = keyOf(found.KeySchema);
  const { ProjectionType: projected } = found.Projection ?? {};
  return [
    ...(key === expectedKey(expected)
      ? []
      : [`has the index ${name} with the key ${key} instead of ${expectedKey(expected)}`]),
    ...(projected === 'ALL' ? [] : [`has the index ${name} with the attributes ${projected} instead of ALL`]),
    ...(found.IndexStatus === 'ACTIVE'
      ? []
      : [`has the index ${name} in the status ${found.IndexStatus}: wait until it is ACTIVE`]),
  ];
}

/** Returns how keys and indexes differ. */
function shapeDifferences({ description }: TableInUse): string[] {
  const found = new Map(
    (description.GlobalSecondaryIndexes ?? []).map((index) => [index.IndexName ?? '', index]),
  );
  const key = keyOf(description.KeySchema);
  const unknown = [...found.keys()].filter((name) => !(name in shape.indexes));
  return [
    ...(description.TableStatus === 'ACTIVE'
      ? []
      : [`has the status ${description.TableStatus}: wait until it is ACTIVE`]),
    ...(key === expectedKey(shape) ? [] : [`has the key ${key} instead of ${expectedKey(shape)}`]),
    ...Object.entries(shape.indexes).flatMap(([name, expected]) =>
      indexDifferences(name, expected, found.get(name)),
    ),
    ...unknown.map((name) => `has the index ${name}, which the template does not have`),
  ];
}

function streamDifferences({ description }: TableInUse, expectedArn: string): string[] {
  const { StreamSpecification: stream, LatestStreamArn: arn } = description;
  if (!stream?.StreamEnabled) return ['has no stream: switch it on with the view type KEYS_ONLY'];
  if (stream.StreamViewType !== 'KEYS_ONLY')
    return [`has a stream with the view type ${stream.StreamViewType} instead of KEYS_ONLY`];
  return expectedArn && arn !== expectedArn
    ? [`has the stream ${arn}, but "tableStreamArn" is ${expectedArn}`]
    : [];
}

/** Returns what is switched off that the template switches on. */
function protectionDifferences(
  { description, timeToLive, hasPointInTimeRecovery }: TableInUse,
  isProtected: boolean,
): string[] {
  return [
    ...(timeToLive === shape.timeToLive
      ? []
      : [
          timeToLive === undefined
            ? `has no time to live: switch it on for the attribute ${shape.timeToLive}`
            : `has its time to live on the attribute ${timeToLive} instead of ${shape.timeToLive}`,
        ]),
    ...(isProtected && !description.DeletionProtectionEnabled ? ['has no deletion protection'] : []),
    ...(hasPointInTimeRecovery ? [] : ['has no point-in-time recovery']),
  ];
}

/** Returns one sentence for each difference between a table and the shape that the template gives it. */
export function tableDifferences(
  found: TableInUse,
  { name, isOwn, isProtected, streamArn }: ExpectedTable,
): string[] {
  return [
    ...(isOwn ? [] : shapeDifferences(found)),
    ...streamDifferences(found, streamArn),
    ...protectionDifferences(found, isProtected),
  ].map((difference) => `The table "${name}" ${difference}.`);
}
