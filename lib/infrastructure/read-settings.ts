/** Reads the settings of a deployment: `stages` in the context of `cdk.json`, and `-c key=value`. */
import { distance } from 'fastest-levenshtein';
import * as v from 'valibot';
import { didYouMean, suggestion } from '../../functions/http/suggestion.ts';
import { accountOf, isDisposable, regionOf } from './names.ts';
import {
  alarmAddress,
  definitions,
  hasOwnPool,
  liveWindow,
  ofOneStage,
  type Setting,
  type Settings,
  settingNames,
} from './settings.ts';

export class SettingsError extends Error {
  override name = 'SettingsError';
}

const tableOfStream = (arn: string): string => /:table\/([^/]+)\/stream\//.exec(arn)?.[1] ?? '';

/** Returns what a stage lacks: decisions that no default can take for those who deploy it. */
function missingDecisions(settings: Settings): string[] {
  const { stage, authentication, callbackUrls, machineClient, allowUnauthenticated } = settings;
  if (isDisposable(settings)) return [];
  const issues: string[] = [];
  if (hasOwnPool(settings) && callbackUrls.length === 0 && !machineClient) {
    issues.push(
      `Stage "${stage}" with Cognito needs "callbackUrls" (for example "https://app.example.com/") or "machineClient" (true).`,
    );
  }
  if (settings.alarms && !settings.alarmEmail && !settings.alarmTopicArn) {
    issues.push(
      `Stage "${stage}" needs "alarmEmail": an address that gets mails about alarms, or "none"; or "alarmTopicArn", or "alarms" (false).`,
    );
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
  if (settings.authentication !== 'cognito') contradict('userPoolId', 'authentication');
  if (settings.audience.length === 0) contradict('audience', 'userPoolId');
  if (settings.callbackUrls.length > 0) contradict('callbackUrls', 'userPoolId');
  if (settings.machineClient) contradict('machineClient', 'userPoolId');
  if (settings.emailFrom) contradict('emailFrom', 'userPoolId');
}

/** Names settings of tokens that are not valid together. */
function contradictionsOfTokens(settings: Settings, contradict: Contradict): void {
  const { authentication, audience, emailFrom } = settings;
  if (emailFrom && authentication !== 'cognito') contradict('emailFrom', 'authentication');
  if (settings.requireGroup && authentication !== 'cognito') contradict('requireGroup', 'authentication');
  if (settings.userPoolId) contradictionsOfPool(settings, contradict);
  else if (/^https:/.test(authentication) !== audience.length > 0) contradict('audience', 'authentication');
}

/** Names settings of the function that uses the service from outside which are not valid together: it needs a client. */
function contradictionsOfCanary(settings: Settings, contradict: Contradict): void {
  const { canary, canaryClient, authentication } = settings;
  if (canary && authentication === 'none') contradict('canary', 'authentication');
  if ((canary === true && !hasOwnPool(settings)) !== (canaryClient !== ''))
    contradict('canaryClient', 'canary');
}

/** Names settings of announcements that are not valid together: only tokens subscribe. */
function contradictionsOfLive(settings: Settings, contradict: Contradict): void {
  const { authentication, live, liveDomainName, liveCertificateArn } = settings;
  if (authentication === 'none' && typeof live === 'number') contradict('live', 'authentication');
  if ((liveDomainName === '') !== (liveCertificateArn === ''))
    contradict('liveCertificateArn', 'liveDomainName');
  if (liveDomainName && liveWindow(settings) === undefined) contradict('liveDomainName', 'live');
}

/** Names what is in another region than the deployment. */
function contradictionsOfRegion(settings: Settings, contradict: Contradict): void {
  const { userPoolId, region } = settings;
  for (const name of ['encryptionKey', 'otherEncryptionKey'] as const)
    if (settings[name] && regionOf(settings[name]) !== region) contradict('region', name);
  if (!region) return;
  for (const name of ['alarmTopicArn', 'urgentTopicArn', 'certificateArn', 'canaryClient'] as const)
    if (settings[name] && regionOf(settings[name]) !== region) contradict(name, 'region');
  if (userPoolId && !userPoolId.startsWith(`${region}_`)) contradict('userPoolId', 'region');
}

/** Names what is in another account than the deployment, or is a copy in the same one. */
function contradictionsOfAccount(settings: Settings, contradict: Contradict): void {
  const { account, region, backupCopyVaultArn: vault } = settings;
  if (!account) return;
  for (const name of ['certificateArn', 'liveCertificateArn', 'permissionsBoundary'] as const)
    if (settings[name] && ![account, 'aws'].includes(accountOf(settings[name]))) contradict(name, 'account');
  if (vault && region && accountOf(vault) === account && regionOf(vault) === region)
    contradict('backupCopyVaultArn', 'account');
}

/** Returns what is wrong with settings that are valid by themselves but not together. An empty region is compared with that of keys alone. */
export function contradictions(settings: Settings): string[] {
  const { tableName, tableStreamArn } = settings;
  const issues: string[] = [];
  const contradict: Contradict = (name, other) => {
    issues.push(
      `"${name}" is ${JSON.stringify(settings[name])} and "${other}" is ${JSON.stringify(settings[other])}; "${name}" must be ${definitions[name].rule}.`,
    );
  };
  contradictionsOfRegion(settings, contradict);
  contradictionsOfAccount(settings, contradict);
  contradictionsOfTokens(settings, contradict);
  contradictionsOfCanary(settings, contradict);
  contradictionsOfLive(settings, contradict);
  if (tableStreamArn && tableName !== tableOfStream(tableStreamArn))
    contradict('tableStreamArn', 'tableName');
  const { domainName, certificateArn, hostedZoneId } = settings;
  const { monthlyBudget, backupDays } = settings;
  if ((domainName === '') !== (certificateArn === '')) contradict('certificateArn', 'domainName');
  if (hostedZoneId && !domainName) contradict('hostedZoneId', 'domainName');
  for (const name of ['backupVault', 'backupCopyVaultArn'] as const)
    if (settings[name] && backupDays === 0) contradict(name, 'backupDays');
  for (const name of ['alarmTopicArn', 'urgentTopicArn'] as const)
    if (settings[name] && !settings.alarms) contradict('alarms', name);
  if (monthlyBudget > 0 && !alarmAddress(settings)) contradict('monthlyBudget', 'alarmEmail');
  return issues;
}

/**
 * Returns whether a key of the context belongs to CDK: a feature flag, a fact that the command line adds, a cached look-up, or an option
 * of the command line.
 */
const belongsToCdk = (key: string): boolean => /[@:/]/.test(key) || key === 'cli-telemetry';

const unknownKeys = (values: object): string[] =>
  Object.keys(values)
    .filter((key) => !(key in definitions) && !belongsToCdk(key))
    .map((key) => `"${key}" is not a setting. ${suggestion(key, settingNames)}`);

type Values = Readonly<Record<string, unknown>>;

/** The values of `cdk.json`: those that all stages have, and those of each stage over them. */
type Stages = Readonly<Record<string, Values>>;

const stagesOf = ({ stages }: Values): Stages => (stages ?? {}) as Stages;

/** Returns the values of the stage: its own over those that all stages have, and those of the command line over both. */
export function valuesOf(context: Values): Values {
  const { stages: _, ...given } = context;
  const { common = {}, ...others } = stagesOf(context);
  const { stage = common['stage'] } = given;
  return { ...common, ...others[String(stage)], ...given, stage };
}

/** Names a stage that is probably meant: another name would be a new stage beside it. */
function mistypedStage(context: Values): string[] {
  const stage = String(valuesOf(context)['stage']);
  const { common: _, ...others } = stagesOf(context);
  // One or two edits are a typing error.
  const meant = Object.keys(others).find((name) => distance(name, stage) <= 2);
  if (meant === undefined || stage in others) return [];
  return [
    `Stage "${stage}" is not in "stages" of cdk.json. ${didYouMean(meant)} Add it there if it is another stage.`,
  ];
}

/** Returns what all stages would have, although it is of one. */
function sharedValues(context: Values): string[] {
  const { common = {} } = stagesOf(context);
  const isEmpty = (value: unknown): boolean => value === undefined || String(value) === '';
  return ofOneStage
    .filter((name) => !isEmpty(common[name]))
    .map(
      (name) => `"${name}" is in "stages.common", but it belongs to one stage: move it to "stages.<stage>".`,
    );
}

/**
 * Reads the settings. Missing keys have defaults.
 * @param context the context of the app.
 * @throws SettingsError that names each wrong key, its value and what would be right.
 */
export function readSettings(context: Values): Settings {
  const given = valuesOf(context);
  const issues = [
    ...[given, ...Object.values(stagesOf(context))].flatMap(unknownKeys),
    ...sharedValues(context),
    ...mistypedStage(context),
  ];
  const values = settingNames.map((name) => {
    const { schema, rule }: Setting = definitions[name];
    const value = given[name];
    const result = v.safeParse(schema, value ?? undefined);
    if (!result.success) issues.push(`"${name}" is ${JSON.stringify(value)}; it must be ${rule}.`);
    return [name, result.output];
  });
  const settings = Object.fromEntries(values) as Settings;
  if (issues.length === 0) issues.push(...contradictions(settings), ...missingDecisions(settings));
  if (issues.length > 0)
    throw new SettingsError(
      `The settings ("stages" in cdk.json, or -c) have wrong values.\n${[...new Set(issues)].join('\n')}`,
    );
  return settings;
}
