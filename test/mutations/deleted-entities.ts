import type { Mutation } from './mutation.ts';

const restore = 'functions/store/cascades/restore.ts';
const deletion = 'functions/store/model/deletion.ts';
const compaction = 'functions/store/lists/engine/compaction';
const unit = 'test/unit/functions/store';
const cascades = `${unit}/cascades/restore.test.ts`;
const model = `${unit}/model/deletion.test.ts`;
const contract = 'test/contract/deleted-entities.test.ts';

/** The rules of deleted entities and of what restores them. */
export const deletedEntityMutations: readonly Mutation[] = [
  {
    name: 'deleted-entity-visible',
    description: 'reads of the database return deleted entities to those who do not ask for them',
    file: 'functions/store/dynamodb/database.ts',
    search: 'withDeleted ? items : items.filter((item) => !isDeletedItem(item));',
    replacement: 'withDeleted ? items : items.filter((item) => item !== undefined || !isDeletedItem(item));',
    detectedBy: [cascades],
    testNamePattern: 'absent from every read',
  },
  {
    name: 'deleted-entity-in-by-creation',
    description: 'the item of a deleted entity keeps the attribute by which the index of all entities has it',
    file: 'functions/store/model/item-codec.ts',
    search: '...(deletion ? encodeDeletion(tenant, stored) :',
    replacement: '...(deletion ? { ...encodeDeletion(tenant, stored), id } :',
    detectedBy: [model],
  },
  {
    name: 'restore-after-expiry',
    description: 'a deleted entity can be restored until DynamoDB deletes its item',
    file: restore,
    search: '(found.deletion && isExpired(found.deletion, nowMs))',
    replacement: '(found.deletion && isExpired(found.deletion, 0 * nowMs))',
    detectedBy: [cascades],
    testNamePattern: 'is gone, although',
  },
  {
    name: 'expired-entity-listed',
    description: 'the list of deleted entities has those that have expired',
    file: deletion,
    search: 'stampText(expiredAt(nowMs))',
    replacement: 'stampText(expiredAt(0 * nowMs))',
    detectedBy: [model, cascades],
  },
  {
    name: 'item-expires-with-the-restore',
    description: 'DynamoDB may delete what a restore that begins at the last moment needs',
    file: deletion,
    search: 'const keptDays = restorableDays + 1;',
    replacement: 'const keptDays = restorableDays;',
    detectedBy: [model],
  },
  {
    name: 'text-stays-for-ever',
    description: 'a long text does not expire with its deleted entity',
    file: 'functions/store/model/changes.ts',
    search: 'expiresAt: deletion && expiryOf(deletion),',
    replacement: 'expiresAt: deletion && Number(expiryOf(deletion)) > 0 ? undefined : undefined,',
    detectedBy: [model],
  },
  {
    name: 'second-deletion-with-the-key-of-the-first',
    description: 'by a clock that is behind, the deletion of a restored entity is the same as the one before',
    file: 'functions/store/model/changes.ts',
    search: 'Date.parse(before.entity.updatedAt), deletion.deletedAt + 1);',
    replacement: 'Date.parse(before.entity.updatedAt), deletion.deletedAt - 1);',
    detectedBy: [model],
  },
  {
    name: 'sweep-of-a-restored-entity',
    description: 'the jobs of a deletion remove the children of an entity that was restored',
    file: 'functions/store/cascades/sweep.ts',
    search: 'if (!deletion) return { left: undefined };',
    replacement:
      'if (!deletion && work.relation < 0) return { left: undefined };\n  if (!deletion) throw new TypeError();',
    detectedBy: [`${unit}/cascades/sweep.test.ts`],
    testNamePattern: 'ends when the parent was restored',
  },
  {
    name: 'children-of-a-deletion-by-themselves',
    description: 'a job deletes children under a deletion of their own, with which they do not come back',
    file: 'functions/store/cascades/sweep.ts',
    search: 'if (item) return decodeAnyEntity(item).deletion;',
    replacement:
      'if (item && decodeAnyEntity(item).deletion === undefined) return undefined;\n  if (item && item.sk === "") return decodeAnyEntity(item).deletion;',
    detectedBy: [`${unit}/cascades/sweep.test.ts`],
    testNamePattern: 'as a part of the deletion',
  },
  {
    name: 'restore-without-a-second-pass',
    description: 'what a step of the deletion removes during the restore stays deleted',
    file: restore,
    search: 'writes: [beginRestore(session, deletion, true, nowMs)], orElse: rest };',
    replacement: 'orElse: rest };',
    detectedBy: [cascades],
    testNamePattern: 'second pass',
  },
  {
    name: 'rest-of-a-restore-forgotten',
    description: 'what a restore has not brought back stays behind when the entity is deleted again',
    file: restore,
    search: '? members.map((member) => ({ changes: [], writes: [moveTo(tenant, member, later)] }))',
    replacement:
      '? members.slice(members.length).map((member) => ({ changes: [], writes: [moveTo(tenant, member, later)] }))',
    detectedBy: [cascades],
    testNamePattern: 'another deletion and restore',
  },
  {
    name: 'restore-of-a-part-restores-all',
    description: 'the restore of a child brings back all that the deletion of its parent has removed',
    file: restore,
    search: 'if (!isRoot(before) || cascadeKinds(before.kind).length === 0) return { changes: [own] };',
    replacement: 'if (cascadeKinds(before.kind).length === 0) return { changes: [own] };',
    detectedBy: [cascades],
    testNamePattern: 'a part of the deletion of an organization',
  },
  {
    name: 'dangling-reference-restored',
    description: 'a restored entity keeps references to entities that do not exist',
    file: restore,
    search: 'const left = ids.filter((id) => exists(relation.parent, id));',
    replacement: 'const left = ids.filter((id) => exists(relation.parent, id) || id.length > 0);',
    detectedBy: [contract],
    testNamePattern: 'are removed',
  },
  {
    name: 'restored-subject-twice',
    description: 'a restored user takes the subject that another one has meanwhile',
    file: restore,
    search: 'await requireFreeSubject(session, own);',
    replacement: 'if (own.after.version < 0) await requireFreeSubject(session, own);',
    detectedBy: [contract],
    testNamePattern: 'another user has meanwhile',
  },
  {
    name: 'restored-row-stays-deleted',
    description: 'compaction takes a deleted row for later than every change',
    file: `${compaction}/locate-changes.ts`,
    search: 'known ? known.version >= to : after === undefined;',
    replacement: 'known ? known.isDeleted || known.version >= to : after === undefined;',
    detectedBy: [`${unit}/lists/engine/compaction/locate-changes.test.ts`],
  },
  {
    name: 'restored-row-counted-as-deleted',
    description: 'a segment counts a restored row among its deleted ones',
    file: `${compaction}/locate-changes.ts`,
    search: 'return { row, deleted: isDeleted ? -1 : 0, values };',
    replacement: 'return { row, deleted: isDeleted ? 0 : 0, values };',
    detectedBy: [`${unit}/lists/engine/compaction/locate-changes.test.ts`],
  },
  {
    name: 'merge-without-restored-rows',
    description: 'a merge loses a row that was restored while it was built',
    file: `${compaction}/merge-segments.ts`,
    search: 'haveRestored.includes(true) ? undefined : values;',
    replacement: 'haveRestored.length < 0 ? undefined : values;',
    detectedBy: [`${unit}/lists/engine/compaction/races.test.ts`],
    testNamePattern: 'leaves out as deleted',
  },
  {
    name: 'late-record-before-a-restore',
    description: 'a late record from before a deletion brings back the row while the restore is pending',
    file: `${compaction}/late-changes.ts`,
    search: 'if (pending) return (pending.before !== undefined) === (after !== undefined);',
    replacement: 'if (pending && to < 0) return (pending.before !== undefined) === (after !== undefined);',
    detectedBy: [`${unit}/lists/engine/compaction/late-changes.test.ts`],
  },
];
