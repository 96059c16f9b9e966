import { randomUUID } from 'node:crypto';
import { APIGatewayProxyEventV2Schema } from '@aws-lambda-powertools/parser/schemas/api-gatewayv2';
import { type Service, type ServiceOptions, startService } from '../../lib/local/service.ts';
import { fromEnvironment, startSynthesized } from '../synthesized/synthesized-service.ts';
import { DeclaredAnswers } from './declared-answers.ts';

/**
 * Starts the whole service for a test file, on an empty database: an embedded engine of its own, or a table of
 * its own in the engine that `DYNAMODB_ENDPOINT` names. Every event on its way to a function is held against an
 * independent schema of what API Gateway sends.
 *
 * In a run over what was synthesized it is that, in a process of its own.
 */
export async function startTestService({
  onEvent,
  endpoint = process.env['DYNAMODB_ENDPOINT'],
  ...more
}: Partial<ServiceOptions> = {}): Promise<Service> {
  const synthesized = fromEnvironment();
  if (synthesized) return startSynthesized(synthesized);
  const declared = DeclaredAnswers.fromFile();
  const faults = new Set<string>();
  const service = await startService({
    port: 0,
    databaseFile: ':memory:',
    endpoint,
    ...more,
    tableName: `test-${randomUUID()}`,
    onEvent: (event) => {
      APIGatewayProxyEventV2Schema.parse(event);
      onEvent?.(event);
    },
    onResponse: (answer) => {
      try {
        for (const fault of declared.faults(answer)) faults.add(fault);
      } catch (error) {
        // The gateway would take it for a failure of its own.
        faults.add(String(error));
      }
    },
  });
  return {
    ...service,
    stop: async () => {
      await service.stop();
      if (faults.size > 0) throw new Error(`Answers were not as declared:\n${[...faults].join('\n')}`);
    },
  };
}
