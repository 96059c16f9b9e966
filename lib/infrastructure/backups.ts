import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  BackupPlan,
  BackupPlanRule,
  BackupResource,
  BackupVault,
  type IBackupVault,
} from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import { isDisposable, tableArnOf, tableNameOf } from './names.ts';
import type { Settings } from './settings.ts';

/**
 * Returns the vault. A vault with backups is never deleted, so a stage that had backups before still has its vault. A second vault of the
 * same name cannot be created: the setting `backupVault` names the existing one.
 */
function vaultFor(scope: Construct, settings: Settings): IBackupVault {
  const { backupVault } = settings;
  if (backupVault) return BackupVault.fromBackupVaultName(scope, 'Backups', backupVault);
  return new BackupVault(scope, 'Backups', {
    removalPolicy: isDisposable(settings) ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
}

/**
 * Creates a daily backup of the table, and a copy of it in the vault that the settings name. Unlike point-in-time recovery, it outlives the table, and reaches back longer than 35 days.
 * @returns the vault, if the settings ask for backups.
 */
export function backups(scope: Construct, settings: Settings): IBackupVault | undefined {
  const { backupDays, backupCopyVaultArn, stage } = settings;
  if (backupDays === 0) return undefined;
  const vault = vaultFor(scope, settings);
  const copies = backupCopyVaultArn && BackupVault.fromBackupVaultArn(scope, 'Copies', backupCopyVaultArn);
  const deleteAfter = Duration.days(backupDays);
  const rule = new BackupPlanRule({
    backupVault: vault,
    scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
    // By default, it may start eight hours late.
    startWindow: Duration.hours(1),
    completionWindow: Duration.hours(12),
    deleteAfter,
    ...(copies && { copyActions: [{ destinationBackupVault: copies, deleteAfter }] }),
  });
  const plan = new BackupPlan(scope, 'BackupPlan', {
    backupPlanName: `project-management-${stage}`,
    backupVault: vault,
    backupPlanRules: [rule],
  });
  const selection = plan.addSelection('Table', {
    // Another table has another selection, which is created before this one is deleted.
    backupSelectionName: tableNameOf(settings).slice(-50),
    resources: [BackupResource.fromArn(tableArnOf(tableNameOf(settings)))],
  });
  Validations.of(selection).acknowledge({
    id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
    reason: 'AWS maintains the policy of its own service.',
  });
  return vault;
}
