import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { Settings } from '../infrastructure/settings.ts';
import { clientSettings } from './client-settings.ts';

/** Returns the account of the credentials. Nobody needs a permission to ask for it. */
export async function callerAccount(region: string): Promise<string> {
  const { Account = '' } = await new STSClient(clientSettings(region)).send(new GetCallerIdentityCommand({}));
  return Account;
}

/** Returns why the credentials cannot deploy the stage: they would make a second deployment in another account. */
export async function accountRefusals(region: string, { account, stage }: Settings): Promise<string[]> {
  if (!account) return [];
  const used = await callerAccount(region);
  return used === account
    ? []
    : [
        `The credentials are of the account ${used}, and the stage "${stage}" is of ${account} ("account"). Choose its profile (AWS_PROFILE).`,
      ];
}
