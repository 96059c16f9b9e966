import { randomUUID } from 'node:crypto';
import { readIndexedChildren } from '../../../../../../functions/shared/store/cascades/indexed-children.ts';
import { relationOf } from '../../../../../../functions/shared/store/model/relations.ts';
import { startTestStore, type TestStore } from '../../../../../support/local-store.ts';

/** The pages of `readIndexedChildren` are tested with those of the list engine, in `dependents.test.ts`. */

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

test('throws for a relation without an index', async () => {
  const parentId = '01890000-0000-7000-8000-000000000001';
  const reading = readIndexedChildren(store.session(randomUUID()), relationOf('task', 'tag'), parentId);
  await expect(reading).rejects.toThrow(new TypeError('There is no index of task by tagIds.'));
});
