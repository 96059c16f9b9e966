import { randomUUID } from 'node:crypto';
import { APIGatewayProxyEventV2Schema } from '@aws-lambda-powertools/parser/schemas/api-gatewayv2';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type Service, startService } from '../lib/local/service.ts';

/**
 * Starts the whole service for a test file, on an empty database: an embedded engine of its own, or a table of
 * its own in the engine that `DYNAMODB_ENDPOINT` names. Every event on its way to a function is held against an
 * independent schema of what API Gateway sends.
 */
export function startTestService({
  onEvent,
  endpoint = process.env['DYNAMODB_ENDPOINT'],
  timeout,
}: {
  readonly onEvent?: (event: APIGatewayProxyEventV2) => void;
  readonly endpoint?: string | undefined;
  /** Milliseconds that a function may take. */
  readonly timeout?: number | undefined;
} = {}): Promise<Service> {
  return startService({
    port: 0,
    databaseFile: ':memory:',
    endpoint,
    timeout,
    tableName: `test-${randomUUID()}`,
    onEvent: (event) => {
      APIGatewayProxyEventV2Schema.parse(event);
      onEvent?.(event);
    },
  });
}
