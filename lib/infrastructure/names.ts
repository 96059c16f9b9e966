/** Names that both stacks and the commands know at synthesis. A name needs no reference between stacks. */
import { Aws } from 'aws-cdk-lib';
import type { Settings } from './settings.ts';

type Stage = Pick<Settings, 'stage'>;

/**
 * Returns whether a stage is disposable: it is destroyed with its data. These are `development` and stages whose names begin with
 * `development-`.
 */
export const isDisposable = ({ stage }: Stage): boolean => /^development(?:-|$)/.test(stage);

export const stackName = ({ stage }: Stage, part: 'data' | 'api'): string =>
  `project-management-${stage}-${part}`;

export const ownTableName = ({ stage }: Stage): string => `project-management-${stage}`;

/** Returns the name of the table that the functions use: the stack's own, or a restored one. */
export const tableNameOf = (settings: Pick<Settings, 'stage' | 'tableName'>): string =>
  settings.tableName || ownTableName(settings);

/** Returns whether the data stack has a restored table, which was imported into it. It knows the stream of the table then. */
export const isImported = ({ stage, tableName, tableStreamArn }: Settings): boolean =>
  tableName !== '' && tableName !== ownTableName({ stage }) && tableStreamArn === '';

/**
 * Returns the logical id of a table in the data stack. Each name has an id of its own: with another name under the same id, CloudFormation would
 * replace the table.
 */
export const tableLogicalId = (stage: Stage, name: string): string =>
  name === ownTableName(stage)
    ? 'Table'
    : `Table${name.replaceAll(/[^a-zA-Z0-9]/g, (character) => `x${character.charCodeAt(0).toString(16)}`)}`;

/** Returns the prefix of the domain of the sign-in page. All accounts of a region share these names. */
export const signInDomain = ({ stage }: Stage): string => `project-management-${stage}-${Aws.ACCOUNT_ID}`;

/** Returns the address of the sign-in page of the pool of the stack. */
export const signInUrl = (stage: Stage): string =>
  `https://${signInDomain(stage)}.auth.${Aws.REGION}.amazoncognito.com`;

export const functionLogName = ({ stage }: Stage): string => `project-management-${stage}`;

export const functionLogArn = (stage: Stage): string =>
  `arn:${Aws.PARTITION}:logs:${Aws.REGION}:${Aws.ACCOUNT_ID}:log-group:${functionLogName(stage)}:*`;

export const regionOf = (arn: string): string => arn.split(':')[3] ?? '';

export const accountOf = (arn: string): string => arn.split(':')[4] ?? '';

/** Returns the name of the log group of the gateway. CloudWatch limits the policy for log groups with other prefixes. */
export const accessLogName = ({ stage }: Stage): string => `/aws/vendedlogs/project-management-${stage}`;

/** Returns a name for a resource whose names all regions of the account share. */
export const accountWideName = ({ stage }: Stage): string => `project-management-${stage}-${Aws.REGION}`;

/** Returns the namespace of the metrics of requests. Stages of one account have metrics of their own. */
export const requestNamespace = ({ stage }: Stage): string => `ProjectManagement/${stage}`;

export const tableArnOf = (name: string): string =>
  `arn:${Aws.PARTITION}:dynamodb:${Aws.REGION}:${Aws.ACCOUNT_ID}:table/${name}`;

/**
 * Returns the ARNs of the tables that roles allow: that of `tableName`, and that of `otherTableName` while a deployment switches between the two.
 */
export const allowedTableArns = (
  settings: Pick<Settings, 'stage' | 'tableName' | 'otherTableName'>,
): string[] => [...new Set([tableNameOf(settings), settings.otherTableName])].filter(Boolean).map(tableArnOf);

export const eventBusName = ({ stage }: Stage): string => `project-management-${stage}`;

export const eventBusArn = (stage: Stage): string =>
  `arn:${Aws.PARTITION}:events:${Aws.REGION}:${Aws.ACCOUNT_ID}:event-bus/${eventBusName(stage)}`;

/** The output with the keys that roles allow, that of the table first. */
export const keysOutput = 'EncryptionKeys';

/** The key of the stored formats in the metadata of the template of the data stack. */
export const formatsKey = 'StoredFormats';

/** Returns the keys that roles allow: that of `encryptionKey`, and that of `otherEncryptionKey` while a deployment switches between the two. */
export const allowedKeys = ({
  encryptionKey,
  otherEncryptionKey,
}: Pick<Settings, 'encryptionKey' | 'otherEncryptionKey'>): string[] =>
  [encryptionKey, otherEncryptionKey].filter(Boolean);
