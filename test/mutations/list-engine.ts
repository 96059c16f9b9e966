import { toMutations } from './mutation.ts';

/** Mutations of the rules of the list engine. docs/list-engine.md gives the reasons of the rules. */
export const listEngineMutations = toMutations({
  'functions/engine/columns/format/column.ts': {
    'patch-of-a-row-elsewhere': ['assert(row < ordinals.length,', 'assert(row >= 0,'],
  },
  'functions/engine/columns/compact/assert-manifest.ts': {
    'manifest-of-any-version': ['version === before.version + 1', 'version !== before.version'],
    'watermark-goes-back': ['watermark >= before.watermark', 'watermark >= 0'],
    'segments-in-any-order': ['end < first && first <= last', 'first <= last'],
    'segment-without-rows': ['rows > 0 && end', 'rows >= 0 && end'],
    'waiting-rows-in-excess': ['among <= sumOf(', 'among >= -sumOf('],
    'item-that-nobody-wrote': ['assert(known.has(name),', 'assert(known.size >= 0,'],
  },
  'functions/engine/model/ids.ts': {
    'ids-of-a-millisecond-in-any-order': ['seq: last.seq + 1', 'seq: randomInteger(0, maxFirstSequence)'],
  },
  'functions/engine/model/deflate.ts': {
    'deflated-and-never-inflated-again': ['isTooLarge ? { level: 0 } : {}', 'isTooLarge ? {} : {}'],
  },
  'functions/engine/columns/read/read-state.ts': {
    'unnamed-items-stay': ['if (known.version !== version) memory.keepItems(namesItem(manifest));', ''],
    'prefix-beyond-a-gap': [
      'const end = endOf(read);',
      'const end = Math.max(endOf(read), read.at(-1)?.position ?? 0);',
    ],
    'gap-in-the-log': [
      'if (previousPosition > watermark && ',
      'if (previousPosition > watermark + previousPosition && ',
    ],
    'records-of-the-known-watermark': ['position > watermark);', 'position > 0 * watermark);'],
    'bytes-of-records-not-of-entries': ['entryBytes * entries.length', 'entryBytes'],
  },
  'lib/audit/snapshot.ts': {
    'audit-without-words': ['isCut(row) ?', 'isCut(row) || row[wordsField] !== undefined ?'],
  },
  'lib/audit/audit-table.ts': {
    'audit-against-a-restore': [
      'if (work.type === restoreType) restored',
      'if (work.type === sweepType) restored',
    ],
    'entities-repaired-before-logs': [
      '    const blocked = await this.#rebuild(logs);',
      '    await this.#sweep((found.orphans as Reference[]).splice(0));\n    const blocked = await this.#rebuild(logs);',
    ],
    'entities-of-unreadable-records-repaired': [
      '!blockedTenants.has(tenantOf({ pk }))',
      '!blockedTenants.has(pk)',
    ],
  },
  'functions/engine/columns/compact/rebuild.ts': {
    'rebuild-leaves-the-last-hole': ['Math.max(watermark, count,', 'Math.max(watermark, 0 * count,'],
    'rebuild-with-later-changes': [
      'if (!change) return row ?? [];',
      'if (!change || found.has(id)) return row ?? [];',
    ],
    'rebuild-without-changes-meanwhile': [
      'const rows = rowsAt(ids, found, await readChanges());',
      'const rows = rowsAt(ids, found, new Map());',
    ],
    'rebuild-with-words-of-now': [
      'toValues({ ...others, ...before })',
      "{ ...others, ...before, [wordsField]: row?.values[wordsField] ?? '' }",
    ],
    'rebuild-that-is-lost': ['if (!isReplaced) return rebuild(source);', 'void isReplaced;'],
    'rebuild-within-one-deadline': [
      'requireTime: () => undefined }',
      'requireTime: () => open().requireTime() }',
    ],
    'rebuild-deleted-meanwhile': ['const beganAt = now() + maxRebuildMs;', 'const beganAt = now();'],
  },
  'functions/engine/columns/read/shown-rows.ts': {
    'columns-at-any-price': [
      'if (!isCheap && cost > left) continue;',
      'if (!isCheap && cost > left + cost) continue;',
    ],
    'buckets-cost-nothing': [
      '(others * halfUnits) / 2 + buckets / 3;',
      '(others * halfUnits) / 2 + 0 * buckets;',
    ],
    'columns-never-earned': ['const spent = keyReads(memory);', 'const spent = 0 * keyReads(memory);'],
    'columns-of-all-fields': ['shows.has(field))', 'shows.size > 0)'],
  },
  'functions/engine/lists/read-page.ts': {
    'total-with-deleted-ones': [
      'const left = total - (rows.length - stored.length);',
      'const left = total - 0 * (rows.length - stored.length);',
    ],
    'deleted-entity-of-a-replica': [
      'const isFound = stored && stored.version >= version &&',
      'const isFound = stored &&',
    ],
    'entity-from-a-replica': ['>= version));', '>= version) && version < 0);'],
    'index-read-in-each-attempt': [
      'attempt === 1 ? options : { ...options, pageIndex: undefined }',
      'options',
    ],
  },
  'functions/engine/lists/read-referenced.ts': {
    'references-of-an-unknown-log-from-columns': [
      'keyReads(memory) < maxKeyReads)',
      'keyReads(memory) < 0 * maxKeyReads)',
    ],
  },
  'functions/engine/columns/compact/absorb.ts': {
    'each-new-row-a-segment': ['last.length < sizes.minSegmentRows', 'last.length < 1'],
    'new-rows-wait-for-ever': [
      'last.length < sizes.minSegmentRows',
      'last.length < 1_000 * sizes.minSegmentRows',
    ],
    'deleted-rows-that-wait': ['...[...gone].map(', "...[...gone].filter((id) => id === '').map("],
  },
  'functions/engine/columns/compact/compact.ts': {
    'records-before-an-urgent-merge': [
      'if (chooseMerge(manifest, sizes, source.nowMs)?.isUrgent)',
      'if (chooseMerge(manifest, sizes, source.nowMs)?.cost === 0)',
    ],
  },
  'functions/engine/columns/merge-records.ts': {
    'merge-by-arrival': ['version > merged.to', 'version > 0'],
    'row-before-by-arrival': ['version <= merged.from', 'version > 0'],
  },
  'functions/engine/columns/dynamodb-storage.ts': {
    'log-read-upwards': ['ScanIndexForward: false', 'ScanIndexForward: true'],
    'log-not-read-consistently': ['ConsistentRead: true,', 'ConsistentRead: false,'],
  },
  'functions/engine/columns/compact/dynamodb-compaction-storage.ts': {
    'manifest-without-condition': [
      'encodeManifest(manifest) }, condition)',
      'encodeManifest(manifest) }, condition && undefined)',
    ],
  },
  'functions/engine/columns/read/pending-changes.ts': {
    'changed-row-in-both-places': ['add(id, before, -1);', ''],
  },
  'functions/engine/columns/format/patch.ts': {
    'patch-over-a-newer-column': [
      "sequenceOf(step) > sequenceOf(columns[field] ?? '0')",
      "sequenceOf(step) >= sequenceOf(columns[field] ?? '0') * 0",
    ],
    'patch-in-one-item': [
      'if (encoded.length <= maxBytes) return [encoded];',
      'if (encoded.length <= maxBytes * maxBytes) return [encoded];',
    ],
  },
  'functions/engine/columns/format/manifest.ts': {
    'names-used-again': ["randomBytes(3).toString('hex')", "randomBytes(0).toString('hex')"],
    'rows-behind-the-last-segment': [
      "id > (manifest.segments.at(-1)?.last ?? '') ? manifest.segments.length",
      'id > `g${manifest.segments.at(-1)?.last}` ? manifest.segments.length',
    ],
    'new-field-lost': [
      'Object.keys({ ...columns, ...patched })',
      'Object.keys({ ...patched, ...columns }).filter((field) => field in columns)',
    ],
    'positions-of-another-step': [
      'columns[positionsField(field)] === columns[field];',
      'columns[positionsField(field)] !== columns.id;',
    ],
    'most-buckets-by-their-keys': ['const shareOfQuery = 2 / 3;', 'const shareOfQuery = 1;'],
    'derived-of-named-columns-forgotten': ['[name, column, `${bucketPrefix(column)}0`]', '[name, column]'],
    'patch-named-like-a-segment': ["const patchPrefix = 'patch:';", "const patchPrefix = 'patch-';"],
  },
  'functions/engine/columns/compact/commit-step.ts': {
    'step-recorded-after-its-items': [
      '  await recordStep(writer, manifest.version, newStepId(manifest.version), { beganAt: nowMs, names });\n  await writer.putItems(items);\n',
      '  await writer.putItems(items);\n  await recordStep(writer, manifest.version, newStepId(manifest.version), { beganAt: nowMs, names });\n',
    ],
    'lost-race-ignored': [
      'if (!(await writer.replaceManifest(manifest))) return undefined;',
      'await writer.replaceManifest(manifest);',
    ],
  },
  'functions/engine/columns/compact/delete-garbage.ts': {
    'items-deleted-at-once': ['if (beganAt + garbageMs > nowMs || ', 'if (beganAt - garbageMs > nowMs || '],
    'list-of-a-step-in-one-item': [
      'names.length); first += maxNames)',
      'names.length); first += maxNames + names.length)',
    ],
    'items-of-a-long-list-deleted-at-once': ['names.slice(first, first + maxNames)', 'names.slice(first)'],
    'live-items-deleted': [
      'names.filter((one) => !live.has(one))',
      "names.filter((one) => live.has(one) || one !== '/')",
    ],
  },
  'functions/engine/columns/read/item-reader.ts': {
    'derived-from-other-patches': [
      "const isCurrent = known && (patchesOf.get(known) ?? '') === patches;",
      'const isCurrent = known !== undefined;',
    ],
    'missing-item-is-empty': [
      'throw new StaleRead(`the item ${name} is gone`);',
      'this.#items.set(name, new Map() as unknown as DecodedItem);',
    ],
    'missing-item-not-read-again': ['if (missing.size > 0) await this.#read(missing, true);', ''],
  },
  'functions/engine/columns/compact/read-input.ts': {
    'small-log-compacted': ['changes >= sizes.minChanges', 'changes >= Math.min(1, sizes.minChanges)'],
    'records-without-bytes': [' || bytes > maxChangedBytes', ''],
    'records-without-changes': ['changes > maxChanges || ', ''],
    'batches-that-wait': [
      'const changes = countChanges(records);',
      'const changes = Math.min(records.length, countChanges(records));',
    ],
  },
  'functions/engine/columns/compact/rewrite-columns.ts': {
    'column-outgrows-its-item': [
      '> sizes.maxColumnBytes && segment.rows > 1',
      '> sizes.maxColumnBytes && segment.rows < 1',
    ],
    'words-outgrow-their-segment': ['words = countWords(values)', 'words = 0 * countWords(values)'],
    'buckets-of-the-replaced-column': ['...without(segment.buckets, columns)', '...segment.buckets'],
  },
  'functions/engine/columns/format/buckets.ts': {
    'texts-looked-up-in-each-bucket': [
      'groupBy(texts, (text) => bucketOf(text, buckets));',
      'new Map(Array.from({ length: buckets }, (_, bucket) => [bucket, [...texts]]));',
    ],
    'bucket-over-newer-values': ['=== 1 && !patch.has(row)', '=== 1'],
    'row-for-each-of-its-ids': ['.filter((row, at, all) => row !== all[at - 1])', ''],
    'rows-in-one-byte': [
      'row <= maxTwoBytes ? Uint16Array.from(rows)',
      'row <= maxTwoBytes ? Uint8Array.from(rows)',
    ],
  },
  'functions/engine/columns/format/lists.ts': {
    'lists-in-the-order-of-buckets': [
      'list[positions[number]?.[at] as number] = known[ordinal];',
      'list.push(known[ordinal]);',
    ],
    'single-ids-as-lists': ["value === '' || value?.includes(',')", 'value !== undefined'],
    'lists-of-any-texts': [' && ids.every(isId)', ''],
    'position-in-more-than-a-byte': ['ids.length <= maxIds && ', ''],
    'empty-lists-are-null': ["[undefined, null, ''].map(", '[undefined, null, null].map('],
    'replaced-lists-counted': ['for (const [row] of newer) wanted[row] = 0;', ''],
    'unwanted-rows-counted': ['count += wanted[row] as number;', 'count += 1;'],
    'newer-lists-not-counted': [
      '[...patch].filter(([row]) => wanted[row] === 1)',
      '[...patch].filter(([row]) => wanted[row] === 2)',
    ],
  },
  'functions/engine/columns/format/encode-field.ts': {
    'small-lists-in-buckets': [' || whole <= bucketBytes', ''],
    'one-large-bucket': ['Math.ceil(whole / bucketBytes)', '2 + 0 * whole'],
  },
  'functions/engine/columns/read/column-reader.ts': {
    'derived-of-all-patches-kept': ['name: patches ? `${column}+` : column,', 'name: column + patches,'],
    'any-id-is-none': ['Uint8Array.of(1 - isAccepted, isAccepted)', 'Uint8Array.of(0, 1)'],
    'lists-before-their-change': [
      'return newer ? newer.get(range.from + position) : value;',
      'return value;',
    ],
    'texts-counted-as-lists': [
      'if (isArray && isOfLists(segment, field)) {',
      'if (isOfLists(segment, field)) {',
    ],
    'lists-without-positions': ['? [field, positionsField(field)] : [field]', '? [field] : [field]'],
  },
  'functions/engine/columns/lru-map.ts': {
    'list-displaces-itself': ['if (reader > 0 && oldest?.reader === reader) return;', ''],
    'list-keeps-what-others-read': ['    entry.reader = reader;\n', ''],
  },
  'functions/engine/columns/process-memory.ts': {
    'log-forgotten-beside-columns': ['isItem(name) ? reader : undefined', 'reader'],
    'one-reader-for-all-lists': ['this.#readers += 1;', 'this.#readers = 1;'],
    'items-of-other-logs-forgotten': ['name.startsWith(prefix) && ', ''],
    'forgotten-items-take-room': ['this.#bytes -= entries.deleteAll(isOld);', 'entries.deleteAll(isOld);'],
  },
  'functions/engine/columns/read/row-filter.ts': {
    'bucket-for-absent-values': [
      'return defaultValue !== null && texts?.includes(defaultValue) ? undefined : texts;',
      'return texts;',
    ],
    'ids-searched-one-by-one': [
      "text.split(',').some((id) => ids.has(id))",
      "[...ids].some((id) => text.split(',').includes(id))",
    ],
    'part-of-an-id': [
      "text.split(',').some((id) => ids.has(id))",
      '[...ids].some((id) => text.includes(id))',
    ],
    'empty-id-in-empty-lists': ['new Set(condition.ids.filter(Boolean))', 'new Set(condition.ids)'],
    'placeholder-as-an-id': ['(condition.ids ?? []).filter(isId)', '(condition.ids ?? [])'],
    'rows-without-ids-not-read': ['...placeholdersOf(valuePredicate(filter))', ''],
    'rows-with-ids-are-the-others': [
      'return textsOfLists({ ...filter, isNegated: true, acceptsNull: !filter.acceptsNull });',
      'return textsOfLists({ ...filter, isNegated: true, acceptsNull: false });',
    ],
    'null-is-not-among-any-ids': [
      'isNegated: true, acceptsNull: !filter.acceptsNull });',
      'isNegated: true, acceptsNull: true });',
    ],
    'single-ids-read-whole': [
      "const ids = condition.by === 'anyId' ? condition.ids : undefined;",
      'const ids = undefined;',
    ],
  },
  'functions/engine/columns/read/divide-by-sort-key.ts': {
    'direction-of-the-first-field': [
      'isDescending ? divide(mirror(group)).map(mirror).reverse() : divide(group)',
      'isDescending ? divide(group) : divide(group)',
    ],
    'window-not-mirrored-back': [
      'divide(mirror(group)).map(mirror).reverse()',
      'divide(mirror(group)).reverse()',
    ],
  },
  'functions/engine/lists/filters.ts': {
    'null-does-not-differ': [
      'return { ...isOneOf, isNegated, acceptsNull };',
      'return { ...isOneOf, isNegated };',
    ],
  },
  'functions/engine/columns/read/list-rows.ts': {
    'counts-without-pending-changes': [
      'for (const { row, count } of changes) totals.addRow(row, count);',
      'if (changes.length < 0) totals.addRow({}, 1);',
    ],
    'waiting-rows-without-values': ['row: shows && recent.after', 'row: shows && {}'],
    'waiting-rows-not-listed': ['mergeRecords(state.records, waiting)', 'mergeRecords(state.records)'],
  },
  'functions/engine/columns/read/id-ranges.ts': {
    'page-repeats-a-child': [
      'unionRanges([{ from: rangeOfId(id).to, to: allIds.to }])',
      'unionRanges([{ from: id, to: allIds.to }])',
    ],
    'ids-next-to-a-gap': [
      '    start = to;\n  }\n  if (start < allIds.to)',
      '    start = from;\n  }\n  if (start < allIds.to)',
    ],
  },
  'functions/engine/columns/format/ids.ts': {
    'rows-at-the-edge-of-a-range': ['idAt(ids, position) >= text', 'idAt(ids, position) > text'],
  },
  'functions/engine/columns/read/match-rows.ts': {
    'segment-partly-in-a-range': [
      "return isWhole ? 'all' : 'part';",
      "return isWhole || range.from !== '' ? 'all' : 'part';",
    ],
  },
  'functions/engine/columns/read/count-values.ts': {
    'default-of-an-absent-value': [
      'const known = value === undefined ? defaultValue : value;',
      'const known = value === undefined ? defaultValue && null : value;',
    ],
    'sums-in-one-part': ['BigInt(sum) * BigInt(lowUnits)', 'BigInt(sum) * 0n'],
    'sums-without-pending-changes': [
      'BigInt(count * unitsOf(sum, row[sum.field]))',
      'BigInt(count * count * unitsOf(sum, row[sum.field]))',
    ],
    'sums-rounded-down': [
      'digits.slice(0, end)}.${digits.slice(end)}',
      'digits.slice(0, end)}.${digits.slice(end, end)}',
    ],
  },
  'functions/engine/model/row.ts': {
    'negative-numbers-not-inverted': [
      '(isNegative ? 0xff : byte === 0 ? 0x80 : 0)',
      '(byte === 0 ? 0x80 : 0)',
    ],
  },
  'functions/engine/columns/read/search-texts.ts': {
    'final-sigma': ["text.toLowerCase().replaceAll('ς', 'σ')", "text.toLowerCase().replaceAll('ς', 'ς')"],
    'texts-without-time': [
      'if (position % textsPerCheck === 0) requireTime();',
      'if (position === 0) requireTime();',
    ],
  },
  'functions/engine/columns/read/sort-key.ts': {
    'texts-in-the-order-of-javascript': ["utf8.toString('latin1')", 'utf8.toString()'],
  },
  'functions/engine/columns/read/sort-key-counts.ts': {
    'few-rows-of-a-group-counted-twice': [
      'if (distinct === 0 || positions[distinct - 1] !== position)',
      'if (distinct === 0 || positions[distinct - 1] !== -1)',
    ],
  },
  'functions/engine/columns/compact/write-patches.ts': {
    'patch-that-is-never-merged': [
      'if (newer < maxShareOfPatch * values || ',
      'if (newer < maxShareOfPatch * values || values > 0 || ',
    ],
    'patches-without-values': [
      'isNewerThan(patch, segment, field)),',
      'isNewerThan(patch, segment, field)) || patch.values > 0,',
    ],
  },
  'functions/engine/lists/read-page-from-index.ts': {
    'range-that-is-not-dense': ["['eq', 'lt', 'lte', 'gt', 'gte'].includes(operator)", "operator !== 'in'"],
  },
  'functions/engine/columns/compact/choose-step.ts': {
    'old-segments-stay-divided': ['segment.hasLists ? ', 'segment.rows > 0 ? '],
    'segments-that-are-not-filled': ['rows > sizes.maxMergedRows || read', 'rows > sizes.maxRows || read'],
    'segments-before-records': ['length > sizes.maxOpenSegments', 'length > 0'],
    'urgent-merge-that-waits': ['urgent.length > 0 ? urgent : candidates', 'candidates'],
    'dearest-merge-first': ['one.cost - other.cost', 'other.cost - one.cost'],
    'full-by-rows-only': [
      '|| keptBytes(segment) >= fullShareOfBytes * maxColumnBytes',
      '|| keptBytes(segment) < 0',
    ],
    'merge-beyond-an-item': [
      'bytes > mergedShareOfBytes * sizes.maxColumnBytes',
      'bytes > mergedShareOfBytes * sizes.maxColumnBytes * sizes.maxColumnBytes',
    ],
    'waiting-rows-at-once': [
      'isUrgent ? 0 : sizes.minShareOfWaiting;',
      'isUrgent ? 0 : sizes.minShareOfWaiting / 100;',
    ],
    'waiting-rows-without-limit': [
      'sumOf(segments, waitingOf) > sizes.maxWaitingRows',
      'sumOf(segments, waitingOf) > 1_000 * sizes.maxWaitingRows',
    ],
  },
  'functions/engine/columns/compact/merge-segments.ts': {
    'merged-rows-still-wait': ['for (const { id } of inserted) waiting.delete(id);', 'inserted.length = 0;'],
    'segment-divided-at-once': ['const maxGrownShare = 9 / 8;', 'const maxGrownShare = 1;'],
  },
  'functions/engine/columns/compact/step-share.ts': {
    'step-never-smaller': [
      'Math.max(minShare, knownShare(memory) / 2)',
      'Math.max(minShare, knownShare(memory))',
    ],
    'step-smaller-for-ever': ['Math.min(1, 2 * knownShare(memory))', 'Math.min(1, 1 * knownShare(memory))'],
    'step-without-time': ['Math.min(1, remainingMs / fullStepMs)', 'Math.min(1, remainingMs + fullStepMs)'],
  },
  'functions/engine/columns/compact/new-segments.ts': {
    'divided-by-halves': [
      'counts.length > 1 ? counts : [half, block.ids.length - half]',
      'counts.length < 1 ? counts : [half, block.ids.length - half]',
    ],
    'segment-of-any-words': ['words > sizes.maxWords)', 'words > words * sizes.maxWords)'],
    'words-that-fill-no-segment': [
      '(words / maxWords) * maxColumnBytes',
      '0 * (words / maxWords) * maxColumnBytes',
    ],
  },
  'functions/engine/columns/read/read-all-rows.ts': {
    'waiting-rows-not-audited': [
      'mergeRecords(records, await new ColumnReader(manifest, reader, memory).readWaiting(false))',
      'mergeRecords(records)',
    ],
  },
  'functions/engine/columns/read/place.ts': {
    'place-without-equal-rows': [
      'return [...parts, { ...whole, filters: [...filters, ...equal], ids: idsUpTo(query, id) }];',
      'return [...parts, { ...whole, filters: [...filters, ...equal], ids: idsUpTo(query, id) }].slice(0, -1);',
    ],
  },
});
