import { httpAddress, UsageError } from './command-line.ts';
import { readOutputs, requiredOutput } from './outputs.ts';

/** A table that a command works on, without the service. */
export interface TableOptions {
  readonly table: string;
  readonly endpoint: string | undefined;
  /** Default: the region of the environment. */
  readonly region: string | undefined;
}

export const tableFlags = {
  table: { type: 'string' },
  stage: { type: 'string' },
  'dynamodb-endpoint': { type: 'string' },
} as const;

/**
 * @throws CommandFailure when there are no outputs of a deployment of the stage.
 * @throws UsageError when not exactly one of table and stage is given.
 */
export function tableOptions({
  table,
  stage,
  ...flags
}: { readonly [Name in keyof typeof tableFlags]?: string | undefined }): TableOptions {
  if ((table === undefined) === (stage === undefined)) {
    throw new UsageError('Choose the table: either with --table or with --stage.');
  }
  const outputs = stage === undefined ? {} : readOutputs(stage);
  const endpoint = flags['dynamodb-endpoint'] ?? (process.env['DYNAMODB_ENDPOINT'] || undefined);
  return {
    table: table ?? requiredOutput(outputs, 'TableName'),
    region: outputs['Region'],
    endpoint: endpoint && httpAddress('--dynamodb-endpoint', endpoint, 'http://localhost:8000'),
  };
}
