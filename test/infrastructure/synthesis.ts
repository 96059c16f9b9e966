/** Synthesizes the stacks. The worker loads it once for all its test files, because aws-cdk-lib takes a second to load. */
import type { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { service } from '#lib/infrastructure/service.ts';
import type { ReleaseRecord } from '#lib/release/last-release.ts';
import { app } from './app.ts';
import { bundles } from './bundles.ts';

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly Metadata: Readonly<Record<string, string>>;
}

export type Resources = Readonly<Record<string, Resource>>;

interface TemplateContent {
  readonly Resources: Resources;
  readonly Outputs?: Readonly<Record<string, unknown>>;
}

export interface Synthesized {
  readonly templates: { readonly data: TemplateContent; readonly api: TemplateContent };
  readonly data: Resources;
  readonly api: Resources;
  /** Whether CloudFormation refuses to delete the stack of the data. */
  readonly hasTerminationProtection: boolean;
}

/** @param last the release before; by default that in the repository. */
export function synthesize(
  settings: Readonly<Record<string, unknown>>,
  assembly: string,
  last?: Pick<ReleaseRecord, 'permissions'>,
): Synthesized {
  const { data, api } = service(app(assembly, settings), bundles(), last);
  const content = (stack: Stack): TemplateContent => Template.fromStack(stack).toJSON() as TemplateContent;
  const templates = { data: content(data), api: content(api) };
  return {
    templates,
    data: templates.data.Resources,
    api: templates.api.Resources,
    hasTerminationProtection: data.terminationProtection ?? false,
  };
}
