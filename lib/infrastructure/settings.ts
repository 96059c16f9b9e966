/** Settings of a deployment: the context in `cdk.json`, or `-c key=value`. */
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import * as v from 'valibot';
import { crossOrigin, isOrigin } from '../hosting/cors.ts';

/** Retention periods of CloudWatch Logs, in days. */
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

interface Setting {
  readonly schema: v.GenericSchema;
  /** Continues "must be …" in the error message. */
  readonly rule: string;
}

const setting = <Schema extends v.GenericSchema>(schema: Schema, rule: string) => ({ schema, rule });

const definitions = {
  stage: setting(
    v.optional(v.pipe(v.string(), v.regex(/^[a-z][a-z0-9-]{0,19}$/)), 'production'),
    'a name of 1 to 20 lower-case letters, digits and hyphens that starts with a letter',
  ),
  region: setting(
    optionalText(v.pipe(v.string(), v.regex(/^[a-z]{2}(-[a-z]+)+-\d$/))),
    'an AWS region, for example "eu-central-1", or empty for the region of your credentials',
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
  authentication: setting(
    v.optional(v.union([v.picklist(['cognito', 'none']), httpsUrl]), 'cognito'),
    '"cognito", "none", or the https URL of an OpenID issuer',
  ),
  audience: setting(
    v.optional(textList, []),
    'the audiences or client ids in your issuer\'s tokens for this API, or empty with "cognito" and "none"',
  ),
  tenantClaim: setting(
    v.optional(v.pipe(v.string(), v.regex(/^[\w:./-]{1,128}$/)), 'tenant'),
    'the name of the claim that contains the tenant',
  ),
  callbackUrls: setting(
    v.optional(
      v.pipe(
        textList,
        v.minLength(1),
        v.everyItem((value) =>
          /^https:\/\/.|^http:\/\/localhost[:/]|^(?!https?:)[a-z][a-z0-9+.-]*:\/\//.test(value),
        ),
      ),
      ['http://localhost:3000/'],
    ),
    'addresses to which the sign-in page redirects, for example "https://app.example.com/"',
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
  alarmEmail: setting(optionalText(v.pipe(v.string(), v.email())), 'an e-mail address, or empty for none'),
} satisfies Record<string, Setting>;

export type Settings = {
  readonly [Key in keyof typeof definitions]: v.InferOutput<(typeof definitions)[Key]['schema']>;
};

export const settingNames = Object.keys(definitions) as (keyof Settings)[];

/** The context has wrong values. The message names each one and what would be right. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/**
 * Reads the settings from the context of the app. Missing keys have defaults.
 * @throws SettingsError that names each wrong key, its value and what would be right.
 */
export function readSettings(node: Node): Settings {
  const issues: string[] = [];
  const values = settingNames.map((name) => {
    const { schema, rule }: Setting = definitions[name];
    const value: unknown = node.tryGetContext(name);
    const result = v.safeParse(schema, value ?? undefined);
    if (!result.success) issues.push(`"${name}" is ${JSON.stringify(value)}; it must be ${rule}.`);
    return [name, result.output];
  });
  const settings = Object.fromEntries(values) as Settings;
  const hasIssuer = /^https:/.test(String(settings.authentication));
  if (issues.length === 0 && hasIssuer !== settings.audience.length > 0) {
    issues.push(
      `"audience" is ${JSON.stringify(settings.audience)} and "authentication" is "${settings.authentication}"; "audience" must be ${definitions.audience.rule}.`,
    );
  }
  if (issues.length > 0)
    throw new SettingsError(`The CDK context (cdk.json or -c) has wrong values.\n${issues.join('\n')}`);
  return settings;
}
