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
  'functions/engine/table/whole-entities.ts': {
    'deleted-entity-without-its-text': [
      'the list of deleted entities lacks those whose text is in their item',
      'const withDeleted = stored[0]?.deletion !== undefined;',
      'const withDeleted = stored[0] === undefined;',
    ],
    'restored-entity-with-deleted-ones': [
      'the list of deleted entities has one that was restored or erased while its text was read',
      'current.filter(({ deletion }) => withDeleted === isRestorable(deletion));',
      'current.filter(({ deletion }) => withDeleted || isRestorable(deletion) === withDeleted);',
    ],
  },
  'functions/engine/model/item-codec.ts': {
    'deleted-entity-in-by-creation': [
      'the item of a deleted entity keeps the attribute by which the index of all entities has it',
      '...(deletion ? encodeDeletion(stored) :',
      '...(deletion ? { ...encodeDeletion(stored), id } :',
    ],
  },
  'functions/engine/deletions/restore.ts': {
    'no-last-pass-after-nothing': [
      'a restore whose first look at a lagging index finds nothing never looks again',
      'if (!final) {',
      "if (!final && (rest.position > 0 || rest.after !== '')) {",
    ],
    'member-with-a-taken-value': [
      'a restore of what has a unique value that was given away meanwhile never ends',
      'const lost = taken[position] &&',
      'const lost = taken[position] && position < 0 &&',
    ],
    'restored-before-its-parent': [
      'an entity loses its reference to one that the same restore brings back a moment later',
      '? stored.deletion : undefined;',
      '? undefined : undefined;',
    ],
    'restore-after-expiry': [
      'a deleted entity can be restored until DynamoDB deletes its item',
      '(stored.deletion && isExpired(stored.deletion, nowMs))',
      '(stored.deletion && isExpired(stored.deletion, 0 * nowMs))',
    ],
    'restore-without-a-second-pass': [
      'what a step of the deletion removes during the restore stays deleted',
      'writes: [beginRestore(session, before, pass, nowMs)] };',
      'writes: pass.final ? [] : [] };',
    ],
    'rest-of-a-restore-forgotten': [
      'what a restore has not brought back stays behind when the entity is deleted again',
      'const restored = again ? [] :',
      'if (again) return { changeSets: [], keeping: [] };\n  const restored = again ? [] :',
    ],
    'restores-that-take-from-each-other': [
      'what the job of a restore has not brought back goes with a later deletion whose restore is in progress, and stays deleted',
      'if (again && !isSameRoot(again, deletion) && (await readRoot(session, again)))',
      'if (again && isSameRoot(again, deletion) && (await readRoot(session, again)))',
    ],
    'restored-from-a-later-deletion': [
      'a restore brings back, without their project, the tasks of a project that was deleted again meanwhile',
      'if (later) {',
      'if (later && later.deletedAt < 0) {',
    ],
    'late-children-of-moved-parents-stay': [
      'a child of a request that still saw what goes with a later deletion stays',
      'sweepLater(session, moved)',
      'sweepLater(session, moved.slice(moved.length))',
    ],
    'member-without-its-owner-lost': [
      'what cannot come back without an entity that is deleted can never be restored by itself',
      'return isLast ?',
      'return isLast && position < 0 ?',
    ],
    'restore-of-a-part-restores-all': [
      'the restore of a child brings back all that the deletion of its parent has removed',
      'if (!root)\n    return readMembers(',
      'if (!root || limit > 0)\n    return readMembers(',
    ],
    'part-restored-alone': [
      'a part of a deletion comes back without what is below it',
      'path: [placeBelow(kind, [entity.id])] };',
      'path: entity.id ? [] : [] };',
    ],
    'large-part-restored-alone': [
      'a part of a deletion comes back without what is below it, if that is more than one transaction writes',
      'readNext(session, deletion, work, stepSize)',
      'readNext(session, deletion, work.root ? { ...work, path: [] } : work, stepSize)',
    ],
    'part-restored-with-all-by-its-job': [
      'the job of a part of a deletion looks for the members of the part, which has none, instead of what is below it',
      'const part = isRoot(before) ? {} : { root: deletion.root, path:',
      'const part = isRoot(before) ? {} : { path:',
    ],
    'reference-to-the-part-lost': [
      'what comes back below a part of a deletion loses its reference to the part',
      '{ entities: [before, ...members] }',
      '{ entities: members }',
    ],
    'kept-references-returned-late': [
      'what was restored before an entity has no reference to it when the restore of the entity responds',
      'changes: [own, ...returning], writes:',
      'changes: [own], writes:',
    ],
    'kept-references-of-large-restores-lost': [
      'what was restored before an entity never gets its reference to it again, if a job restores the rest',
      '(again ? undefined : await returnStep(session, rest, own))',
      '(again || !again ? undefined : await returnStep(session, rest, own))',
    ],
    'kept-references-to-members-lost': [
      'what was restored before a member of the deletion of another entity never gets its reference to it again, if a job restores the member',
      'const before = returning && (await returnStep(session, rest, returning));',
      'const before = undefined;',
    ],
    'kept-reference-of-a-part-lost': [
      'an entity whose owner was restored at the same time never gets its reference to it again',
      'return (await keptStep(session, rest)) ?? { left: undefined };',
      'return { left: (await keptStep(session, rest)) && undefined };',
    ],
    'late-child-of-a-part-lost': [
      'what a step of the deletion removes below a part that is restored at the same moment stays deleted',
      'withExisting: final });',
      'withExisting: final && limit < 0 });',
    ],
    'many-returning-references-lost': [
      'more references than a transaction has do not come back to what is restored besides the root',
      'if (found.length > maxMembers) return rest;',
      'if (found.length > 10 * maxMembers) return rest;',
    ],
    'returning-references-below-a-part-lost': [
      'what was restored before a large part, and is below that, never gets its parent again',
      'const returning = again ? undefined :',
      'const returning = again || work.root ? undefined :',
    ],
    'part-deleted-again-leaves-the-rest': [
      'what the restore of a part has not brought back stays behind when the part is deleted again',
      'if (again && isSameDeletion(again, deletion)) return',
      'if (again && (root || isSameDeletion(again, deletion))) return',
    ],
    'restored-subject-twice': [
      'a restored user takes the subject that another one has meanwhile',
      'await requireFreeValue(session, own);',
      'if (own.after.version < 0) await requireFreeValue(session, own);',
    ],
  },
  'functions/engine/deletions/restored-references.ts': {
    'reference-to-what-is-gone-again': [
      'the job of a restore gives references to an entity that was deleted again meanwhile',
      'existing.has(entityKey(tenant, kind, id).pk)',
      '(existing.has(entityKey(tenant, kind, id).pk) || keeping.length > 0)',
    ],
    'taken-by-any-owner': [
      'a sub-task stays deleted when its task is restored, and is erased, because their project was deleted later',
      "ofOwners: deletions.includes('exists')",
      "ofOwners: deletions.every((one) => one === 'exists')",
    ],
    'returning-entity-changed-twice': [
      'an entity that gets two references again has a change for each in one transaction',
      'found.set(nameOf(child), child)',
      'found.set(nameOf(child) + relation.field, child)',
    ],
    'dangling-reference-restored': [
      'a restored entity keeps references to entities that do not exist',
      "const found = targets.filter(({ target }) => target === 'exists').map(({ id }) => id);",
      'const found = targets.map(({ id }) => id);',
    ],
    'tasks-of-an-erased-project-restored': [
      'a restore brings back, without their project, the tasks of a project that was erased meanwhile',
      'if (own?.isErased && !isLater) return',
      'if (own?.isErased && (!isLater || isLater)) return',
    ],
    'moved-to-what-is-only-kept': [
      'an entity that was restored by itself is not restored again, but goes with the deletion of what it had once belonged to',
      'isOwnership(relation) && stored.entity[relation.field]);',
      'isOwnership(relation));',
    ],
    'deleted-owner-forgotten': [
      'a part of a deletion that is restored by itself loses its reference for ever',
      'const kept = isKept ? id : null;',
      'const kept = isKept ? null : null;',
    ],
    'expired-owner-kept': [
      'a restored entity keeps the id of an owner that can never come back',
      "typeof target === 'object' && !isExpired(target, now()) &&",
      "typeof target === 'object' &&",
    ],
    'removed-reference-returned': [
      'a reference that the deletion of an entity has only removed comes back with the entity',
      '!isExpired(target, now()) && isOwnership(relation);',
      '!isExpired(target, now());',
    ],
    'kept-beside-the-returned-reference': [
      'an id is still kept beside its reference when that has come back, and returns again after a change',
      '{ [relation.field]: id, [field]: null }',
      '{ [relation.field]: id }',
    ],
  },
  'functions/engine/entities/update-entity.ts': {
    'kept-reference-over-a-change': [
      'a restore takes the place of a reference that a caller has changed since',
      'buildUpdate(before, { ...fields, ...withoutKept(before, fields) }, nowMs)',
      'buildUpdate(before, fields, nowMs)',
    ],
  },
  'functions/projects/clone.ts': {
    'kept-reference-copied': [
      'the restore of a project takes in the copies of tasks that had belonged to it',
      '!excluded.includes(field) && !isStoreField(field);',
      '!excluded.includes(field);',
    ],
  },
  'functions/engine/model/deletion.ts': {
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
    'root-among-its-members': [
      'the row of what a caller has deleted is that of a part of its own deletion',
      'const [deletedWith, rootKind] = isRoot(stored) ? [null, null] : [root.id, root.kind];',
      'const [deletedWith, rootKind] = [root.id, root.kind];',
    ],
    'version-of-a-moved-entity': [
      'If-Match does not restore an entity that has become a part of a later deletion',
      '  Array.from({ length: moves + 1 }, (_, move) => version - 1 - move);',
      '  Array.from({ length: 0 * moves + 1 }, (_, move) => version - 1 - move);',
    ],
    'tag-of-the-deleted-list-refused': [
      'a restore refuses the tag that the list of deleted entities shows of what has become a part of a later deletion',
      'Array.from({ length: moves + 1 }, (_, move) => version - 1 - move);',
      'Array.from({ length: 1 }, (_, move) => version - 1 - moves - move);',
    ],
    'moves-forgotten': [
      'the item of a deleted entity does not tell how often it has become a part of another deletion',
      '    ...(moves !== undefined && { moves }),\n  };\n}\n\ninterface',
      '  };\n}\n\ninterface',
    ],
  },
  'functions/engine/model/changes.ts': {
    'text-stays-for-ever': [
      'a long text does not expire with its deleted entity',
      'expiresAt: deletion && expiryOf(deletion),',
      'expiresAt: deletion && Number(expiryOf(deletion)) > 0 ? undefined : undefined,',
    ],
    'text-expires-with-the-earlier-deletion': [
      'the long text of an entity that became a part of a later deletion expires before the entity',
      'before.deletion !== deletion && !deletion?.isErased)',
      'before.deletion !== deletion && !(before.deletion && deletion) && !deletion?.isErased)',
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
    'rest-of-a-restore-kept-by-an-erasure': [
      'what the job of a restore reaches after the erasure keeps its fields',
      'after: to.isErased ? erased(after) : after',
      'after: to.isErased && to.deletedAt === before.deletion.deletedAt ? erased(after) : after',
    ],
    'erased-id-used-again': [
      'the id of an erased entity can name a new one, which lists take for deleted',
      'if (after) return { put:',
      'if (after && !after.deletion?.isErased) return { put:',
    ],
  },
  'functions/engine/deletions/sweep.ts': {
    'sweep-of-a-restored-entity': [
      'the jobs of a deletion remove the children of an entity that was restored',
      'return deletion ? [[id, deletion] as const] : [];',
      'return [[id, deletion ?? { ...lost, root: { kind, id } }] as const];',
    ],
    'children-of-a-deletion-by-themselves': [
      'a job deletes children under a deletion of their own, with which they do not come back',
      'const deletion = item ? decodeAnyEntity(item).deletion :',
      'const deletion = item && !decodeAnyEntity(item).deletion ? undefined :',
    ],
    'sweep-of-another-deletion': [
      'the job of what a restore has moved into a later deletion walks through all that this one has removed',
      'isRootOf(deletion, kind, id) ? [deletion] : []',
      'isRootOf(deletion, kind, id) || id !== undefined ? [deletion] : []',
    ],
  },
  'functions/engine/deletions/erase-deleted.ts': {
    'erasure-not-repeated': [
      'what a step of the deletion removes during the erasure stays',
      'if (!stored?.deletion) throw',
      'if (!stored?.deletion || stored.deletion.isErased) throw',
    ],
    'late-children-of-an-erased-deletion-stay': [
      'a child of a request that still saw what an operator has erased stays',
      'writes: sweepLater(session, deleted),',
      'writes: sweepLater(session, deleted.slice(deleted.length)),',
    ],
    'part-erased-with-all': [
      'the erasure of a part of a deletion erases all that the deletion has removed',
      'const kinds = isRoot(stored) ? cascadeKinds(kind) : [];',
      'const kinds = cascadeKinds(kind);',
    ],
  },
  'functions/engine/entities/own-ids.ts': {
    'restore-named-after-its-time': [
      'the refusal of an own id names the restore of an entity that cannot come back any more',
      'if (stored && !hasExpired(stored, nowMs))',
      'if (stored && (!hasExpired(stored, nowMs) || nowMs > 0))',
    ],
  },
  'functions/engine/feed/children-as-of.ts': {
    'later-children-with-earlier-ids': [
      'a clone copies tasks that came after it began, with ids that were made before',
      'fields = found.entry.before && entityOfRow(kind, entity.id, found.entry.before);',
      'fields = found.entry.before ? entityOfRow(kind, entity.id, found.entry.before) : fields;',
    ],
    'deleted-parent-in-a-clone': [
      'a clone leaves out tasks whose parent was deleted before it began',
      'let fields = deletion ? undefined : entity;',
      'let fields: ItemFields | undefined = deletion ? entity : entity;',
    ],
  },
  'functions/engine/lists/list-deleted.ts': {
    'expired-entity-listed': [
      'the list of deleted entities has those that have expired',
      'new Date(expiredAt(now())).toISOString()',
      'new Date(expiredAt(0 * now())).toISOString()',
    ],
    'restores-of-another-kind': [
      'the list of deleted entities does not count those of other kinds that come back',
      'cascadeKinds(kind).map((of) =>',
      'cascadeKinds(kind).slice(0, 1).map((of) =>',
    ],
    'restores-of-the-first-kind': [
      'what a restore brings back is the number of the last kind alone',
      '(found.get(String(value)) ?? 0) + count',
      'count',
    ],
    'deleted-list-without-texts': [
      'the list of deleted entities has digests in the place of long texts',
      '    { withTexts },\n',
      '    { withTexts: withTexts && false },\n',
    ],
    'tag-of-a-deleted-version': [
      'the list of deleted entities has tags with which nothing can be restored',
      'versions: stored.map((one) => versionsBeforeDeletion(one)[0] as number),',
      'versions: stored.map(({ version }) => version),',
    ],
    'deleted-with-itself': [
      'the list of deleted entities shows what a caller has deleted as part of a deletion',
      '...(root.id !== entity.id && { deletedWith: root.id }),',
      'deletedWith: root.id,',
    ],
  },
  'functions/http/parse-list-query.ts': {
    'parts-in-the-deleted-list': [
      'the list of deleted entities has all parts of all deletions',
      '...(otherwise && !isOwn ? [otherwise] : [])',
      '...(otherwise && isOwn ? [] : [])',
    ],
    'parts-never-listed': [
      'a filter of deleted entities by what they were deleted with finds nothing',
      '...(otherwise && !isOwn ? [otherwise] : [])]',
      '...(otherwise ? [otherwise] : [])]',
    ],
  },
});
