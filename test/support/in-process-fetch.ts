/** `fetch` for a service in the process: without a socket, so the time of the service is virtual for its client too. */
import type { InProcessService } from './in-process-service.ts';
import { testWorker } from './test-worker.ts';

/** Statuses whose responses have no body, for which `Response` takes only null. */
const withoutBody = [204, 304];

function fetchIn(service: Pick<InProcessService, 'request'>): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const { pathname, search } = new URL(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    const responded = service.request(
      request.method,
      pathname + search,
      Object.fromEntries(request.headers),
      body,
    );
    const aborted = new Promise<never>((_, reject) =>
      request.signal.addEventListener('abort', () => reject(request.signal.reason), { once: true }),
    );
    const { status, headers, text } = await Promise.race([responded, aborted]);
    return new Response(withoutBody.includes(status) ? null : text, { status, headers });
  };
}

/** Starts a service in the process, with a `fetch` that calls it. @see startInProcessService */
export async function startFetchedService(
  options?: Parameters<Awaited<ReturnType<typeof testWorker>>['startInProcess']>[0],
): Promise<InProcessService & { readonly fetch: typeof fetch }> {
  const service = await (await testWorker()).startInProcess(options);
  return { ...service, fetch: fetchIn(service) };
}

/** Starts a service in the process for the tests of a file, and stops it after them. It can be the options of a client. */
export function provideFetchedService(options?: Parameters<typeof startFetchedService>[0]) {
  let service: Awaited<ReturnType<typeof startFetchedService>>;
  beforeAll(async () => {
    service = await startFetchedService(options);
    // A client makes ids, and the time of the service can be behind that of a busy machine.
    jest.spyOn(Date, 'now').mockImplementation(() => service.now());
  });
  afterAll(() => {
    jest.restoreAllMocks();
    return service.stop();
  });
  const request: InProcessService['request'] = (...all) => service.request(...all);
  return { url: 'http://localhost', request, fetch: fetchIn({ request }) };
}
