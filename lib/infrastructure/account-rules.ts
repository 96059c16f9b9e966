/** What the owner of an account requires of all resources: tags, and a boundary for the permissions of roles. */
import { type Stack, Tags } from 'aws-cdk-lib';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import { ownTags, type Settings } from './settings.ts';

export function applyAccountRules(stack: Stack, { stage, tags, permissionsBoundary }: Settings): void {
  for (const tag of [...ownTags(stage), ...tags]) {
    const [key = '', ...value] = tag.split('=');
    Tags.of(stack).add(key, value.join('='));
  }
  if (!permissionsBoundary) return;
  const policy = ManagedPolicy.fromManagedPolicyArn(stack, 'PermissionsBoundary', permissionsBoundary);
  PermissionsBoundary.of(stack).apply(policy);
}
