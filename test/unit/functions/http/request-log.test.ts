import { createTag, listTags, readTag } from '#functions/tags/contract.ts';
import { invoke, useEmptyTable } from '#test/support/invoke.ts';

useEmptyTable();

let lines: Record<string, unknown>[] = [];

beforeEach(() => {
  delete process.env['LOG_LEVEL'];
  process.env['REQUEST_METRICS'] = 'ProjectManagement/test';
  lines = [];
  jest
    .spyOn(process.stdout, 'write')
    .mockImplementation((line) => lines.push(JSON.parse(String(line)) as Record<string, unknown>) > 0);
});

afterEach(() => {
  jest.restoreAllMocks();
  delete process.env['REQUEST_METRICS'];
});

/** Returns the metrics that CloudWatch makes of a line: the values by name. */
function metricsOf(line: Record<string, unknown> | undefined): Record<string, unknown> {
  const aws = line?.['_aws'] as { CloudWatchMetrics: { Metrics: { Name: string }[] }[] } | undefined;
  const names = (aws?.CloudWatchMetrics ?? []).flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name));
  return Object.fromEntries(names.map((name) => [name, line?.[name]]));
}

test('has the duration and the units of a request as metrics of its operation', async () => {
  await invoke(createTag, { body: { name: 'A' } });
  await invoke(listTags);
  const [created, listed] = lines;
  expect(created).toMatchObject({
    message: 'The request is finished.',
    operation: 'createTag',
    tenant: '@test',
    status: 201,
    _aws: {
      Timestamp: expect.any(Number),
      CloudWatchMetrics: [{ Namespace: 'ProjectManagement/test', Dimensions: [['operation']] }],
    },
  });
  expect(metricsOf(created)).toMatchObject({ duration: expect.any(Number), writeUnits: expect.any(Number) });
  expect(metricsOf(listed)).toEqual({ duration: expect.any(Number), readUnits: expect.any(Number) });
});

test('has no metric of what is 0, because CloudWatch charges for each', async () => {
  await invoke(readTag, { id: 'x' });
  expect(metricsOf(lines[0])).toEqual({ duration: expect.any(Number) });
});

test('counts errors of the service, and not those of the caller', async () => {
  await invoke(readTag, { id: 'x' });
  const { TABLE_NAME } = process.env;
  delete process.env['TABLE_NAME'];
  await invoke(readTag, { id: 'x' });
  process.env['TABLE_NAME'] = TABLE_NAME;
  const [byCaller, failure, byService] = lines;
  expect(metricsOf(byCaller)).not.toHaveProperty('errors');
  expect(failure).toMatchObject({ level: 'ERROR' });
  expect(metricsOf(byService)).toMatchObject({ errors: 1 });
});

test('has no metrics without a namespace', async () => {
  delete process.env['REQUEST_METRICS'];
  await invoke(listTags);
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toHaveProperty('_aws');
});

test('names the trace of the request, in every line about it', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const { headers } = await invoke(listTags, { headers: { traceparent } });
  expect(lines[0]).toMatchObject({
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    parentId: '00f067aa0ba902b7',
  });
  expect(Object.keys(headers).filter((name) => name.startsWith('trace'))).toEqual([]);
});

test('ignores an invalid trace', async () => {
  const { statusCode } = await invoke(listTags, { headers: { traceparent: '00-0-0-00' } });
  expect(statusCode).toBe(200);
  expect(lines[0]).not.toHaveProperty('traceId');
});
