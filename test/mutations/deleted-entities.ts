import { toMutations } from './mutation.ts';

/** The rules of deleted entities and of what restores them. */
export const deletedEntityMutations = toMutations({
  'functions/engine/table/database.ts': {
    'deleted-entity-visible': [
      'withDeleted ? items : items.filter((item) => !isDeletedItem(item));',
      'withDeleted ? items : items.filter((item) => item !== undefined || !isDeletedItem(item));',
    ],
  },
  'functions/engine/table/stored-entities.ts': {
    'deleted-entity-without-its-text': [
      'const withDeleted = stored[0]?.deletion !== undefined;',
      'const withDeleted = stored[0] === undefined;',
    ],
    'restored-entity-with-deleted-ones': [
      'current.filter(({ deletion }) => withDeleted === isRestorable(deletion));',
      'current.filter(({ deletion }) => withDeleted || isRestorable(deletion) === withDeleted);',
    ],
  },
  'functions/engine/model/item-codec.ts': {
    'deleted-entity-in-by-creation': [
      '...(deletion ? encodeDeletion(stored) :',
      '...(deletion ? { ...encodeDeletion(stored), id } :',
    ],
  },
  'functions/engine/deletions/members.ts': {
    'walk-in-a-cycle': [
      'one.kind === child && one.ids.includes(id)',
      "one.kind === '' && one.ids.includes(id)",
    ],
    'members-end-where-a-page-lost-some': [
      'const next = end ? {',
      'const next = end && (isForIds || stored.length === ids.length) ? {',
    ],
  },
  'functions/engine/deletions/restore.ts': {
    'no-last-pass-after-nothing': [
      'if (!final || !isSwept)',
      "if ((!final && (rest.position > 0 || rest.after !== '')) || !isSwept)",
    ],
    'member-with-a-taken-value': [
      'const lost = taken[position] &&',
      'const lost = taken[position] && position < 0 &&',
    ],
    'reference-before-its-target': [
      'await readReferences(all, [stored]);',
      'await readReferences(all, [stored], { deletion: stored.deletion });',
    ],
    'restore-after-expiry': [
      '(stored.deletion && isExpired(stored.deletion, nowMs))',
      '(stored.deletion && isExpired(stored.deletion, 0 * nowMs))',
    ],
    'restore-without-a-second-pass': [
      'writes: [beginRestore(session, before, pass, nowMs)] };',
      'writes: pass.final ? [] : [] };',
    ],
    'rest-of-a-restore-forgotten': [
      'const found = again ? [] :',
      'if (again) return { changeSets: [], restored: [], keeping: [] };\n  const found = again ? [] :',
    ],
    'restores-that-take-from-each-other': [
      'if (again && !isSameRoot(again, deletion) && (await readRoot(session, again)))',
      'if (again && isSameRoot(again, deletion) && (await readRoot(session, again)))',
    ],
    'restored-from-a-later-deletion': ['!required && !later)', '!required)'],
    'late-children-of-moved-parents-stay': [
      'sweepLater(session, moved)',
      'sweepLater(session, moved.slice(moved.length))',
    ],
    'member-without-its-owner-lost': ['if (!isOther && !isLast)', 'if (!isOther)'],
    'late-children-of-what-stays-deleted-stay': ['moved.push(member);', 'if (isOther) moved.push(member);'],
    'moved-to-its-own-deletion': ['later && !isSameDeletion(later, member.deletion)', 'later'],
    'reference-to-an-unrestored-member': ['returned.has(`${of}/${id}`)', 'names.has(`${of}/${id}`)'],
    'restore-of-a-part-restores-all': [
      'if (!root)\n    return readMembers(',
      'if (!root || limit > 0)\n    return readMembers(',
    ],
    'member-restored-twice': ['[nameOf(member), member]', '[met.indexOf(member), member]'],
    'part-restored-alone': ['path: [placeBelow(kind, [entity.id])] };', 'path: entity.id ? [] : [] };'],
    'large-part-restored-alone': [
      'readNext(session, deletion, work, stepSize)',
      'readNext(session, deletion, work.root ? { ...work, path: [] } : work, stepSize)',
    ],
    'part-restored-with-all-by-its-job': [
      'const part = isRoot(before) ? {} : { root: deletion.root, path:',
      'const part = isRoot(before) ? {} : { path:',
    ],
    'reference-to-the-part-lost': ['{ entities: [before, ...members] }', '{ entities: members }'],
    'kept-references-returned-late': ['changes: [own, ...returning], writes:', 'changes: [own], writes:'],
    'kept-references-of-large-restores-lost': [
      '(again ? undefined : await returnStep(session, rest, own))',
      '(again || !again ? undefined : await returnStep(session, rest, own))',
    ],
    'kept-references-to-members-lost': [
      'const before = returning && (await returnStep(session, rest, returning));',
      'const before = undefined;',
    ],
    'kept-reference-of-a-part-lost': [
      'return (await keptStep(session, rest)) ?? { left: undefined };',
      'return { left: (await keptStep(session, rest)) && undefined };',
    ],
    'late-child-of-a-part-lost': ['withExisting: final });', 'withExisting: final && limit < 0 });'],
    'many-returning-references-lost': [
      'if (found.length > maxMembers) return rest;',
      'if (found.length > 10 * maxMembers) return rest;',
    ],
    'returning-references-below-a-part-lost': [
      'const returning = again ? undefined :',
      'const returning = again || work.root ? undefined :',
    ],
    'part-deleted-again-leaves-the-rest': [
      'return partAgainStep(session, rest, stored);',
      'return partAgainStep(session, rest, stored);\n  if (again && root) return { left: undefined };',
    ],
    'part-removed-again-is-left': [
      'const [restored] = await buildRestores(session, [part]);',
      'const [restored] = await buildRestores(session, []);',
    ],
    'part-comes-back-before-its-deletion-ends': [
      'const isSwept = !root ||',
      'const isSwept = !root || final || !final ||',
    ],
    'restored-subject-twice': [
      'await requireFreeValue(session, own);',
      'if (own.after.version < 0) await requireFreeValue(session, own);',
    ],
  },
  'functions/engine/deletions/restored-references.ts': {
    'reference-to-what-is-gone-again': [
      'existing.has(entityKey(tenant, kind, id).pk)',
      '(existing.has(entityKey(tenant, kind, id).pk) || keeping.length > 0)',
    ],
    'taken-by-any-owner': [
      "ofOwners: deletions.includes('exists')",
      "ofOwners: deletions.every((one) => one === 'exists')",
    ],
    'returning-entity-changed-twice': [
      'found.set(nameOf(child), child)',
      'found.set(nameOf(child) + relation.field, child)',
    ],
    'dangling-reference-restored': [
      "const found = targets.filter(({ target }) => target === 'exists').map(({ id }) => id);",
      'const found = targets.map(({ id }) => id);',
    ],
    'member-follows-the-erased-owner': ['(later.findLast(isRestorable) ?? later.at(-1))', 'later.at(-1)'],
    'tasks-of-an-erased-project-restored': [
      'if (own?.isErased && !isOfLater) return',
      'if (own?.isErased && (!isOfLater || isOfLater)) return',
    ],
    'reference-to-what-stays-deleted': [
      'if (ofOwners || !required) return ofOwners;',
      'if (ofOwners || !required || required) return ofOwners;',
    ],
    'stays-deleted-in-order-alone': [
      'if (isSettled || level === stored.length)',
      'if (isSettled || level >= 0)',
    ],
    'member-of-an-earlier-page-comes-back': [
      'isOfDeletion && (isRoot(found as DeletedEntity) || isLater(found))',
      'isOfDeletion',
    ],
    'moved-to-what-is-only-kept': [
      'isOwnership(relation) && stored.entity[relation.field]);',
      'isOwnership(relation));',
    ],
    'deleted-owner-forgotten': ['const kept = isKept ? id : null;', 'const kept = isKept ? null : null;'],
    'expired-owner-kept': [
      "typeof target === 'object' && !isExpired(target, now()) &&",
      "typeof target === 'object' &&",
    ],
    'removed-reference-returned': [
      '!isExpired(target, now()) && isOwnership(relation);',
      '!isExpired(target, now());',
    ],
    'kept-beside-the-returned-reference': ['{ [field]: id, [kept]: null }', '{ [field]: id }'],
  },
  'functions/engine/entities/update-entity.ts': {
    'kept-reference-over-a-change': [
      'buildUpdate(before, { ...fields, ...withoutKept(before, fields) }, nowMs)',
      'buildUpdate(before, fields, nowMs)',
    ],
  },
  'functions/projects/clone.ts': {
    'kept-reference-copied': [
      '!excluded.includes(field) && !isStoreField(field);',
      '!excluded.includes(field);',
    ],
  },
  'functions/engine/model/deletion.ts': {
    'item-expires-with-the-restore': [
      'const keptDays = restorableDays + 1;',
      'const keptDays = restorableDays;',
    ],
    'erased-entity-restored': [
      'isErased === true || deletedAt <= expiredAt(nowMs);',
      'deletedAt <= expiredAt(isErased === true ? nowMs : nowMs);',
    ],
    'root-among-its-members': [
      'const [deletedWith, rootKind] = isRoot(stored) ? [null, null] : [root.id, root.kind];',
      'const [deletedWith, rootKind] = [root.id, root.kind];',
    ],
    'version-of-a-moved-entity': [
      '  Array.from({ length: moves + 1 }, (_, move) => version - 1 - move);',
      '  Array.from({ length: 0 * moves + 1 }, (_, move) => version - 1 - move);',
    ],
    'tag-of-the-deleted-list-refused': [
      'Array.from({ length: moves + 1 }, (_, move) => version - 1 - move);',
      'Array.from({ length: 1 }, (_, move) => version - 1 - moves - move);',
    ],
    'moves-forgotten': [
      '    ...(moves !== undefined && { moves }),\n  };\n}\n\ninterface',
      '  };\n}\n\ninterface',
    ],
  },
  'functions/engine/model/changes.ts': {
    'text-stays-for-ever': [
      'expiresAt: deletion && expiryOf(deletion),',
      'expiresAt: deletion && Number(expiryOf(deletion)) > 0 ? undefined : undefined,',
    ],
    'text-expires-with-the-earlier-deletion': [
      'before.deletion !== deletion && !deletion?.isErased)',
      'before.deletion !== deletion && !(before.deletion && deletion) && !deletion?.isErased)',
    ],
    'second-deletion-with-the-key-of-the-first': [
      'Date.parse(before.entity.updatedAt), deletion.deletedAt + 1);',
      'Date.parse(before.entity.updatedAt), deletion.deletedAt - 1);',
    ],
    'children-of-an-erased-entity-kept': [
      'after: deletion.isErased ? erased(after) : after',
      'after: deletion.isErased ? { ...erased(after), ...after } : after',
    ],
    'rest-of-a-restore-kept-by-an-erasure': [
      'after: to.isErased ? erased(after) : after',
      'after: to.isErased && to.deletedAt === before.deletion.deletedAt ? erased(after) : after',
    ],
    'erased-id-used-again': [
      'if (after) return { put:',
      'if (after && !after.deletion?.isErased) return { put:',
    ],
  },
  'functions/engine/deletions/sweep.ts': {
    'sweep-of-a-restored-entity': [
      'return deletion ? [[id, deletion] as const] : [];',
      'return [[id, deletion ?? { ...lost, root: { kind, id } }] as const];',
    ],
    'children-of-a-deletion-by-themselves': [
      'const deletion = found ? found.deletion :',
      'const deletion = found && !found.deletion ? undefined :',
    ],
    'sweep-of-another-deletion': [
      'isRootOf(deletion, kind, id) ? [deletion] : []',
      'isRootOf(deletion, kind, id) || id !== undefined ? [deletion] : []',
    ],
  },
  'functions/engine/deletions/erase-deleted.ts': {
    'erased-during-a-restore': [
      'if (await isPartBeingRestored(session, root)) throw',
      'if ((await isPartBeingRestored(session, root)) && !root.id) throw',
    ],
    'erasure-not-repeated': [
      'if (!stored?.deletion) throw',
      'if (!stored?.deletion || stored.deletion.isErased) throw',
    ],
    'late-children-of-an-erased-deletion-stay': [
      'writes: sweepLater(session, deleted),',
      'writes: sweepLater(session, deleted.slice(deleted.length)),',
    ],
    'part-erased-with-all': [
      'const kinds = isRoot(stored) ? cascadeKinds(kind) : [];',
      'const kinds = cascadeKinds(kind);',
    ],
  },
  'functions/engine/entities/own-ids.ts': {
    'restore-named-after-its-time': [
      'if (stored && !hasExpired(stored, nowMs))',
      'if (stored && (!hasExpired(stored, nowMs) || nowMs > 0))',
    ],
  },
  'functions/engine/feed/children-as-of.ts': {
    'later-children-with-earlier-ids': [
      'fields = found.entry.before && entityOfRow(kind, entity.id, found.entry.before);',
      'fields = found.entry.before ? entityOfRow(kind, entity.id, found.entry.before) : fields;',
    ],
    'deleted-parent-in-a-clone': [
      'let fields = deletion ? undefined : entity;',
      'let fields: ItemFields | undefined = deletion ? entity : entity;',
    ],
  },
  'functions/engine/lists/list-deleted.ts': {
    'expired-entity-listed': [
      'new Date(expiredAt(now())).toISOString()',
      'new Date(expiredAt(0 * now())).toISOString()',
    ],
    'restores-of-another-kind': [
      'cascadeKinds(kind).map((of) =>',
      'cascadeKinds(kind).slice(0, 1).map((of) =>',
    ],
    'restores-of-the-first-kind': ['(found.get(String(value)) ?? 0) + count', 'count'],
    'deleted-list-without-texts': ['    { withTexts },\n', '    { withTexts: withTexts && false },\n'],
    'tag-of-a-deleted-version': [
      'versions: stored.map((one) => versionsBeforeDeletion(one)[0] as number),',
      'versions: stored.map(({ version }) => version),',
    ],
    'deleted-with-itself': [
      '...(root.id !== entity.id && { deletedWith: root.id }),',
      'deletedWith: root.id,',
    ],
  },
  'functions/http/parse-list-query.ts': {
    'parts-in-the-deleted-list': [
      '...(otherwise && !isOwn ? [otherwise] : [])',
      '...(otherwise && isOwn ? [] : [])',
    ],
    'parts-never-listed': [
      '...(otherwise && !isOwn ? [otherwise] : [])]',
      '...(otherwise ? [otherwise] : [])]',
    ],
  },
  'lib/erase/erase-entity.ts': {
    'erased-values-of-members-left': [
      'of [kind, ...cascadeKinds(kind)])',
      'of [kind, ...cascadeKinds(kind).slice(0, 0)])',
    ],
  },
  'functions/engine/due-work/break-cycles.ts': {
    'cycle-of-a-move-in-progress': [
      'return completeUpTo(found.progress);',
      'return Math.max(completeUpTo(found.progress), found.progress.position);',
    ],
  },
  'functions/engine/feed/list-history.ts': {
    'move-in-a-history': [
      'if (isVisible(found.entry)) entries',
      'if (isVisible(found.entry) || position > 0) entries',
    ],
  },
  'functions/jobs/cloud-events.ts': {
    'move-as-an-event': [
      'record.entries.filter(isVisible)',
      'record.entries.filter((entry) => isVisible(entry) || log.tenant)',
    ],
  },
});
