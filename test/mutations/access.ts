import { toMutations } from './mutation.ts';

/** The rules of who sees what, and who may change it. */
export const accessMutations = toMutations({
  'functions/engine/table/database.ts': {
    'hidden-entity-by-key-or-query': [
      'return this.#see ? this.#see(existing) : existing;',
      'return this.#see && this.deadline.remaining() < 0 ? this.#see(existing) : existing;',
    ],
  },
  'functions/engine/table/sight.ts': {
    'erased-entity-is-seen': [
      'if (deletion?.isErased) return false;',
      'if (deletion?.isErased) return guards.size >= 0;',
    ],
    'guard-that-nobody-knows-is-seen': [
      "return id === null || guards.get(kind)?.get(String(id)) === 'seen';",
      "return id === null || guards.get(kind)?.get(String(id)) !== 'unknown';",
    ],
  },
  'functions/engine/model/access.ts': {
    'everyone-is-a-member': [
      'isOpen(rule, fields) || (user !== undefined && membersIn(rule, fields).includes(user));',
      'isOpen(rule, fields) || user !== undefined;',
    ],
  },
  'functions/engine/lists/read-page.ts': {
    'list-without-its-rule': [
      'const filters = filter ? [...query.filters, filter] : query.filters;',
      'const filters = filter && query.limit < 0 ? [...query.filters, filter] : query.filters;',
    ],
  },
  'functions/engine/lists/visible-set.ts': {
    'set-without-deleted-entities': [
      'return [...existing.rows, ...deleted.rows].map(',
      'return [...existing.rows, ...deleted.rows.slice(0, 0)].map(',
    ],
    'set-of-another-time': [
      'if (isComplete && known?.state === version)',
      'if (isComplete && known && known.state !== name)',
    ],
    'set-of-another-viewer': [
      "const name = `visible-to ${user ?? filter?.name ?? ''}`;",
      "const name = `visible-to ${user === undefined ? (filter?.name ?? '') : ''}`;",
    ],
  },
  'functions/engine/columns/read/row-filter.ts': {
    'alternative-in-columns-forgotten': [
      'return [{ ordinals: column.ordinals, accepted }, ...(or ? acceptedBy(or) : [])];',
      'return [{ ordinals: column.ordinals, accepted }, ...(or && accepted.length === 0 ? acceptedBy(or) : [])];',
    ],
    'alternative-in-records-forgotten': [
      '(row) => predicates.every((either) => either.some(([field, accepts]) => accepts(row[field])));',
      '(row) => predicates.every((either) => either.slice(0, 1).some(([field, accepts]) => accepts(row[field])));',
    ],
  },
  'functions/engine/columns/read/column-reader.ts': {
    'accepted-texts-of-another-set': [
      'const ofColumn = `${current.name}/${name}`;',
      'const ofColumn = `${current.name}/set${name.slice(0, 0)}`;',
    ],
  },
  'functions/engine/deletions/delete-entity.ts': {
    'hidden-descendants-stay': [
      'await findDescendants(withoutSight(session), {',
      'await findDescendants(session.sight ? session : withoutSight(session), {',
    ],
    'member-deleted-by-anyone': [
      'if (user === undefined ? named > 0 : named > shared) return true;',
      'if (user === undefined ? named > 0 : named < shared) return true;',
    ],
    'who-is-who-deleted-by-anyone': [
      'if (refusal) throw refusal;',
      'if (refusal && !session.sight) throw refusal;',
    ],
  },
  'functions/engine/deletions/restore.ts': {
    'hidden-members-stay-deleted': [
      'const all = withoutSight(session);',
      'const all = session.sight ? session : withoutSight(session);',
    ],
    'who-is-who-restored-by-anyone': [
      'await requirePermission(session, own);',
      'if (!session.sight) await requirePermission(session, own);',
    ],
  },
  'functions/engine/deletions/restored-references.ts': {
    'restore-opens-a-task': [
      'isGuard(relation) && !isOpen(relation.parent, id);',
      'isGuard(relation) && id === relation.parent && !isOpen(relation.parent, id);',
    ],
    'restore-of-open-tasks-refused': [
      'return rule !== undefined && !deletion?.isErased && isOpen(rule, entity);',
      'return rule !== undefined && !deletion && isOpen(rule, entity);',
    ],
  },
  'functions/engine/deletions/descendants.ts': {
    'lost-project-opens-its-tasks': [
      'if (isGuard(relation)) return [];',
      'if (isGuard(relation) && parentIds.length === 0) return [];',
    ],
  },
  'functions/engine/entities/own-ids.ts': {
    'hidden-id-tells-what-has-it': ['return isSeen\n', 'return isSeen || stored.version > 0\n'],
    'hidden-id-is-not-found': [
      'const stored = isId(id) ? await findStored(withoutSight(session), kind, id) : undefined;',
      'const stored = isId(id) ? await findStored(session.sight ? session : withoutSight(session), kind, id) : undefined;',
    ],
  },
  'functions/engine/batches/apply-batch.ts': {
    'hidden-entity-in-a-batch': [
      'const all = stored.filter((_, place) => seen?.[place] ?? true);',
      'const all = stored.filter((_, place) => seen?.[place] !== undefined || !seen);',
    ],
    'hidden-id-in-a-batch-tells-what-has-it': [
      '{ stored: hidden.get(id), isSeen: false };',
      '{ stored: hidden.get(id), isSeen: hidden.size > 0 };',
    ],
    'permission-of-a-batch-forgotten': [
      '(change.after ? findRefusal : findRefusalOfDeletion)(session, change)',
      '(change.after ? findRefusal : findRefusalOfDeletion)({ ...session, sight: undefined }, change)',
    ],
    'guard-of-a-batch-not-inherited': [
      'fields: inherited.shift() ?? one.fields }',
      'fields: (inherited.length === 0 && inherited.shift()) || one.fields }',
    ],
  },
  'functions/engine/entities/inherited-guards.ts': {
    'sub-task-opens': [
      'return existing.get(id)?.[guard] ?? null;',
      'return (existing.size === 0 && existing.get(id)?.[guard]) || null;',
    ],
    'sub-task-of-what-a-batch-moves': [
      'if (one?.fields[guard] !== undefined) return one.fields[guard];',
      'if (one?.isCreated && one.fields[guard] !== undefined) return one.fields[guard];',
    ],
  },
  'functions/engine/entities/permissions.ts': {
    'closed-without-its-maker': [
      'if (isMember(after)) return undefined;',
      'if (membersIn(rule, after).length > 0) return undefined;',
    ],
    'anyone-takes-a-project-over': ['isMember(had.length > 0 ? before : after)', 'isMember(after)'],
    'setting-that-reserves-nothing': [
      'if (had.length === 0 && settingsInUse().reservesClosing()) return reserved;',
      'if (had.length < 0 && settingsInUse().reservesClosing()) return reserved;',
    ],
    'who-is-who-changed-by-anyone': [
      'if (decidesWhoViewersAre(kind) && former !== wanted && !isOwn)',
      'if (decidesWhoViewersAre(kind) && former === wanted && !isOwn && wanted === kind)',
    ],
    'nobody-creates-oneself': [
      'const isOwn = before === undefined && wanted === sight.uniqueValue;',
      'const isOwn = before !== undefined && wanted === sight.uniqueValue;',
    ],
  },
  'functions/engine/write/idempotency.ts': {
    'unchanged-replay-of-what-is-hidden': [
      "isHidden(own) || (operation === 'update' && own === undefined);",
      "isHidden(own) || (operation === 'none' && own === undefined);",
    ],
    'replay-of-what-is-hidden': [
      'if (!sight) return result;',
      'if (!sight || stored.length >= 0) return result;',
    ],
  },
  'functions/projects/clone.ts': {
    'clone-goes-on-for-others': [
      '(!original || sightOf(original.entity) !== work.sight)',
      "(!original || sightOf(original.entity) === '')",
    ],
  },
  'functions/http/caller.ts': {
    'subject-of-another-user': [
      'const viewer = user?.isWellFormed() ? user : undefined;',
      'const viewer = user?.isWellFormed() ? user : user;',
    ],
  },
  'functions/engine/feed/sight-of-feed.ts': {
    'restore-without-a-member': [
      'if (!before || visibilityOf(before) !== visibilityOf(after)) return true;',
      'if (before && entry.before && visibilityOf(before) !== visibilityOf(after)) return true;',
    ],
    'cursor-of-another-viewer': [
      'if (number !== cursor.viewer?.number) throw new SightChanged();',
      'if (number === undefined && cursor.viewer) throw new SightChanged();',
    ],
    'feed-goes-on-when-its-sight-changes': [
      'if (await changeSight(session, guard, page.records)) throw new SightChanged();',
      'if (page.hasMore && (await changeSight(session, guard, page.records))) throw new SightChanged();',
    ],
    'feed-goes-on-behind-its-guards': ['isBehind ||= page.hasMore;', 'isBehind &&= page.hasMore;'],
  },
  'functions/engine/feed/list-changes.ts': {
    'hidden-by-now-in-a-feed': [
      'const current = hasMore ? await readStillSeen(session, kind, rows) : rows;',
      'const current = hasMore && rows.length < 0 ? await readStillSeen(session, kind, rows) : rows;',
    ],
    'hidden-change-in-a-feed': [
      "return visibility === 'seen';",
      "return visibility === 'seen' || row === undefined || id !== '';",
    ],
    'nobody-knows-who-saw-it': [
      "if (visibility === 'unknown') throw new SightChanged();",
      "if (visibility === 'unknown') return false;",
    ],
  },
  'functions/organizations/archive.ts': {
    'hidden-projects-not-archived': [
      'await readChildren(withoutSight(session), ownership(), [id]);',
      'await readChildren(session, ownership(), [id]);',
    ],
  },
  'functions/http/session.ts': {
    'everyone-sees-all': [
      'hasScope(caller, allProjectsScope) ? undefined : new Sight(',
      'hasScope(caller, allProjectsScope) || tenant.length > 0 ? undefined : new Sight(',
    ],
    'program-with-the-name-of-a-user': [
      'new Sight(tenant, user, whole);',
      'new Sight(tenant, user ?? caller.subject, whole);',
    ],
  },
  'functions/authentication/roles.ts': {
    'user-without-a-role-sees-all': [
      "const withoutRole = ['read', 'write'];",
      "const withoutRole = ['read', 'write', allProjectsScope];",
    ],
  },
  'functions/contract/resource.ts': {
    'replacement-opens-a-project': [
      'keptFields.includes(name) && bare !== schema ? v.optional(bare) : schema];',
      'keptFields.includes(name) && bare === schema ? v.optional(bare) : schema];',
    ],
  },
});
