/** Options of the commands that work on a table, without the service. */
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { findAws, requireAws } from '../cdk/credentials.ts';
import { httpAddress, wholeNumber } from './command-line.ts';
import { readOutputs, requiredOutput } from './outputs.ts';

export const tableOption = () => new Option('--table <name>', 'the table').conflicts('stage');

export const stageOption = () =>
  new Option('--stage <name>', 'uses what the last deployment of this stage from this folder created');

export const endpointOption = () =>
  new Option('--dynamodb-endpoint <url>', 'DynamoDB endpoint of the table; default: AWS')
    .env('DYNAMODB_ENDPOINT')
    .argParser(httpAddress);

export const unitsOption = () =>
  new Option(
    '--units-per-second <number>',
    'read and write units a second, at most. The command reads the whole table, which others use meanwhile',
  )
    .argParser(wholeNumber(1, 40_000))
    .default(500);

/**
 * Returns the table that the options name, and its region: by default, that of the environment.
 * @throws CommandFailure when there are no outputs of a deployment of the stage, and for AWS without credentials or a region.
 */
export async function tableOf({
  table,
  stage,
  dynamodbEndpoint,
}: {
  readonly table?: string | undefined;
  readonly stage?: string | undefined;
  readonly dynamodbEndpoint?: string | undefined;
}) {
  if (table === undefined && stage === undefined)
    throw new InvalidArgumentError('Choose the table: either with --table or with --stage.');
  const outputs = stage === undefined ? {} : readOutputs(stage);
  const name = table ?? requiredOutput(outputs, 'TableName');
  const region = outputs['Region'];
  return { name, region: dynamodbEndpoint ? region : await requireAws(findAws(), region) };
}
