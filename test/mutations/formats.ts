import { toMutations } from './mutation.ts';

/** Mutations of the rule that an unknown format or field is an error. */
export const formatMutations = toMutations({
  'functions/engine/model/stored-format.ts': {
    'any-format-is-read': ['.includes(format);', '.includes(format) || format !== undefined;'],
    'unknown-fields-ignored': ['!commonAttributes.has(name))', "!commonAttributes.has(name) && name === '')"],
  },
  'functions/engine/due-work/continue-job.ts': {
    'unknown-work-continued': [
      '  if (item) requireReadableJob(item, fieldsOf);\n',
      "  if (item?.pk === '') requireReadableJob(item, fieldsOf);\n",
    ],
  },
  'functions/engine/model/value-codec.ts': {
    'unknown-word-is-no-value': ['const word = words()[number];', "const word = words()[number] ?? 'none';"],
  },
  'functions/schema.ts': {
    'words-in-another-order': ["...['active', 'archived',", "...['archived', 'active',"],
  },
  'functions/engine/model/record-codec.ts': {
    'unknown-field-is-a-name': ['if (field > otherField)', 'if (field > 1_000 * otherField)'],
  },
  'functions/engine/model/item-codec.ts': {
    'attribute-that-no-row-holds': ['if (!isFieldValue(value))', "if (name === '' && !isFieldValue(value))"],
  },
  'functions/engine/columns/compact/rebuild.ts': {
    'no-way-out-of-a-manifest': [
      'if (!(error instanceof UnknownFormat)) throw error;',
      'if (error) throw error;',
    ],
  },
  'functions/engine/columns/dynamodb-storage.ts': {
    'unreadable-manifest-is-absent': [
      'manifest: manifest && decodeManifest(manifest),',
      "manifest: manifest?.['format'] === 5 ? decodeManifest(manifest) : undefined,",
    ],
  },
  'functions/engine/due-work/read-jobs.ts': {
    'unreadable-reminder-stops-all': [
      'if (!(error instanceof UnknownFormat)) throw error;',
      "if (!(error instanceof UnknownFormat) || error.message !== '') throw error;",
    ],
  },
});
