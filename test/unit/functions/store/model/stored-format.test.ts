import { UnknownFormat } from '#functions/store/model/errors.ts';
import { formats, type StoredItem } from '#functions/store/model/formats.ts';
import { type Sample, samples } from '#lib/release/samples.ts';

/** Every stored item: what this release writes, and how it reads it. */

type Case = [name: StoredItem, sample: Sample];

const items = (Object.entries(samples) as Case[]).filter(([name]) => !name.startsWith('cursor'));

const errorOf = async (read: () => unknown): Promise<unknown> => {
  try {
    await read();
    return undefined;
  } catch (error) {
    return error;
  }
};

test.each(Object.entries(samples) as Case[])(
  '%s: this release reads what it writes',
  async (_, { stored, read }) => {
    expect(await errorOf(() => read(stored))).toBeUndefined();
  },
);

test.each(items.filter(([name]) => name !== 'record'))(
  '%s: another format is an error that names both',
  async (name, { stored, read }) => {
    const error = await errorOf(() => read({ ...stored, format: 99 }));
    expect(error).toEqual(
      new UnknownFormat(
        `The format of a stored item (${name}) is 99, and this release reads ${formats[name].reads.join(' and ')}.`,
      ),
    );
  },
);

test.each(items.filter(([name]) => name !== 'entity'))(
  '%s: an unknown field is an error that names it',
  async (name, { stored, read }) => {
    const error = await errorOf(() => read({ ...stored, shards: 2 }));
    expect(error).toEqual(
      new UnknownFormat(`A stored item (${name}) has the field "shards", which this release does not know.`),
    );
  },
);

test('a job is not read whose lease or work has an unknown field, or whose work is of an unknown type', async () => {
  const { stored, read } = samples.job;
  const unknown = (field: string) =>
    new UnknownFormat(`A stored item (job) has the field "${field}", which this release does not know.`);
  const error = (more: object) => errorOf(() => read({ ...stored, ...more }));
  expect(await error({ lease: { owner: 'a', until: '', host: 'a' } })).toEqual(unknown('host'));
  expect(await error({ work: { ...(stored['work'] as object), depth: 1 } })).toEqual(unknown('depth'));
  expect(await error({ work: { type: 'import' } })).toEqual(
    new UnknownFormat('A job has work of the type "import".'),
  );
});

test('a reminder is not read whose comparison has an unknown field, or which notes something else than records', async () => {
  const { stored, read } = samples.reminder;
  const error = (more: object) => errorOf(() => read({ ...stored, ...more }));
  expect(await error({ compared: { at: 1, rows: 2 } })).toEqual(
    new UnknownFormat('A stored item (reminder) has the field "rows", which this release does not know.'),
  );
  expect(await error({ late: ['s#1'] })).toEqual(new UnknownFormat('A reminder notes a late record "s#1".'));
});

test.each(['cursor of changes', 'cursor of a list'] as const)(
  'a %s with another format is not a cursor of this service',
  (name) => {
    const { stored, read } = samples[name];
    const bytes = Buffer.from(String(stored['cursor']), 'base64url');
    bytes[0] = 99;
    expect(() => read({ cursor: bytes.toString('base64url') })).toThrow('is not a cursor of this service');
  },
);

test('every format that is written is read', () => {
  const wrong = Object.entries(formats).filter(
    ([, { reads, writes }]) => !(reads as readonly number[]).includes(writes),
  );
  expect(wrong).toEqual([]);
});
