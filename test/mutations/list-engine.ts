import { toMutations } from './mutation.ts';

/** Mutations of the rules of the list engine. docs/list-engine.md gives the reasons of the rules. */
export const listEngineMutations = toMutations({
  'functions/engine/model/ids.ts': {
    'ids-of-a-millisecond-in-any-order': [
      'ids of one millisecond are not in the order in which they are made',
      'seq: last.seq + 1',
      'seq: randomInteger(0, maxFirstSequence)',
    ],
  },
  'functions/engine/model/deflate.ts': {
    'deflated-and-never-inflated-again': [
      'an item is stored that inflates to more than a list may read',
      'isTooLarge ? { level: 0 } : {}',
      'isTooLarge ? {} : {}',
    ],
  },
  'functions/engine/columns/read/read-state.ts': {
    'prefix-beyond-a-gap': [
      'a list of more than a page never shows what appears in a gap',
      'const end = endOf(read);',
      'const end = Math.max(endOf(read), read.at(-1)?.position ?? 0);',
    ],
    'gap-in-the-log': [
      'a list does not notice that an earlier record is missing',
      'if (previousPosition > watermark && ',
      'if (previousPosition > watermark + previousPosition && ',
    ],
    'records-of-the-known-watermark': [
      'a list counts records again that compaction has absorbed since the process knows the watermark',
      'position > watermark);',
      'position > 0 * watermark);',
    ],
    'bytes-of-records-not-of-entries': [
      'a process counts the records that it remembers, however many entities each has',
      'entryBytes * entries.length',
      'entryBytes',
    ],
  },
  'lib/audit/snapshot.ts': {
    'audit-without-words': [
      'the audit does not compare the words of rows',
      'isCut(row) ?',
      'isCut(row) || row[wordsField] !== undefined ?',
    ],
  },
  'lib/audit/audit-table.ts': {
    'audit-against-a-restore': [
      'an audit takes for wrong what the job of a restore has not brought back yet',
      'if (work.type === restoreType) restored',
      'if (work.type === sweepType) restored',
    ],
    'entities-repaired-before-logs': [
      'the audit lists the entities that refer to a missing one before it repairs their rows',
      '    const blocked = await this.#rebuild(logs);',
      '    await this.#sweep((found.orphans as Reference[]).splice(0));\n    const blocked = await this.#rebuild(logs);',
    ],
    'entities-of-unreadable-records-repaired': [
      'the audit makes versions of an entity again that a record which it cannot read may have made',
      '!blockedTenants.has(tenantOf({ pk }))',
      '!blockedTenants.has(pk)',
    ],
  },
  'functions/engine/columns/compact/rebuild.ts': {
    'rebuild-leaves-the-last-hole': [
      'a log without the last record of an entity cannot be listed after the next change of it',
      'Math.max(watermark, count,',
      'Math.max(watermark, 0 * count,',
    ],
    'rebuild-with-later-changes': [
      'a rebuild writes changes into the columns that lists read from the log as well',
      'if (!change) return row ?? [];',
      'if (!change || found.has(id)) return row ?? [];',
    ],
    'rebuild-without-changes-meanwhile': [
      'a rebuild writes what changes while it writes its segments into the columns and leaves it in the log',
      'const rows = rowsAt(ids, found, await readChanges());',
      'const rows = rowsAt(ids, found, new Map());',
    ],
    'rebuild-with-words-of-now': [
      'a rebuild gives rows of a position the words of later texts, so searches count both',
      'toValues({ ...others, ...before })',
      "{ ...others, ...before, [wordsField]: row?.values[wordsField] ?? '' }",
    ],
    'rebuild-that-is-lost': [
      'a rebuild ends without an effect when a step of compaction was faster',
      'if (!isReplaced) return rebuild(source);',
      'void isReplaced;',
    ],
    'rebuild-within-one-deadline': [
      'a log with many long texts cannot be rebuilt',
      'requireTime: () => undefined }',
      'requireTime: () => open().requireTime() }',
    ],
    'rebuild-deleted-meanwhile': [
      'another step deletes the segments of a rebuild that takes longer than an hour',
      'const beganAt = now() + maxRebuildMs;',
      'const beganAt = now();',
    ],
  },
  'functions/engine/columns/read/shown-rows.ts': {
    'columns-at-any-price': [
      'the first page of a process loads all columns of a large segment, to show a few rows',
      'if (!isCheap && cost > left) continue;',
      'if (!isCheap && cost > left + cost) continue;',
    ],
    'columns-never-earned': [
      'a page reads its entities by key for ever, whatever that costs',
      'const spent = keyReads(memory);',
      'const spent = 0 * keyReads(memory);',
    ],
    'columns-of-all-fields': [
      'a page of some fields loads the columns of all fields',
      'shows.has(field))',
      'shows.size > 0)',
    ],
  },
  'functions/engine/lists/read-page.ts': {
    'total-with-deleted-ones': [
      'the total of a page counts entities that were deleted while it was read',
      'const left = total - (rows.length - stored.length);',
      'const left = total - 0 * (rows.length - stored.length);',
    ],
    'deleted-entity-of-a-replica': [
      'a page shows an entity that a replica has in an older version, although it has been deleted since',
      'const isFound = stored && stored.version >= version &&',
      'const isFound = stored &&',
    ],
    'entity-from-a-replica': [
      'an entity that an index or a replica has in an old version is not read again',
      '>= version));',
      '>= version) && version < 0);',
    ],
    'index-read-in-each-attempt': [
      'a list reads a lagging or throttled index again and again',
      'attempt === 1 ? options : { ...options, pageIndex: undefined }',
      'options',
    ],
  },
  'functions/engine/lists/read-referenced.ts': {
    'references-of-an-unknown-log-from-columns': [
      'an expanded reference reads the log of its kind, which costs more than the entity',
      'keyReads(memory) < maxKeyReads)',
      'keyReads(memory) < 0 * maxKeyReads)',
    ],
  },
  'functions/engine/columns/compact/absorb.ts': {
    'each-new-row-a-segment': [
      'a step writes a segment for a few new rows',
      'last.length < sizes.minSegmentRows',
      'last.length < 1',
    ],
    'new-rows-wait-for-ever': [
      'new rows never become a segment, and the first list of a process reads them all',
      'last.length < sizes.minSegmentRows',
      'last.length < 1_000 * sizes.minSegmentRows',
    ],
    'deleted-rows-that-wait': [
      'a row that was deleted while it waits comes back',
      '...[...gone].map(',
      "...[...gone].filter((id) => id === '').map(",
    ],
  },
  'functions/engine/columns/compact/compact.ts': {
    'records-before-an-urgent-merge': [
      'a merge that is urgent is lost again and again, because other processes absorb records meanwhile',
      'if (chooseMerge(manifest, sizes, source.nowMs)?.isUrgent)',
      'if (chooseMerge(manifest, sizes, source.nowMs)?.cost === 0)',
    ],
  },
  'functions/engine/columns/merge-records.ts': {
    'merge-by-arrival': [
      'of several changes of an entity, the last one that was read decides its row',
      'version > merged.to',
      'version > 0',
    ],
    'row-before-by-arrival': [
      'of several changes of an entity, the last one that was read decides what its row was before',
      'version <= merged.from',
      'version > 0',
    ],
  },
  'functions/engine/columns/dynamodb-storage.ts': {
    'log-read-upwards': [
      'a list reads earlier records before later ones, and the manifest last',
      'isDescending: true } as const',
      'isDescending: false } as const',
    ],
    'log-not-read-consistently': [
      'a list can miss records that were committed before it',
      'ConsistentRead: true,',
      'ConsistentRead: false,',
    ],
  },
  'functions/engine/columns/compact/dynamodb-compaction-storage.ts': {
    'manifest-without-condition': [
      'of two compactions that take the same step, both write their manifest',
      'encodeManifest(manifest) }, condition);',
      'encodeManifest(manifest) }, condition && undefined);',
    ],
  },
  'functions/engine/columns/read/pending-changes.ts': {
    'changed-row-in-both-places': ['a changed row stays at its old place', 'add(id, before, -1);', ''],
  },
  'functions/engine/columns/format/patch.ts': {
    'patch-over-a-newer-column': [
      'the values of a patch replace those of a column that was written after it',
      "sequenceOf(step) > sequenceOf(columns[field] ?? '0')",
      "sequenceOf(step) >= sequenceOf(columns[field] ?? '0') * 0",
    ],
    'patch-in-one-item': [
      'the values of a field in a patch are one item, which can be larger than DynamoDB allows',
      'if (encoded.length <= maxBytes) return [encoded];',
      'if (encoded.length <= maxBytes * maxBytes) return [encoded];',
    ],
  },
  'functions/engine/columns/format/manifest.ts': {
    'names-used-again': [
      'two compactions that take the same step write the same items',
      "randomBytes(3).toString('hex')",
      "randomBytes(0).toString('hex')",
    ],
    'rows-behind-the-last-segment': [
      'new rows count as rows among the ids of the last segment, which is written again for them',
      "id > (manifest.segments.at(-1)?.last ?? '') ? manifest.segments.length",
      'id > `g${manifest.segments.at(-1)?.last}` ? manifest.segments.length',
    ],
    'new-field-lost': [
      'a segment that is written again loses the values of a field that is newer than the segment',
      'Object.keys({ ...columns, ...patched })',
      'Object.keys({ ...patched, ...columns }).filter((field) => field in columns)',
    ],
    'patch-named-like-a-segment': [
      'the ids of the segments of one step have the beginning of the names of patches',
      "const patchPrefix = 'patch:';",
      "const patchPrefix = 'patch-';",
    ],
  },
  'functions/engine/columns/compact/commit-step.ts': {
    'step-recorded-after-its-items': [
      'nothing deletes the items of a compaction that crashed',
      '  await recordStep(writer, manifest.version, newStepId(manifest.version), { beganAt: nowMs, names });\n  await writer.putItems(items);\n',
      '  await writer.putItems(items);\n  await recordStep(writer, manifest.version, newStepId(manifest.version), { beganAt: nowMs, names });\n',
    ],
    'lost-race-ignored': [
      'a compaction whose manifest was not written goes on as if it were',
      'if (!(await writer.replaceManifest(manifest))) return undefined;',
      'await writer.replaceManifest(manifest);',
    ],
  },
  'functions/engine/columns/compact/delete-garbage.ts': {
    'items-deleted-at-once': [
      'compaction deletes items that lists still read',
      'if (beganAt + garbageMs > nowMs || ',
      'if (beganAt - garbageMs > nowMs || ',
    ],
    'list-of-a-step-in-one-item': [
      'a rebuild of a large log fails at its end, because the list of what it replaces exceeds an item',
      'names.length); first += maxNames)',
      'names.length); first += maxNames + names.length)',
    ],
    'items-of-a-long-list-deleted-at-once': [
      'a step deletes all items of a long list, and never finishes in its time',
      'garbage.slice(0, maxNames)',
      'garbage.slice()',
    ],
    'live-items-deleted': [
      'compaction deletes items of old steps that the manifest refers to',
      'names.filter((one) => !isLive.has(one))',
      "names.filter((one) => isLive.has(one) || one !== '/')",
    ],
  },
  'functions/engine/columns/read/item-reader.ts': {
    'missing-item-is-empty': [
      'a list takes an item that was deleted for empty',
      'throw new StaleRead(`the item ${name} is gone`);',
      'this.#items.set(name, new Map() as unknown as DecodedItem);',
    ],
    'missing-item-not-read-again': [
      'a list starts again when a replica does not have an item yet',
      'if (missing.size > 0) await this.#read(missing, true);',
      '',
    ],
  },
  'functions/engine/columns/compact/read-input.ts': {
    'small-log-compacted': [
      'compaction writes columns for a few records',
      'changes >= sizes.minChanges',
      'changes >= Math.min(1, sizes.minChanges)',
    ],
    'records-without-bytes': [
      'a step absorbs changes however many bytes they have',
      ' || bytes > maxChangedBytes',
      '',
    ],
    'records-without-changes': [
      'a step absorbs records however many changes they have',
      'changes > maxChanges || ',
      '',
    ],
    'batches-that-wait': [
      'a few records with many changes wait, and each list reads them',
      'const changes = countChanges(records);',
      'const changes = Math.min(records.length, countChanges(records));',
    ],
  },
  'functions/engine/columns/compact/rewrite-columns.ts': {
    'column-outgrows-its-item': [
      'a column that is written again can be larger than DynamoDB allows',
      '> sizes.maxColumnBytes && segment.rows > 1',
      '> sizes.maxColumnBytes && segment.rows < 1',
    ],
    'words-outgrow-their-segment': [
      'a segment keeps all of its rows, however many words their texts get',
      'words = countWords(values)',
      'words = 0 * countWords(values)',
    ],
    'buckets-of-the-replaced-column': [
      'a column that is written again as one item is read as the buckets that it had before',
      '...without(segment.buckets, columns)',
      '...segment.buckets',
    ],
  },
  'functions/engine/columns/format/buckets.ts': {
    'texts-looked-up-in-each-bucket': [
      'a question for the children of many parents looks up each parent in each bucket',
      'if (group) group.push(text);',
      'for (const one of groups.values()) one.push(text);\n    if (group) continue;',
    ],
    'single-bucket': [
      'a column becomes one bucket, which is read as a whole column',
      'Math.max(2, Math.ceil(bytes / bucketBytes))',
      'Math.ceil(bytes / bucketBytes)',
    ],
    'bucket-over-newer-values': [
      'a filter by one id finds rows whose newer values are others',
      '=== 1 && !patch.has(row)',
      '=== 1',
    ],
  },
  'functions/engine/columns/read/row-filter.ts': {
    'bucket-for-absent-values': [
      'a list whose filter accepts absent values reads one bucket of a column, which does not have them',
      'return defaultValue !== null && texts.includes(defaultValue) ? undefined : texts;',
      'return texts;',
    ],
    'ids-searched-one-by-one': [
      'a filter with a hundred ids searches each text a hundred times',
      'ids.size <= fewIds',
      'ids.size <= 100 * fewIds',
    ],
    'part-of-an-id': [
      'a filter of an array accepts ids that have its value as a part',
      'condition.ids.filter(isUuid)',
      "condition.ids.filter((id) => id !== '')",
    ],
  },
  'functions/engine/columns/read/divide-by-sort-key.ts': {
    'direction-of-the-first-field': [
      'a field with another direction than the first one is sorted in ascending order',
      'isDescending ? divide(mirror(group)).map(mirror).reverse() : divide(group)',
      'isDescending ? divide(group) : divide(group)',
    ],
    'window-not-mirrored-back': [
      'the window of a group of a descending field is counted from the wrong end',
      'divide(mirror(group)).map(mirror).reverse()',
      'divide(mirror(group)).reverse()',
    ],
  },
  'functions/engine/lists/filters.ts': {
    'null-does-not-differ': [
      'rows with null do not match "ne" and "notIn"',
      'return { ...isOneOf, isNegated, acceptsNull };',
      'return { ...isOneOf, isNegated };',
    ],
  },
  'functions/engine/columns/read/list-rows.ts': {
    'counts-without-pending-changes': [
      'counts of values do not contain the changes since the last compaction',
      'for (const { row, count } of changes) totals.addRow(row, count);',
      'if (changes.length < 0) totals.addRow({}, 1);',
    ],
    'waiting-rows-without-values': [
      'a page shows rows that are in no segment yet without their fields',
      'row: shows && recent.after',
      'row: shows && {}',
    ],
    'waiting-rows-not-listed': [
      'lists lack the rows that wait',
      'mergeRecords(state.records, waiting)',
      'mergeRecords(state.records)',
    ],
  },
  'functions/engine/columns/read/id-ranges.ts': {
    'page-repeats-a-child': [
      'a page of children begins with the last child of the page before',
      'unionRanges([{ from: rangeOfId(id).to, to: allIds.to }])',
      'unionRanges([{ from: id, to: allIds.to }])',
    ],
    'ids-next-to-a-gap': [
      'the complement of a set of ids begins with the ids that it must not have',
      '    start = to;\n  }\n  if (start < allIds.to)',
      '    start = from;\n  }\n  if (start < allIds.to)',
    ],
  },
  'functions/engine/columns/format/ids.ts': {
    'rows-at-the-edge-of-a-range': [
      'the first row of a range of ids is left out',
      'idAt(ids, position) >= text',
      'idAt(ids, position) > text',
    ],
  },
  'functions/engine/columns/read/match-rows.ts': {
    'segment-partly-in-a-range': [
      'a segment that is partly in a set of ids is counted with all its rows',
      "return isWhole ? 'all' : 'part';",
      "return isWhole || range.from !== '' ? 'all' : 'part';",
    ],
  },
  'functions/engine/columns/read/count-values.ts': {
    'default-of-an-absent-value': [
      'counts have null for rows that are older than the field',
      'const known = value === undefined ? defaultValue : value;',
      'const known = value === undefined ? defaultValue && null : value;',
    ],
    'sums-in-one-part': [
      'sums lose the part of the numbers that exceeds the low one',
      'BigInt(sum) * BigInt(lowUnits)',
      'BigInt(sum) * 0n',
    ],
    'sums-without-pending-changes': [
      'sums add what a pending change removes',
      'BigInt(count * unitsOf(sum, row[sum.field]))',
      'BigInt(count * count * unitsOf(sum, row[sum.field]))',
    ],
    'sums-rounded-down': [
      'sums lose their decimals',
      'digits.slice(0, end)}.${digits.slice(end)}',
      'digits.slice(0, end)}.${digits.slice(end, end)}',
    ],
  },
  'functions/engine/model/scalar.ts': {
    'negative-numbers-not-inverted': [
      'negative numbers have the order of their amounts',
      '(isNegative ? 0xff : byte === 0 ? 0x80 : 0)',
      '(byte === 0 ? 0x80 : 0)',
    ],
  },
  'functions/engine/columns/read/search-texts.ts': {
    'final-sigma': [
      'the lower case of a text depends on what follows',
      "text.toLowerCase().replaceAll('ς', 'σ')",
      "text.toLowerCase().replaceAll('ς', 'ς')",
    ],
    'texts-without-time': [
      'texts are lower-cased after the time of the request is over',
      'if (position % textsPerCheck === 0) requireTime();',
      'if (position === 0) requireTime();',
    ],
  },
  'functions/engine/columns/read/sort-key.ts': {
    'texts-in-the-order-of-javascript': [
      'texts are sorted by their UTF-16 units, and not by their code points',
      "utf8.toString('latin1')",
      'utf8.toString()',
    ],
  },
  'functions/engine/columns/read/sort-key-counts.ts': {
    'few-rows-of-a-group-counted-twice': [
      'a value that several of a few rows have is listed several times',
      'if (distinct === 0 || positions[distinct - 1] !== position)',
      'if (distinct === 0 || positions[distinct - 1] !== -1)',
    ],
  },
  'functions/engine/columns/compact/write-patches.ts': {
    'patch-that-is-never-merged': [
      'a log gets one patch more with every step',
      'if (newer < maxShareOfPatch * values || ',
      'if (newer < maxShareOfPatch * values || values > 0 || ',
    ],
    'patches-without-values': [
      'a patch stays after all its values were written as columns',
      'isNewerThan(patch, segment, field)),',
      'isNewerThan(patch, segment, field)) || patch.values > 0,',
    ],
  },
  'functions/engine/lists/read-page-from-index.ts': {
    'range-that-is-not-dense': [
      'an index is read between the ends of a page whose filter leaves out what is between',
      "['eq', 'lt', 'lte', 'gt', 'gte'].includes(operator)",
      "operator !== 'in'",
    ],
  },
  'functions/engine/columns/compact/choose-step.ts': {
    'segments-that-are-not-filled': [
      'segments are merged only when one has room for all of them, so a log has up to twice as many',
      'rows > sizes.maxMergedRows || read',
      'rows > sizes.maxRows || read',
    ],
    'segments-before-records': [
      'records wait until the last segments are merged',
      'length > sizes.maxOpenSegments',
      'length > 0',
    ],
    'urgent-merge-that-waits': [
      'a merge that is urgent waits behind one that costs less',
      'urgent.length > 0 ? urgent : candidates',
      'candidates',
    ],
    'dearest-merge-first': [
      'of several merges, the one that writes most rows for each that is better placed comes first',
      'one.cost - other.cost',
      'other.cost - one.cost',
    ],
    'full-by-rows-only': [
      'a segment whose column fills an item is merged with others',
      '|| keptBytes(segment) >= fullShareOfBytes * maxColumnBytes',
      '|| keptBytes(segment) < 0',
    ],
    'merge-beyond-an-item': [
      'segments are merged whose columns do not fit one item together',
      'bytes <= mergedShareOfBytes * maxColumnBytes',
      'bytes <= mergedShareOfBytes * maxColumnBytes * maxColumnBytes',
    ],
    'waiting-rows-at-once': [
      'a segment is written again for each row that waits among its ids',
      'isUrgent ? 0 : sizes.minShareOfWaiting;',
      'isUrgent ? 0 : sizes.minShareOfWaiting / 100;',
    ],
    'waiting-rows-without-limit': [
      'any number of rows wait, at which each list looks',
      'sumOf(segments, waitingOf) > sizes.maxWaitingRows',
      'sumOf(segments, waitingOf) > 1_000 * sizes.maxWaitingRows',
    ],
  },
  'functions/engine/columns/compact/merge-segments.ts': {
    'merged-rows-still-wait': [
      'rows that a merge has written still wait',
      'for (const { id } of inserted) waiting.delete(id);',
      'inserted.length = 0;',
    ],
    'segment-divided-at-once': [
      'a full segment is divided by the first rows that it gets',
      'const maxGrownShare = 9 / 8;',
      'const maxGrownShare = 1;',
    ],
  },
  'functions/engine/columns/compact/step-share.ts': {
    'step-never-smaller': [
      'a step that does not finish is tried again as it is',
      'Math.max(minShare, knownShare(memory) / 2)',
      'Math.max(minShare, knownShare(memory))',
    ],
    'step-smaller-for-ever': [
      'after a step that did not finish, all later steps are small',
      'Math.min(1, 2 * knownShare(memory))',
      'Math.min(1, 1 * knownShare(memory))',
    ],
    'step-without-time': [
      'a step with little time is as large as the others',
      'Math.min(1, remainingMs / fullStepMs)',
      'Math.min(1, remainingMs + fullStepMs)',
    ],
  },
  'functions/engine/columns/compact/new-segments.ts': {
    'divided-by-halves': [
      'columns that outgrow their item are encoded again for each halving',
      'counts.length > 1 ? counts : [half, block.ids.length - half]',
      'counts.length < 1 ? counts : [half, block.ids.length - half]',
    ],
    'segment-of-any-words': [
      'one call indexes the words of all long texts of a step, for half a minute',
      'words > sizes.maxWords)',
      'words > words * sizes.maxWords)',
    ],
    'words-that-fill-no-segment': [
      'segments with many words are merged, and divided again',
      '(words / maxWords) * maxColumnBytes',
      '0 * (words / maxWords) * maxColumnBytes',
    ],
  },
  'functions/engine/columns/read/read-all-rows.ts': {
    'waiting-rows-not-audited': [
      'the audit does not look at the rows that wait',
      'mergeRecords(records, await new ColumnReader(manifest, reader, memory).readWaiting(false))',
      'mergeRecords(records)',
    ],
  },
  'functions/engine/columns/read/place.ts': {
    'place-without-equal-rows': [
      'a page behind a cursor skips no rows that are equal to its last one in all fields',
      'return [...parts, { ...whole, filters: [...filters, ...equal], ids: idsUpTo(query, id) }];',
      'return [...parts, { ...whole, filters: [...filters, ...equal], ids: idsUpTo(query, id) }].slice(0, -1);',
    ],
  },
});
