/** What people set of a deployment: the context in `cdk.json`, or `-c key=value`. */
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import * as v from 'valibot';
import { crossOrigin, isOrigin } from '../hosting/cross-origin.ts';

/** Days that CloudWatch can keep a log for. */
const retentions = Object.values(RetentionDays)
  .filter((days): days is number => typeof days === 'number' && days !== RetentionDays.INFINITE)
  .sort((one, other) => one - other);

/** From the command line all values are text; one that holds several parts them with commas. */
const several = v.pipe(
  v.union([
    v.pipe(
      v.string(),
      v.transform((text) => text.split(',')),
    ),
    v.array(v.string()),
  ]),
  v.transform((values) => values.map((value) => value.trim()).filter(Boolean)),
);

const wholeNumber = (least: number, most: number) =>
  v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number))]),
    v.integer(),
    v.minValue(least),
    v.maxValue(most),
  );

/** Empty text stands for none. */
const optionalText = <Schema extends v.GenericSchema<string, string>>(schema: Schema) =>
  v.optional(v.union([v.literal(''), schema]), '');

const httpsUrl = v.pipe(
  v.string(),
  v.check((value) => URL.canParse(value) && new URL(value).protocol === 'https:'),
);

interface Setting {
  readonly schema: v.GenericSchema;
  /** What is right, for people: the end of "must be …". */
  readonly rule: string;
}

const setting = <Schema extends v.GenericSchema>(schema: Schema, rule: string) => ({ schema, rule });

const definitions = {
  stage: setting(
    v.optional(v.pipe(v.string(), v.regex(/^[a-z][a-z0-9-]{0,19}$/)), 'production'),
    'a name of 1 to 20 lower-case letters, digits and hyphens that begins with a letter',
  ),
  region: setting(
    optionalText(v.pipe(v.string(), v.regex(/^[a-z]{2}(-[a-z]+)+-\d$/))),
    'a region of AWS, like "eu-central-1", or empty for that of your credentials',
  ),
  corsOrigins: setting(
    v.optional(v.pipe(several, v.minLength(1), v.everyItem(isOrigin)), [...crossOrigin.origins]),
    'origins like "https://app.example.com", without a path, or "*" for any',
  ),
  throttlingRate: setting(
    v.optional(wholeNumber(1, 10_000), 500),
    'a whole number of requests a second from 1 to 10000',
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
    v.optional(several, []),
    'the audiences, or client ids, that your issuer puts into tokens for this API; with "cognito" and "none" it is empty',
  ),
  tenantClaim: setting(
    v.optional(v.pipe(v.string(), v.regex(/^[\w:./-]{1,128}$/)), 'tenant'),
    'the name of the claim that says whose data a token is for',
  ),
  callbackUrls: setting(
    v.optional(
      v.pipe(
        several,
        v.minLength(1),
        v.everyItem((value) =>
          /^https:\/\/.|^http:\/\/localhost[:/]|^(?!https?:)[a-z][a-z0-9+.-]*:\/\//.test(value),
        ),
      ),
      ['http://localhost:3000/'],
    ),
    'addresses that users come back to from the sign-in page, like "https://app.example.com/"',
  ),
  logRetentionDays: setting(
    v.optional(
      v.pipe(
        wholeNumber(1, 3_653),
        v.check((days) => retentions.includes(days)),
      ),
      30,
    ),
    `one of the numbers of days that CloudWatch knows: ${retentions.join(', ')}`,
  ),
  alarmEmail: setting(optionalText(v.pipe(v.string(), v.email())), 'an e-mail address, or empty for none'),
} satisfies Record<string, Setting>;

export type Settings = {
  readonly [Key in keyof typeof definitions]: v.InferOutput<(typeof definitions)[Key]['schema']>;
};

export const settingNames = Object.keys(definitions) as (keyof Settings)[];

/** A value in the context that cannot be. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/**
 * Reads the settings off the app's context; what is not there has its default.
 * @throws SettingsError that names each wrong key, its value and what would be right.
 */
export function readSettings(node: Node): Settings {
  const faults: string[] = [];
  const values = settingNames.map((name) => {
    const { schema, rule }: Setting = definitions[name];
    const value: unknown = node.tryGetContext(name);
    const result = v.safeParse(schema, value ?? undefined);
    if (!result.success) faults.push(`"${name}" is ${JSON.stringify(value)}; it must be ${rule}.`);
    return [name, result.output];
  });
  const settings = Object.fromEntries(values) as Settings;
  const hasIssuer = /^https:/.test(String(settings.authentication));
  if (faults.length === 0 && hasIssuer !== settings.audience.length > 0) {
    faults.push(
      `"audience" is ${JSON.stringify(settings.audience)} and "authentication" is "${settings.authentication}"; "audience" must be ${definitions.audience.rule}.`,
    );
  }
  if (faults.length > 0)
    throw new SettingsError(`The context in cdk.json, or given by -c, is wrong.\n${faults.join('\n')}`);
  return settings;
}
