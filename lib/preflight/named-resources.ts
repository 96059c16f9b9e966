/** Checks what the settings name, for example a certificate and a key. What does not exist is an error of AWS, which refuses the deployment. */
import { ACMClient, DescribeCertificateCommand } from '@aws-sdk/client-acm';
import {
  BackupClient,
  DescribeGlobalSettingsCommand,
  DescribeRegionSettingsCommand,
  ListBackupVaultsCommand,
} from '@aws-sdk/client-backup';
import { GetPolicyCommand, IAMClient } from '@aws-sdk/client-iam';
import { DescribeKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { GetHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53';
import { GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { regionOf } from '../infrastructure/names.ts';
import { domainOf, type Settings } from '../infrastructure/settings.ts';
import { clientSettings } from './client-settings.ts';

/** Returns whether a certificate for a name is valid for a domain. `*` stands for one label. */
const covers = (name: string, domainName: string): boolean =>
  name === domainName ||
  (name.startsWith('*.') && name.slice(1) === domainName.slice(domainName.indexOf('.')));

/** Returns why a certificate is not usable for a domain. */
async function refusalsOfCertificate(CertificateArn: string, domainName: string): Promise<string[]> {
  const client = new ACMClient(clientSettings(regionOf(CertificateArn)));
  const { Certificate = {} } = await client.send(new DescribeCertificateCommand({ CertificateArn }));
  const { Status = '', DomainName = '', SubjectAlternativeNames = [] } = Certificate;
  const names = [...new Set([DomainName, ...SubjectAlternativeNames])];
  return [
    ...(Status === 'ISSUED' ? [] : [`The certificate has the status ${Status}: it must be ISSUED.`]),
    ...(names.some((name) => covers(name, domainName))
      ? []
      : [`The certificate is for ${names.join(', ')}, not for "${domainName}".`]),
  ];
}

/** Returns the account of the credentials. Nobody needs a permission to ask for it. */
async function callerAccount(region: string): Promise<string> {
  const { Account = '' } = await new STSClient(clientSettings(region)).send(new GetCallerIdentityCommand({}));
  return Account;
}

const backup = (region: string) => new BackupClient(clientSettings(region));

type Check = (region: string, settings: Settings) => Promise<string[]>;

/** Returns why the credentials cannot deploy the stage: they would make a second deployment in another account. */
export const accountRefusals: Check = async (region, { account, stage }) => {
  const used = account && (await callerAccount(region));
  const refusal = `The credentials are of the account ${used}, and the stage "${stage}" is of ${account} ("account"). Choose its profile (AWS_PROFILE).`;
  return used === account ? [] : [refusal];
};

/** The checks by what they are about. Each returns why the deployment cannot use what the settings name. */
export const namedResources: Readonly<Record<string, Check>> = {
  'The certificate': async (_, settings) => {
    const { certificateArn, domainName, liveCertificateArn, liveDomainName } = settings;
    return [
      ...(certificateArn ? await refusalsOfCertificate(certificateArn, domainName) : []),
      ...(liveCertificateArn ? await refusalsOfCertificate(liveCertificateArn, liveDomainName) : []),
    ];
  },

  'The hosted zone': async (region, { hostedZoneId: Id, domainName }) => {
    if (!Id) return [];
    const client = new Route53Client(clientSettings(region));
    const { HostedZone } = await client.send(new GetHostedZoneCommand({ Id }));
    const zone = HostedZone?.Name?.replace(/\.$/, '') ?? '';
    return [
      ...(HostedZone?.Config?.PrivateZone ? [`The hosted zone ${Id} is private: it must be public.`] : []),
      ...(`.${domainName}`.endsWith(`.${zone}`)
        ? []
        : [`The hosted zone ${Id} is that of ${zone}, not of "${domainName}".`]),
    ];
  },

  'The key': async (region, { encryptionKey: KeyId }) => {
    if (!KeyId) return [];
    const client = new KMSClient(clientSettings(region));
    const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId }));
    const { KeyState, KeySpec } = KeyMetadata ?? {};
    return [
      ...(KeyState === 'Enabled' ? [] : [`The key is in the state ${KeyState}: it must be Enabled.`]),
      // DynamoDB uses no other keys.
      ...(KeySpec === 'SYMMETRIC_DEFAULT' ? [] : [`The key is ${KeySpec}: it must be SYMMETRIC_DEFAULT.`]),
    ];
  },

  'The permissions boundary': async (region, { permissionsBoundary: PolicyArn }) => {
    if (PolicyArn) await new IAMClient(clientSettings(region)).send(new GetPolicyCommand({ PolicyArn }));
    return [];
  },

  'The sender of mails': async (region, { emailFrom }) => {
    if (!emailFrom) return [];
    const client = new SESv2Client(clientSettings(region));
    const EmailIdentity = domainOf(emailFrom);
    const { VerifiedForSendingStatus } = await client.send(new GetEmailIdentityCommand({ EmailIdentity }));
    const refusal = `SES has not verified ${EmailIdentity}, the domain of "emailFrom": publish the records of its identity.`;
    return VerifiedForSendingStatus ? [] : [refusal];
  },

  'The backup vault': async (region, { backupVault }) => {
    if (!backupVault) return [];
    // AWS Backup denies access to a vault that does not exist, also to a caller who may describe it. An account has less than 1,000 in a region.
    const { BackupVaultList: vaults = [] } = await backup(region).send(
      new ListBackupVaultsCommand({ MaxResults: 1_000 }),
    );
    return vaults.some(({ BackupVaultName }) => BackupVaultName === backupVault)
      ? []
      : [`There is no vault "${backupVault}" in ${region}. Leave "backupVault" empty for a new one.`];
  },

  'The copy of backups': async (region, { backupCopyVaultArn }) => {
    if (!backupCopyVaultArn) return [];
    const { ResourceTypeManagementPreference } = await backup(region).send(
      new DescribeRegionSettingsCommand({}),
    );
    const refusal = `Backups of DynamoDB in ${region} cannot be copied ("backupCopyVaultArn"). Switch its advanced backup on: aws backup update-region-settings --region ${region} --resource-type-management-preference DynamoDB=true`;
    return ResourceTypeManagementPreference?.['DynamoDB'] === false ? [refusal] : [];
  },

  // An account without an organization gets an error.
  'The copy of backups to another account': async (region, { backupCopyVaultArn: copy }) => {
    if (!copy || copy.split(':')[4] === (await callerAccount(region))) return [];
    const { GlobalSettings } = await backup(region).send(new DescribeGlobalSettingsCommand({}));
    const refusal =
      'The organization does not copy backups to other accounts ("backupCopyVaultArn"). Switch it on in its management account: aws backup update-global-settings --global-settings isCrossAccountBackupEnabled=true';
    return GlobalSettings?.['isCrossAccountBackupEnabled'] === 'false' ? [refusal] : [];
  },
};
