import { toMutations } from './mutation.ts';

/** The rules of deleted entities and of what restores them. */
export const deletedEntityMutations = toMutations({
  'functions/engine/table/database.ts': {
    'deleted-entity-visible': [
      'reads of the database return deleted entities to those who do not ask for them',
      'withDeleted ? items : items.filter((item) => !isDeletedItem(item));',
      'withDeleted ? items : items.filter((item) => item !== undefined || !isDeletedItem(item));',
    ],
  },
  'functions/engine/model/item-codec.ts': {
    'deleted-entity-in-by-creation': [
      'the item of a deleted entity keeps the attribute by which the index of all entities has it',
      '...(deletion ? encodeDeletion(tenant, stored) :',
      '...(deletion ? { ...encodeDeletion(tenant, stored), id } :',
    ],
  },
  'functions/engine/deletions/restore.ts': {
    'member-with-a-taken-value': [
      'a restore of what has a unique value that was given away meanwhile never ends',
      'const lost = taken[position] ?',
      'const lost = taken[position] && position < 0 ?',
    ],
    'restored-before-its-parent': [
      'an entity loses its reference to one that the same restore brings back a moment later',
      'return root && stored.deletion;',
      'return root && undefined;',
    ],
    'restore-after-expiry': [
      'a deleted entity can be restored until DynamoDB deletes its item',
      '(stored.deletion && isExpired(stored.deletion, nowMs))',
      '(stored.deletion && isExpired(stored.deletion, 0 * nowMs))',
    ],
    'restore-without-a-second-pass': [
      'what a step of the deletion removes during the restore stays deleted',
      'const second = { changes: [own], writes: [beginRestore(session, deletion, true, nowMs)] };',
      'const second = { changes: [own] };',
    ],
    'rest-of-a-restore-forgotten': [
      'what a restore has not brought back stays behind when the entity is deleted again',
      'const fieldsOf = again ? [] :',
      'if (again) return [];\n  const fieldsOf = again ? [] :',
    ],
    'late-children-of-moved-parents-stay': [
      'a child of a request that still saw what goes with a later deletion stays',
      'sweepLater(session, moved)',
      'sweepLater(session, moved.slice(moved.length))',
    ],
    'restore-of-a-part-restores-all': [
      'the restore of a child brings back all that the deletion of its parent has removed',
      'if (!isRoot(before) || cascadeKinds(before.kind).length === 0) return { changes: [own] };',
      'if (cascadeKinds(before.kind).length === 0) return { changes: [own] };',
    ],
    'dangling-reference-restored': [
      'a restored entity keeps references to entities that do not exist',
      "const kept = ids.filter((id) => find(relation.parent, id) === 'exists');",
      "const kept = ids.filter((id) => find(relation.parent, id) === 'exists' || id.length > 0);",
    ],
    'restored-subject-twice': [
      'a restored user takes the subject that another one has meanwhile',
      'await requireFreeValue(session, own);',
      'if (own.after.version < 0) await requireFreeValue(session, own);',
    ],
    'tasks-of-an-erased-project-restored': [
      'a restore brings back, without their project, the tasks of a project that was erased meanwhile',
      'if (own?.isErased && !isLater) return',
      'if (own?.isErased && (!isLater || isLater)) return',
    ],
    'restored-from-a-later-deletion': [
      'a restore brings back, without their project, the tasks of a project that was deleted again meanwhile',
      'if (!later)',
      'if (!later || later.deletedAt > 0)',
    ],
  },
  'functions/engine/model/deletion.ts': {
    'expired-entity-listed': [
      'the list of deleted entities has those that have expired',
      'sortableText(expiredAt(nowMs))',
      'sortableText(expiredAt(0 * nowMs))',
    ],
    'item-expires-with-the-restore': [
      'DynamoDB may delete what a restore that begins at the last moment needs',
      'const keptDays = restorableDays + 1;',
      'const keptDays = restorableDays;',
    ],
    'erased-entity-restored': [
      'an erased entity can be restored without its fields',
      'isErased === true || deletedAt <= expiredAt(nowMs);',
      'deletedAt <= expiredAt(isErased === true ? nowMs : nowMs);',
    ],
  },
  'functions/engine/model/changes.ts': {
    'text-stays-for-ever': [
      'a long text does not expire with its deleted entity',
      'expiresAt: deletion && expiryOf(deletion),',
      'expiresAt: deletion && Number(expiryOf(deletion)) > 0 ? undefined : undefined,',
    ],
    'second-deletion-with-the-key-of-the-first': [
      'by a clock that is behind, the deletion of a restored entity is the same as the one before',
      'Date.parse(before.entity.updatedAt), deletion.deletedAt + 1);',
      'Date.parse(before.entity.updatedAt), deletion.deletedAt - 1);',
    ],
    'children-of-an-erased-entity-kept': [
      'what the job of a deletion reaches after the erasure keeps its fields',
      'after: deletion.isErased ? erased(after) : after',
      'after: deletion.isErased ? { ...erased(after), ...after } : after',
    ],
  },
  'functions/engine/deletions/sweep.ts': {
    'sweep-of-a-restored-entity': [
      'the jobs of a deletion remove the children of an entity that was restored',
      'return deletion ? [[id, deletion]] : [];',
      'return [[id, deletion ?? { ...lost, root: { kind, id } }]];',
    ],
    'children-of-a-deletion-by-themselves': [
      'a job deletes children under a deletion of their own, with which they do not come back',
      'const deletion = item ? decodeAnyEntity(item).deletion :',
      'const deletion = item && !decodeAnyEntity(item).deletion ? undefined :',
    ],
  },
  'functions/engine/columns/compact/locate-changes.ts': {
    'restored-row-stays-deleted': [
      'compaction takes a deleted row for later than every change',
      'ofSegment.push(updateOf(change, located));',
      'if (!located.isDeleted) ofSegment.push(updateOf(change, located));',
    ],
    'restored-row-counted-as-deleted': [
      'a segment counts a restored row among its deleted ones',
      'return { row, deleted: isDeleted ? -1 : 0, values };',
      'return { row, deleted: isDeleted ? 0 : 0, values };',
    ],
  },
  'functions/engine/deletions/erase-deleted.ts': {
    'erased-id-used-again': [
      'the id of an erased entity can name a new one, which lists take for deleted',
      'buildWrite(tenant, change,',
      'buildWrite(tenant, deletion.isErased ? { before } : change,',
    ],
    'rest-of-a-restore-kept-by-an-erasure': [
      'what the job of a restore reaches after the erasure keeps its fields',
      'deletion.isErased ? erased(moved)',
      'deletion.isErased && deletion.deletedAt === before.deletion.deletedAt ? erased(moved)',
    ],
    'text-expires-with-the-earlier-deletion': [
      'the long text of an entity that became a part of a later deletion expires before the entity',
      '...buildTextWrite(tenant, change)',
      '...(deletion.isErased ? buildTextWrite(tenant, change) : [])',
    ],
    'erasure-not-repeated': [
      'what a step of the deletion removes during the erasure stays',
      'if (!stored?.deletion) throw',
      'if (!stored?.deletion || stored.deletion.isErased) throw',
    ],
    'late-children-of-an-erased-deletion-stay': [
      'a child of a request that still saw what an operator has erased stays',
      '...sweepLater(session, members)',
      '...sweepLater(session, members.slice(members.length))',
    ],
  },
  'functions/engine/entities/own-ids.ts': {
    'restore-named-after-its-time': [
      'the refusal of an own id names the restore of an entity that cannot come back any more',
      'if (stored && !hasExpired(stored, nowMs))',
      'if (stored && (!hasExpired(stored, nowMs) || nowMs > 0))',
    ],
  },
  'functions/engine/deletions/members.ts': {
    'root-among-its-members': [
      'a restore restores the task itself twice, because it is of the kind of what is below it',
      'isSameDeletion(one.deletion, deletion) && !isRoot(one)',
      'isSameDeletion(one.deletion, deletion) && (!isRoot(one) || one.version > 0)',
    ],
  },
  'functions/engine/feed/children-as-of.ts': {
    'later-children-with-earlier-ids': [
      'a clone copies tasks that came after it began, with ids that were made before',
      'fields = found.entry.before && entityOfRow(kind, entity.id, found.entry.before);',
      'fields = found.entry.before ? entityOfRow(kind, entity.id, found.entry.before) : fields;',
    ],
  },
});
