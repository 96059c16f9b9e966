import { randomUUID } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { APIGatewayProxyEventV2Schema } from '@aws-lambda-powertools/parser/schemas/api-gatewayv2';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { maxRequestMs } from '#functions/engine/table/deadline.ts';
import type { FunctionHost } from '#lib/local/hosted-functions.ts';
import type { TimedResponse } from '#lib/local/http-api.ts';
import { type Service, type ServiceOptions, startService } from '#lib/local/service.ts';
import { ResponseChecker } from './response-checker.ts';

export type CheckedServiceOptions = Partial<Omit<ServiceOptions, 'onResponse' | 'tableName'>> & {
  readonly endpoint: string;
};

/** Compiles the schema of each response once, for all services of the process. */
let checker: ResponseChecker | undefined;

const commonMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const decompressors: Readonly<Record<string, (content: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

/** Returns the content of a response whose header names a coding, or none. */
export const decompressed = (content: Buffer, coding: string | undefined): Buffer =>
  (content.length > 0 && decompressors[coding ?? '']?.(content)) || content;

/** Compares every event with an independent schema of API Gateway events, and every response with the OpenAPI document. */
export class Checks {
  readonly #differences = new Set<string>();
  /** Forms of the events that were compared: events of a route with the same fields differ in texts alone. */
  readonly #forms = new Set<string>();

  readonly onEvent = (event: APIGatewayProxyEventV2): void => {
    const form = `${event.routeKey} ${Object.keys(event)}`;
    if (this.#forms.has(form)) return;
    this.#forms.add(form);
    // The schema knows the common methods only, and the gateway passes on every method that HTTP knows.
    const { http } = event.requestContext;
    const method = commonMethods.includes(http.method) ? http.method : 'GET';
    const requestContext = { ...event.requestContext, http: { ...http, method } };
    APIGatewayProxyEventV2Schema.parse({ ...event, requestContext });
  };

  readonly onResponse = (response: TimedResponse): void => {
    checker ??= ResponseChecker.ofContracts();
    try {
      const coding = response.headers.get('content-encoding');
      // Functions send compressed texts in Base64.
      const text = coding
        ? decompressed(Buffer.from(response.text, 'base64'), coding).toString()
        : response.text;
      for (const one of checker.differences({ ...response, text })) this.#differences.add(one);
    } catch (error) {
      // The gateway would handle the exception as its own failure.
      this.#differences.add(String(error));
    }
  };

  /** @throws Error that lists the differences. */
  requireNone(): void {
    if (this.#differences.size > 0)
      throw new Error(`Responses differ from the OpenAPI document:\n${[...this.#differences].join('\n')}`);
  }
}

/** Starts the service on a table of its own, with `Checks`. `stop` throws an Error that lists the differences. */
export async function startCheckedService(
  { onEvent, ...more }: CheckedServiceOptions,
  hostFunctions?: FunctionHost,
): Promise<Service> {
  const checks = new Checks();
  const options: ServiceOptions = {
    port: 0,
    databaseFile: ':memory:',
    // As long as API Gateway waits: on a machine that is busy for seconds, no request is too late.
    timeoutMs: maxRequestMs,
    ...more,
    tableName: `test-${randomUUID()}`,
    onEvent: (event) => {
      checks.onEvent(event);
      onEvent?.(event);
    },
    onResponse: checks.onResponse,
  };
  const service = await startService(options, hostFunctions);
  return {
    ...service,
    stop: async () => {
      await service.stop();
      checks.requireNone();
    },
  };
}
