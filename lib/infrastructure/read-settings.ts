/** Reads the settings of a deployment: the context in `cdk.json`, or `-c key=value`. */
import * as v from 'valibot';
import { suggestion } from '../../functions/http/suggestion.ts';
import { isDisposable } from './names.ts';
import { alarmAddress, definitions, type Setting, type Settings, settingNames } from './settings.ts';

export class SettingsError extends Error {
  override name = 'SettingsError';
}

const tableOfStream = (arn: string): string => /:table\/([^/]+)\/stream\//.exec(arn)?.[1] ?? '';

/** Returns what a stage lacks: decisions that no default can take for those who deploy it. */
function missingDecisions(settings: Settings): string[] {
  const { stage, authentication, callbackUrls, machineClient, alarmEmail, allowUnauthenticated } = settings;
  if (isDisposable(settings)) return [];
  const issues: string[] = [];
  const needsClient = authentication === 'cognito' && !settings.userPoolId;
  if (needsClient && callbackUrls.length === 0 && !machineClient) {
    issues.push(
      `Stage "${stage}" with Cognito needs "callbackUrls" (for example "https://app.example.com/") or "machineClient" (true).`,
    );
  }
  if (!alarmEmail) {
    issues.push(`Stage "${stage}" needs "alarmEmail": an address that gets mails about alarms, or "none".`);
  }
  if (authentication === 'none' && !allowUnauthenticated) {
    issues.push(
      `Stage "${stage}" has "authentication" "none": everyone can read and change its data. If that is intended, set "allowUnauthenticated" (true).`,
    );
  }
  return issues;
}

type Contradict = (name: keyof Settings, other: keyof Settings) => void;

/** Names settings that are not valid with an existing user pool: nothing is created in it, so a client that is asked for would be missing. */
function contradictionsOfPool(settings: Settings, contradict: Contradict): void {
  const { userPoolId, region } = settings;
  if (settings.authentication !== 'cognito') contradict('userPoolId', 'authentication');
  if (settings.audience.length === 0) contradict('audience', 'userPoolId');
  if (region && !userPoolId.startsWith(`${region}_`)) contradict('userPoolId', 'region');
  if (settings.callbackUrls.length > 0) contradict('callbackUrls', 'userPoolId');
  if (settings.machineClient) contradict('machineClient', 'userPoolId');
  if (settings.srpSignIn) contradict('srpSignIn', 'userPoolId');
}

/** Names settings of tokens that are not valid together. */
function contradictionsOfTokens(settings: Settings, contradict: Contradict): void {
  const { authentication, audience } = settings;
  if (settings.requireGroup && authentication !== 'cognito') contradict('requireGroup', 'authentication');
  if (settings.userPoolId) contradictionsOfPool(settings, contradict);
  else if (/^https:/.test(authentication) !== audience.length > 0) contradict('audience', 'authentication');
}

/** Returns what is wrong with settings that are valid by themselves but not together. */
function contradictions(settings: Settings): string[] {
  const { tableName, tableStreamArn } = settings;
  const issues: string[] = [];
  const contradict: Contradict = (name, other) => {
    issues.push(
      `"${name}" is ${JSON.stringify(settings[name])} and "${other}" is ${JSON.stringify(settings[other])}; "${name}" must be ${definitions[name].rule}.`,
    );
  };
  contradictionsOfTokens(settings, contradict);
  if (tableStreamArn && tableName !== tableOfStream(tableStreamArn))
    contradict('tableStreamArn', 'tableName');
  const { domainName, certificateArn, hostedZoneId, encryptionKey, region } = settings;
  const { monthlyBudget, backupVault, backupDays } = settings;
  if ((domainName === '') !== (certificateArn === '')) contradict('certificateArn', 'domainName');
  if (hostedZoneId && !domainName) contradict('hostedZoneId', 'domainName');
  if (encryptionKey && encryptionKey.split(':')[3] !== region) contradict('region', 'encryptionKey');
  if (backupVault && backupDays === 0) contradict('backupVault', 'backupDays');
  if (monthlyBudget > 0 && !alarmAddress(settings)) contradict('monthlyBudget', 'alarmEmail');
  return issues;
}

/**
 * Returns whether a key of the context belongs to CDK: a feature flag, a fact that the command line adds, a cached look-up, or an option
 * of the command line.
 */
const belongsToCdk = (key: string): boolean => /[@:/]/.test(key) || key === 'cli-telemetry';

const unknownKeys = (context: object): string[] =>
  Object.keys(context)
    .filter((key) => !(key in definitions) && !belongsToCdk(key))
    .map((key) => `"${key}" is not a setting. ${suggestion(key, settingNames)}`);

/**
 * Reads the settings. Missing keys have defaults.
 * @param context the context of the app.
 * @throws SettingsError that names each wrong key, its value and what would be right.
 */
export function readSettings(context: Readonly<Record<string, unknown>>): Settings {
  const issues = unknownKeys(context);
  const values = settingNames.map((name) => {
    const { schema, rule }: Setting = definitions[name];
    const value = context[name];
    const result = v.safeParse(schema, value ?? undefined);
    if (!result.success) issues.push(`"${name}" is ${JSON.stringify(value)}; it must be ${rule}.`);
    return [name, result.output];
  });
  const settings = Object.fromEntries(values) as Settings;
  if (issues.length === 0) issues.push(...contradictions(settings), ...missingDecisions(settings));
  if (issues.length > 0)
    throw new SettingsError(`The CDK context (cdk.json or -c) has wrong values.\n${issues.join('\n')}`);
  return settings;
}
