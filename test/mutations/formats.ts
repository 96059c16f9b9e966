import { toMutations } from './mutation.ts';

/** Mutations of the rule that an unknown format or field is an error. */
export const formatMutations = toMutations({
  'functions/engine/model/stored-format.ts': {
    'any-format-is-read': [
      'an item is read whatever its format is',
      '.includes(format);',
      '.includes(format) || format !== undefined;',
    ],
    'unknown-fields-ignored': [
      'fields of an item that this release does not know are lost when it is written again',
      '!commonAttributes.has(name))',
      "!commonAttributes.has(name) && name === '')",
    ],
  },
  'functions/engine/due-work/continue-job.ts': {
    'unknown-work-continued': [
      'a worker takes a job of a type that it does not know',
      '  if (item) requireReadableJob(item, fieldsOf);\n',
      "  if (item?.pk === '') requireReadableJob(item, fieldsOf);\n",
    ],
  },
  'functions/engine/model/value-codec.ts': {
    'unknown-word-is-no-value': [
      'a word of a record that this release does not know becomes an absent value',
      'const word = words()[number];',
      "const word = words()[number] ?? 'none';",
    ],
  },
  'functions/schema.ts': {
    'words-in-another-order': [
      'words of stored records become others, because their numbers have changed',
      "...['active', 'archived',",
      "...['archived', 'active',",
    ],
  },
  'functions/engine/model/record-codec.ts': {
    'unknown-field-is-a-name': [
      'the number of a field that this release does not know is taken for a field with a name',
      'if (field > otherField)',
      'if (field > 1_000 * otherField)',
    ],
  },
  'functions/engine/model/item-codec.ts': {
    'attribute-that-no-row-holds': [
      'an attribute that can be no field is kept in the entity, and is missing in its row',
      'if (!isFieldValue(value))',
      "if (name === '' && !isFieldValue(value))",
    ],
  },
  'functions/engine/columns/compact/rebuild.ts': {
    'no-way-out-of-a-manifest': [
      'a rebuild needs the manifest that it replaces',
      'if (!(error instanceof UnknownFormat)) throw error;',
      'if (error) throw error;',
    ],
  },
  'functions/engine/columns/dynamodb-storage.ts': {
    'unreadable-manifest-is-absent': [
      'compaction starts again without older rows when another release has written the manifest',
      'manifest: manifest && decodeManifest(manifest),',
      "manifest: manifest?.['format'] === 5 ? decodeManifest(manifest) : undefined,",
    ],
  },
  'functions/engine/due-work/read-jobs.ts': {
    'unreadable-reminder-stops-all': [
      'the schedule handles nothing when a reminder is in a format of another release',
      'if (!(error instanceof UnknownFormat)) throw error;',
      "if (!(error instanceof UnknownFormat) || error.message !== '') throw error;",
    ],
  },
});
