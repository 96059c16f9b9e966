import {
  beginJob,
  buildJobWrite,
  compactionJobId,
  decodeJob,
  isReady,
  type Job,
  jobKey,
  jobPartitions,
  jobsQuery,
  parseJobKey,
} from '#functions/store/model/job.ts';

const work = { type: 'archive', id: 'organization-1', after: '' } as const;
const lease = { owner: 'delivery-1', until: '2026-02-03T04:06:00.000Z' };
const job: Job = { id: '1', tenant: 'acme', version: 3, dueAt: '1970-01-01T00:00:00.000Z', work };

const notExists = { expression: 'attribute_not_exists(pk)' };
const hasVersion3 = {
  expression: '#version = :version',
  names: { '#version': 'version' },
  values: { ':version': 3 },
};

describe('the key of a job', () => {
  test('has the tenant and the id', () => {
    expect(jobKey({ tenant: 'acme', id: '1' })).toEqual({ pk: 'acme#job#1', sk: 'job' });
  });

  test.each([
    ['an id', 'acme', '01890000-0000-7000-8000-000000000001'],
    ['the tenant "job" and the id "job"', 'job', 'job'],
    ['an id with separators', 'acme', 'acme#task#projectId#1'],
    ['an id like a part of a key', 'acme', '#job#'],
    ['a separator as id', 'acme', '#'],
    ['line feeds', 'ac me\n', 'line 1\nline 2\n'],
    ['characters that are not ASCII or control characters', '😀', '\u0000\u2028'],
  ])('of %s is parsed to the same tenant and id', (_, tenant, id) => {
    expect(parseJobKey(jobKey({ tenant, id }).pk)).toEqual({ tenant, id });
  });

  test.each([
    undefined,
    '',
    'acme',
    '#job',
    '#job#',
    '#job#1',
    '##job#1',
    'acme#job',
    'acme#job#',
    'acme#jobs#1',
    'acme#task#1',
    'acme#task#job#1',
    'acme#idempotency#1#job#2',
    'acmejob#1',
  ])('%j is the key of no job', (pk) => {
    expect(parseJobKey(pk)).toBeUndefined();
  });
});

test('the job that compacts a log has an id for each kind', () => {
  expect(jobKey({ tenant: 'acme', id: compactionJobId('task') })).toEqual({
    pk: 'acme#job#compact-task',
    sk: 'job',
  });
});

describe('buildJobWrite', () => {
  const item = {
    pk: 'acme#job#1',
    sk: 'job',
    ofKind: '#job#4',
    byStatus: 'acme#1',
    version: 4,
    dueAt: '1970-01-01T00:00:00.000Z',
    work: { type: 'archive', id: 'organization-1', after: '' },
  };

  test('puts a job that begins where there is no item', () => {
    expect(buildJobWrite(undefined, { ...job, version: 4 })).toEqual({ put: item, condition: notExists });
  });

  test('puts the next version of a job, with its lease, where the version is the one that was read', () => {
    expect(buildJobWrite(job, { ...job, version: 4, lease })).toEqual({
      put: { ...item, lease: { owner: 'delivery-1', until: '2026-02-03T04:06:00.000Z' } },
      condition: hasVersion3,
    });
  });

  test('puts no attribute for a lease that was given back', () => {
    const write = buildJobWrite({ ...job, lease }, { ...job, version: 4, lease: undefined });
    expect(write).toEqual({ put: item, condition: hasVersion3 });
    expect('put' in write && 'lease' in write.put).toBe(false);
  });

  test('removes a job that ends where the version is the one that was read', () => {
    expect(buildJobWrite(job, undefined)).toEqual({
      remove: { pk: 'acme#job#1', sk: 'job' },
      condition: hasVersion3,
    });
  });

  test('throws without a state', () => {
    expect(() => buildJobWrite(undefined, undefined)).toThrow(
      new TypeError('A job write needs a state before or after.'),
    );
  });

  test('puts a job where one of the queries for the jobs of all tenants finds it', () => {
    const write = buildJobWrite(undefined, job);
    expect('put' in write && write.put['ofKind']).toBe('#job#4');
    expect(jobsQuery(4)).toEqual({
      IndexName: 'by-status',
      KeyConditionExpression: 'ofKind = :jobs',
      ExpressionAttributeValues: { ':jobs': '#job#4' },
    });
  });

  test('spreads the jobs of tenants evenly over all partitions, those of one tenant into one', () => {
    const partitionOf = (tenant: string, id = '1'): unknown => {
      const write = buildJobWrite(undefined, { ...job, tenant, id });
      return 'put' in write && write.put['ofKind'];
    };
    const counts = new Map<unknown, number>();
    for (let number = 0; number < 1_600; number += 1) {
      const partition = partitionOf(`@tenant-${number}`);
      counts.set(partition, (counts.get(partition) ?? 0) + 1);
    }
    const partitions = Array.from({ length: jobPartitions }, (_, partition) =>
      Object.values(jobsQuery(partition).ExpressionAttributeValues),
    );
    expect([...counts.keys()].sort()).toEqual(partitions.flat().sort());
    expect(Math.max(...counts.values())).toBeLessThan(200);
    expect(partitionOf('acme', '2')).toBe(partitionOf('acme', '1'));
  });
});

describe('beginJob', () => {
  const begun = (id: string) => ({
    put: {
      pk: `acme#job#${id}`,
      sk: 'job',
      ofKind: '#job#4',
      byStatus: `acme#${id}`,
      version: 1,
      dueAt: '1970-01-01T00:00:00.000Z',
      work: { type: 'archive', id: 'organization-1', after: '' },
    },
    condition: notExists,
  });

  test('puts a job under an id that is due by every clock', () => {
    const write = beginJob({ tenant: 'acme' }, work, 'archive#1');
    expect(write).toEqual(begun('archive#1'));
    expect('put' in write && write.put.pk).toBe('acme#job#archive#1');
  });
});

describe('decodeJob', () => {
  test.each([undefined, null])('gives an item whose work is %p work of an unknown type', (work) => {
    expect(decodeJob({ pk: 'acme#job#1', sk: 'job', version: 1, work }).work).toEqual({
      type: 'missing',
    });
  });

  test.each([
    ['with a lease', { ...job, lease }],
    ['without a lease', job],
    ['with a number of steps', { ...job, steps: 7 }],
  ])('returns the job of an item %s', (_, state) => {
    const write = buildJobWrite(undefined, state);
    if (!('put' in write)) throw new Error('The write puts no item.');
    const decoded = decodeJob(write.put);
    expect(decoded).toEqual(state);
    expect('lease' in decoded).toBe('lease' in state);
  });
});

describe('isReady', () => {
  const earlier = '2026-02-03T04:05:06.788Z';
  const now = '2026-02-03T04:05:06.789Z';
  const later = '2026-02-03T04:05:06.790Z';
  const nowMs = Date.parse(now);

  test.each([
    ['is due since earlier', { dueAt: earlier }, true],
    ['is due now', { dueAt: now }, true],
    ['is due later', { dueAt: later }, false],
    ['has the lease of another worker', { lease: { owner: 'other', until: later } }, false],
    ['has the lease of another worker that expires now', { lease: { owner: 'other', until: now } }, true],
    ['has an expired lease of another worker', { lease: { owner: 'other', until: earlier } }, true],
    ['has the lease of this worker', { lease: { owner: 'self', until: later } }, true],
    [
      'is due later, with the lease of this worker',
      { dueAt: later, lease: { owner: 'self', until: later } },
      false,
    ],
  ])('a job that %s', (_, more, ready) => {
    expect(isReady({ ...job, ...more }, 'self', nowMs)).toBe(ready);
  });

  test('returns true for a job without a time', () => {
    const { dueAt, ...withoutTime } = job;
    expect(isReady(withoutTime as Job, 'self', nowMs)).toBe(true);
  });

  describe('for new records of a log', () => {
    const compaction = (steppedAt: number, more: Partial<Job> = {}): Job => ({
      ...job,
      dueAt: later,
      ...more,
      work: { type: 'compact', kind: 'task', requestedAt: nowMs, steppedAt, pending: 0 },
    });

    test.each([
      ['15 seconds ago', nowMs - 15_000, true],
      ['less than 15 seconds ago', nowMs - 14_999, false],
      ['by a worker whose clock is ahead', nowMs + 2_000, false],
      ['by a worker whose clock was wrong', nowMs + 2_001, true],
      ['never', 0, true],
    ])('a compaction whose last step was %s, whenever it is due', (_, steppedAt, ready) => {
      expect(isReady(compaction(steppedAt), 'self', nowMs, 'records')).toBe(ready);
      expect(isReady(compaction(steppedAt, { dueAt: earlier }), 'self', nowMs, 'records')).toBe(ready);
    });

    test('a compaction with the lease of another worker', () => {
      const lease = { owner: 'other', until: later };
      expect(isReady(compaction(0, { lease }), 'self', nowMs, 'records')).toBe(false);
    });

    test('a compaction waits for its time without new records, unless its last step is in the future', () => {
      expect(isReady(compaction(nowMs + 3_600_000), 'self', nowMs)).toBe(true);
      expect(isReady(compaction(0), 'self', nowMs)).toBe(false);
    });

    test('a job of another type waits for its time', () => {
      expect(isReady({ ...job, dueAt: later }, 'self', nowMs, 'records')).toBe(false);
      expect(isReady({ ...job, dueAt: earlier }, 'self', nowMs, 'records')).toBe(true);
    });
  });
});
