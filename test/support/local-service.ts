import { randomUUID } from 'node:crypto';
import { APIGatewayProxyEventV2Schema } from '@aws-lambda-powertools/parser/schemas/api-gatewayv2';
import type { FunctionHost } from '../../lib/local/hosted-functions.ts';
import { type Service, type ServiceOptions, startService } from '../../lib/local/service.ts';
import { fromEnvironment, startSynthesized } from '../synthesized/synthesized-service.ts';
import { decoded } from './decoded-response.ts';
import { ResponseChecker } from './response-checker.ts';

/**
 * Starts the service for a test file, on an empty database: an embedded engine, or a table of its own in the engine that
 * `DYNAMODB_ENDPOINT` names. Checks every event against an independent schema of API Gateway events, and every response
 * against the OpenAPI document.
 *
 * In a test run on a cloud assembly, it starts the assembly in a process of its own.
 */
export async function startTestService(
  { onEvent, endpoint = process.env['DYNAMODB_ENDPOINT'], ...more }: Partial<ServiceOptions> = {},
  hostFunctions?: FunctionHost,
): Promise<Service> {
  const synthesized = fromEnvironment();
  if (synthesized) return startSynthesized(synthesized);
  const checker = ResponseChecker.fromFile();
  const differences = new Set<string>();
  const options: ServiceOptions = {
    port: 0,
    databaseFile: ':memory:',
    endpoint,
    ...more,
    tableName: `test-${randomUUID()}`,
    onEvent: (event) => {
      APIGatewayProxyEventV2Schema.parse(event);
      onEvent?.(event);
    },
    onResponse: (response) => {
      try {
        for (const difference of checker.differences(decoded(response))) differences.add(difference);
      } catch (error) {
        // The gateway would handle the exception as its own failure.
        differences.add(String(error));
      }
    },
  };
  const service = await startService(options, hostFunctions);
  return {
    ...service,
    stop: async () => {
      await service.stop();
      if (differences.size > 0) {
        throw new Error(`Responses differ from the OpenAPI document:\n${[...differences].join('\n')}`);
      }
    },
  };
}
