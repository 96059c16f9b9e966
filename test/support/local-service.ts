import { setEngineEnvironment } from '#lib/local/engine-environment.ts';
import type { Service } from '#lib/local/service.ts';
import type { CheckedServiceOptions } from './checked-service.ts';
import { testWorker } from './test-worker.ts';

/** Whether contract tests run on a table in their process. `TEST_ENGINE=embedded` lets them run on the embedded engine. */
export const isInProcess = !process.env['TEST_ENGINE'] && !process.env['DYNAMODB_ENDPOINT'];

/**
 * Starts the service for a test file, on an empty table, and checks its events and responses. The service runs in the process of the test.
 */
export async function startTestService(options: Partial<CheckedServiceOptions> = {}): Promise<Service> {
  const { sharedEngine, startService } = await testWorker();
  const { endpoint } = await sharedEngine();
  // For clients that the test creates: the service sets these variables when it starts.
  setEngineEnvironment(endpoint);
  return startService({ endpoint, ...options });
}

/** Starts a service for the tests of a file, and stops it after them. Its properties are there when the tests run. */
export function provideTestService(): Service {
  const service = {} as Service;
  beforeAll(async () => {
    Object.assign(service, await startTestService());
  });
  afterAll(() => service.stop?.());
  return service;
}
