import {
  beginJob,
  beginsJob,
  buildJobWrite,
  decodeJob,
  dueJobsAfter,
  isReady,
  type Job,
  jobKey,
  jobPartitions,
  jobsAfterTenant,
  jobsOfTenant,
  parseJobKey,
  wakeUp,
} from '#functions/store/model/job.ts';

const work = { type: 'archive', id: 'organization-1', asOf: 0, after: '' } as const;
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

describe('buildJobWrite', () => {
  const item = {
    pk: 'acme#job#1',
    sk: 'job',
    ofKind: '#job#4',
    byStatus: 'acme#1970-01-01T00:00:00.000Z#1',
    version: 4,
    dueAt: '1970-01-01T00:00:00.000Z',
    work: { type: 'archive', id: 'organization-1', asOf: 0, after: '' },
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
    const partitions = Array.from(
      { length: jobPartitions },
      (_, partition) => jobsAfterTenant(partition).ExpressionAttributeValues[':jobs'],
    );
    expect([...counts.keys()].sort()).toEqual(partitions.sort());
    expect(Math.max(...counts.values())).toBeLessThan(200);
    expect(partitionOf('acme', '2')).toBe(partitionOf('acme', '1'));
  });
});

describe('the queries for jobs', () => {
  const key = (tenant: string, dueAt: string, id: string): string => {
    const write = buildJobWrite(undefined, { ...job, tenant, dueAt, id });
    return 'put' in write ? String(write.put['byStatus']) : '';
  };
  const [first, second, third] = ['00.000', '01.000', '02.000'].map((time) => `2026-02-03T04:05:${time}Z`);
  const keys = [
    key('acme', first ?? '', '9'),
    key('acme', second ?? '', '1'),
    key('acme', second ?? '', '2'),
    key('acme', third ?? '', '0'),
    key('acme-2', first ?? '', '1'),
    key('acme2', first ?? '', '1'),
  ];

  test('find the jobs of a tenant in the order of their times', () => {
    expect([...keys].sort()).toEqual(keys);
  });

  test('go from a tenant to the next one', () => {
    const { ExpressionAttributeValues: values, ...query } = jobsAfterTenant(4, 'acme');
    expect(query).toEqual({
      IndexName: 'by-status',
      KeyConditionExpression: 'ofKind = :jobs AND byStatus > :after',
    });
    expect(values[':jobs']).toBe('#job#4');
    expect(keys.filter((one) => one > (values[':after'] ?? ''))).toEqual(keys.slice(4));
    const all = jobsAfterTenant(4).ExpressionAttributeValues[':after'] ?? '';
    expect(keys.filter((one) => one > all)).toEqual(keys);
  });

  test('find the due jobs of a tenant after one of them', () => {
    const before = { tenant: 'acme', dueAt: second ?? '', id: '1' };
    const { ExpressionAttributeValues: values, ...query } = dueJobsAfter(before, Date.parse(second ?? ''));
    expect(query).toEqual({
      IndexName: 'by-status',
      KeyConditionExpression: 'ofKind = :jobs AND byStatus BETWEEN :after AND :now',
    });
    const { ':jobs': partition, ':after': after = '', ':now': now = '' } = values;
    expect(partition).toBe('#job#4');
    expect(keys.filter((one) => one >= after && one <= now)).toEqual([keys[2]]);
  });

  test('find all jobs of a tenant', () => {
    expect(jobsOfTenant('acme')).toEqual({
      IndexName: 'by-status',
      KeyConditionExpression: 'ofKind = :jobs AND begins_with(byStatus, :tenant)',
      ExpressionAttributeValues: { ':jobs': '#job#4', ':tenant': 'acme#' },
    });
  });
});

test('a wake-up is an item beside the job, which expires', () => {
  expect(wakeUp({ tenant: 'acme', id: '1' }, 1_770_000_000_001)).toEqual({
    put: { pk: 'acme#job#1', sk: 'wake-up', wokenAt: 1_770_000_000_001, expiresAt: 1_770_003_601 },
  });
});

describe('beginJob', () => {
  const begun = (id: string) => ({
    put: {
      pk: `acme#job#${id}`,
      sk: 'job',
      ofKind: '#job#4',
      byStatus: `acme#1970-01-01T00:00:00.000Z#${id}`,
      version: 1,
      dueAt: '1970-01-01T00:00:00.000Z',
      work: { type: 'archive', id: 'organization-1', asOf: 0, after: '' },
    },
    condition: notExists,
  });

  test('puts a job under an id that is due by every clock', () => {
    const write = beginJob({ tenant: 'acme' }, work, { id: 'archive#1' });
    expect(write).toEqual(begun('archive#1'));
    expect('put' in write && write.put.pk).toBe('acme#job#archive#1');
  });

  test('puts a job that is due at a given time', () => {
    const dueAt = '2026-02-03T04:06:00.000Z';
    expect(beginJob({ tenant: 'acme' }, work, { id: '1', dueAt })).toMatchObject({ put: { dueAt } });
  });

  test.each([
    ['begins', buildJobWrite(undefined, { ...job, version: 1 }), true],
    ['continues', buildJobWrite(job, { ...job, version: 4 }), false],
    ['ends', buildJobWrite(job, undefined), false],
  ])('a write that %s a job', (_, write, begins) => {
    expect(beginsJob(write)).toBe(begins);
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
});
