/** The settings of a deployment, each with the rule for its values. `read-settings.ts` reads them. */
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as v from 'valibot';
import {
  defaultHistoryDays,
  maxHistoryDays,
  minHistoryDays,
} from '../../functions/engine/model/change-log.ts';
import { crossOrigin, isOrigin } from '../hosting/cors.ts';
import { defaultTenantRate, maxTenantRate } from '../hosting/functions.ts';

const retentions = Object.values(RetentionDays)
  .filter((days): days is number => typeof days === 'number' && days !== RetentionDays.INFINITE)
  .sort((one, other) => one - other);

/** A list. On the command line it is text, separated by commas. */
const textList = v.pipe(
  v.union([
    v.pipe(
      v.string(),
      v.transform((text) => text.split(',')),
    ),
    v.array(v.string()),
  ]),
  v.transform((values) => values.map((value) => value.trim()).filter(Boolean)),
);

const listOf = (pattern: RegExp) =>
  v.optional(
    v.pipe(
      textList,
      v.everyItem((value) => pattern.test(value)),
    ),
    [],
  );

const wholeNumber = (min: number, max: number) =>
  v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number))]),
    v.integer(),
    v.minValue(min),
    v.maxValue(max),
  );

/** Optional text. An empty text counts as absent. */
const optionalText = <Schema extends v.GenericSchema<string, string>>(schema: Schema) =>
  v.optional(v.union([v.literal(''), schema]), '');

const httpsUrl = v.pipe(
  v.string(),
  v.check((value) => URL.canParse(value) && new URL(value).protocol === 'https:'),
);

export interface Setting {
  readonly schema: v.GenericSchema;
  /** Continues "must be …" in the error message. */
  readonly rule: string;
}

const setting = <Schema extends v.GenericSchema>(schema: Schema, rule: string) => ({ schema, rule });

/** A switch. On the command line it is text. */
const toggle = (isOn = false) =>
  v.optional(
    v.union([
      v.boolean(),
      v.pipe(
        v.picklist(['true', 'false']),
        v.transform((text) => text === 'true'),
      ),
    ]),
    isOn,
  );

const optionalArn = (pattern: RegExp) => optionalText(v.pipe(v.string(), v.regex(pattern)));

const domainPattern = v.pipe(v.string(), v.regex(/^(?=.{4,253}$)(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/));

const isToggle = 'true or false';

/** Seconds for which Lambda collects records of a stream, at most. */
const maxLiveWindow = 300;

/** Megabytes of columns that a process keeps without the setting. */
export const defaultColumnMemoryMb = 512;

const reservation = () => v.optional(wholeNumber(0, 10_000), 0);

const isReservation =
  'a whole number of invocations at once from 1 to 10000 that Lambda reserves, or 0 for no reservation';

/** Returns the tags that every resource has. */
export const ownTags = (stage: string): string[] => ['application=project-management', `stage=${stage}`];

/** Tags of the owner of the account. AWS allows 50 of a resource. */
const maxTags = 50 - ownTags('').length;

export const definitions = {
  stage: setting(
    v.optional(
      v.pipe(v.string(), v.regex(/^(?!.*(?:aws|amazon|cognito))[a-z][a-z0-9-]{0,19}$/)),
      'development',
    ),
    'a name of 1 to 20 lower-case letters, digits and hyphens that starts with a letter and does not contain "aws", "amazon" or "cognito", which Cognito refuses',
  ),
  account: setting(
    optionalText(v.pipe(v.string(), v.regex(/^\d{12}$/))),
    'the 12 digits of the AWS account of the stage, or empty for that of your credentials',
  ),
  region: setting(
    optionalText(v.pipe(v.string(), v.regex(/^(?!cn-|us-gov-|us-iso)[a-z]{2}(-[a-z]+)+-\d$/))),
    'an AWS region outside GovCloud and China, for example "eu-central-1", or empty for the region of your credentials; with "encryptionKey" or "otherEncryptionKey", the region of the key',
  ),
  tableName: setting(
    optionalText(v.pipe(v.string(), v.regex(/^[\w.-]{3,255}$/))),
    'the name of a restored table, or empty for the table of the stack',
  ),
  tableStreamArn: setting(
    optionalArn(/^arn:[\w-]+:dynamodb:[\w-]+:\d{12}:table\/[\w.-]+\/stream\/.+$/),
    'the ARN of the stream of the table that "tableName" names ("LatestStreamArn" of "aws dynamodb describe-table"), or empty without "tableName" and for a table that was imported into the stack',
  ),
  otherTableName: setting(
    optionalText(v.pipe(v.string(), v.regex(/^[\w.-]{3,255}$/))),
    'the name of a second table that roles allow while "tableName" switches, or empty for none',
  ),
  corsOrigins: setting(
    v.optional(v.pipe(textList, v.minLength(1), v.everyItem(isOrigin)), [...crossOrigin.origins]),
    'origins, for example "https://app.example.com", without a path, or "*" for all',
  ),
  throttlingRate: setting(
    v.optional(wholeNumber(1, 10_000), 500),
    'a whole number of requests per second from 1 to 10000',
  ),
  throttlingBurst: setting(
    v.optional(wholeNumber(1, 5_000), 1_000),
    'a whole number of requests from 1 to 5000',
  ),
  tenantRate: setting(
    v.optional(v.union([v.literal(''), wholeNumber(0, maxTenantRate)]), ''),
    `a whole number of capacity units per second from 0 (no limit) to ${maxTenantRate}, or empty for ${defaultTenantRate} outside disposable stages`,
  ),
  jobChangesPerSecond: setting(
    v.optional(wholeNumber(20, 1_000), 100),
    'a whole number of entities from 20 to 1000 that the jobs of a tenant change in a second',
  ),
  columnMemory: setting(
    v.optional(wholeNumber(64, 8_192), defaultColumnMemoryMb),
    'a whole number of megabytes from 64 to 8192 that a process keeps of columns',
  ),
  eventBus: setting(toggle(), isToggle),
  live: setting(
    v.optional(v.union([v.picklist(['', 'off']), wholeNumber(0, maxLiveWindow)]), ''),
    `"off", or a whole number of seconds from 0 to ${maxLiveWindow} for which changes are collected before they are announced, or empty for 0; "off" or empty with "authentication" "none"`,
  ),
  liveSpread: setting(
    v.optional(wholeNumber(0, 600_000), 0),
    'a whole number of milliseconds from 0 to 600000 within which clients ask for an announced change',
  ),
  signInConcurrency: setting(reservation(), isReservation),
  scheduleConcurrency: setting(reservation(), isReservation),
  streamConcurrency: setting(reservation(), isReservation),
  historyDays: setting(
    v.optional(wholeNumber(minHistoryDays, maxHistoryDays), defaultHistoryDays),
    `a whole number of days from ${minHistoryDays} to ${maxHistoryDays} for which the history of an entity is kept`,
  ),
  authentication: setting(
    v.optional(v.union([v.picklist(['cognito', 'none']), httpsUrl]), 'cognito'),
    '"cognito", "none", or the https URL of an OpenID issuer',
  ),
  allowUnauthenticated: setting(toggle(), isToggle),
  userPoolId: setting(
    optionalText(v.pipe(v.string(), v.regex(/^[a-z]{2}(-[a-z]+)+-\d_[A-Za-z0-9]+$/))),
    'the id of an existing user pool of Cognito in the region of the API, for example "eu-central-1_a1B2c3D4e", or empty for a pool of the stack; it needs "authentication" "cognito"',
  ),
  audience: setting(
    v.optional(textList, []),
    'the audiences or client ids in the tokens for this API of your issuer or of the pool "userPoolId", or empty without both',
  ),
  tenantClaim: setting(
    v.optional(v.pipe(v.string(), v.regex(/^[\w:./-]{1,128}$/)), 'tenant'),
    'the name of the claim that contains the tenant',
  ),
  callbackUrls: setting(
    listOf(/^(?=[^\s#*]+$)(?:https:\/\/.|http:\/\/localhost[:/]|(?!https?:)[a-z][a-z0-9+.-]*:\/\/)/),
    'addresses to which the sign-in page redirects, for example "https://app.example.com/", without "#" and without the wildcard "*"; empty with "userPoolId"',
  ),
  emailFrom: setting(
    optionalText(v.pipe(v.string(), v.email())),
    'the sender of the mails of the user pool, for example "no-reply@example.com", whose domain is a verified identity of SES in the region of the API, or empty for the sender of Cognito; empty without a pool of the stack',
  ),
  machineClient: setting(toggle(), `${isToggle}, and false with "userPoolId"`),
  requireGroup: setting(
    toggle(),
    `${isToggle}, and true only with "authentication" "cognito", whose groups are the roles`,
  ),
  closeProjects: setting(
    v.optional(v.picklist(['anyone', 'all-projects']), 'anyone'),
    '"anyone", or "all-projects": only tokens with this scope make a project private that has no members',
  ),
  multiFactor: setting(
    v.optional(v.picklist(['off', 'optional', 'required']), 'optional'),
    '"off", "optional" or "required"',
  ),
  logRetentionDays: setting(
    v.optional(
      v.pipe(
        wholeNumber(1, 3_653),
        v.check((days) => retentions.includes(days)),
      ),
      30,
    ),
    `a retention period of CloudWatch Logs in days: ${retentions.join(', ')}`,
  ),
  requestMetrics: setting(toggle(), isToggle),
  logSourceIp: setting(toggle(), isToggle),
  tracing: setting(toggle(), isToggle),
  documentation: setting(toggle(true), isToggle),
  domainName: setting(
    optionalText(domainPattern),
    'the name of a domain for the API, for example "api.example.com", or empty for none',
  ),
  certificateArn: setting(
    optionalArn(/^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/.+$/),
    'the ARN of a certificate for "domainName" in the region of the API, or empty without "domainName"',
  ),
  hostedZoneId: setting(
    optionalText(v.pipe(v.string(), v.regex(/^Z[A-Z0-9]{1,31}$/))),
    'the id of the Route 53 hosted zone of "domainName", or empty if its records are elsewhere',
  ),
  liveDomainName: setting(
    optionalText(domainPattern),
    'the name of a domain for the connections of clients, for example "live.example.com", or empty for none and where "live" is off',
  ),
  liveCertificateArn: setting(
    optionalArn(/^arn:[\w-]+:acm:us-east-1:\d{12}:certificate\/.+$/),
    'the ARN of a certificate for "liveDomainName" in us-east-1, or empty without "liveDomainName"',
  ),
  tags: setting(
    v.pipe(
      listOf(/^(?!aws:)[\p{L}\p{Z}\p{N}_.:/+\-@]{1,128}=[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,256}$/iu),
      v.maxLength(maxTags),
      v.check((tags) => {
        const keys = [...ownTags(''), ...tags].map((tag) => tag.replace(/=.*/s, '').toLowerCase());
        return new Set(keys).size === keys.length;
      }),
    ),
    `at most ${maxTags} tags of the form "key=value", separated by commas, of letters, digits, spaces and _ . : / = + - @; a key does not begin with "aws:", and differs from other keys, "application" and "stage" in more than case, which IAM ignores`,
  ),
  permissionsBoundary: setting(
    optionalArn(/^arn:[\w-]+:iam::(?:\d{12}|aws):policy\/.+$/),
    'the ARN of a managed policy that bounds the permissions of all roles, or empty for none',
  ),
  encryptionKey: setting(
    optionalArn(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/.+$/),
    'the ARN of a key of AWS KMS that encrypts the table, or empty for a key that AWS owns',
  ),
  otherEncryptionKey: setting(
    optionalArn(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/.+$/),
    'the ARN of a second key that roles allow while "encryptionKey" switches, or empty for none',
  ),
  backupDays: setting(
    v.optional(wholeNumber(0, 36_500), 0),
    'the whole number of days for which a daily backup is kept, or 0 for no backups',
  ),
  backupVault: setting(
    optionalText(v.pipe(v.string(), v.regex(/^[\w-]{2,50}$/))),
    'the name of a vault of AWS Backup in the region of the API, or empty for a new one; it needs "backupDays"',
  ),
  backupCopyVaultArn: setting(
    optionalArn(/^arn:[\w-]+:backup:[\w-]+:\d{12}:backup-vault:[\w-]{2,50}$/),
    'the ARN of a vault of AWS Backup in another account or region that gets a copy of each backup, or empty for none; it needs "backupDays"',
  ),
  monthlyBudget: setting(
    v.optional(wholeNumber(0, 10_000_000), 0),
    'a whole number of US dollars a month, or 0 for no budget; it needs "alarmEmail"',
  ),
  alarms: setting(toggle(true), `${isToggle}, and true with "alarmTopicArn" or "urgentTopicArn"`),
  alarmEmail: setting(
    optionalText(v.union([v.literal('none'), v.pipe(v.string(), v.email())])),
    'an e-mail address, or "none"',
  ),
  alarmTopicArn: setting(
    optionalArn(/^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/),
    'the ARN of a topic of SNS in the region of the API that gets the alarms, or empty for a topic of the stack',
  ),
  urgentTopicArn: setting(
    optionalArn(/^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/),
    'the ARN of a topic of SNS in the region of the API that gets the alarms which cannot wait, or empty for that of the other alarms',
  ),
  metricTags: setting(toggle(), isToggle),
  canary: setting(
    v.optional(v.union([v.literal(''), toggle()]), ''),
    `${isToggle}, or empty for true where the stage is not disposable and has a user pool of its own; true needs tokens, and "canaryClient" with another issuer or pool`,
  ),
  canaryClient: setting(
    optionalArn(/^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:.+$/),
    'the ARN of a secret of Secrets Manager with "tokenUrl", "clientId" and "clientSecret" of a client with the scopes "tags:read" and "tags:write", or empty with a user pool of the stack',
  ),
} satisfies Record<string, Setting>;

/** Settings that name something of one stage. Another stage must not have them by default. */
export const ofOneStage = [
  'account',
  'tableName',
  'tableStreamArn',
  'otherTableName',
  'userPoolId',
  'audience',
  'callbackUrls',
  'emailFrom',
  'domainName',
  'certificateArn',
  'hostedZoneId',
  'liveDomainName',
  'liveCertificateArn',
  'encryptionKey',
  'otherEncryptionKey',
  'backupVault',
  'backupCopyVaultArn',
  'alarmEmail',
  'alarmTopicArn',
  'urgentTopicArn',
  'canaryClient',
] as const satisfies readonly (keyof typeof definitions)[];

export type Settings = {
  readonly [Key in keyof typeof definitions]: v.InferOutput<(typeof definitions)[Key]['schema']>;
};

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

/** Returns the address that gets mails about alarms; an empty text for none. */
export const alarmAddress = ({ alarmEmail }: Settings): string => (alarmEmail === 'none' ? '' : alarmEmail);

/** Returns the seconds for which changes are collected before they are announced; `undefined` where they are not announced. */
export const liveWindow = ({ authentication, live }: Settings): number | undefined =>
  authentication === 'none' || live === 'off' ? undefined : live || 0;

/** Returns whether the stack creates a user pool. */
export const hasOwnPool = ({ authentication, userPoolId }: Settings): boolean =>
  authentication === 'cognito' && userPoolId === '';

export const settingNames = Object.keys(definitions) as (keyof Settings)[];
