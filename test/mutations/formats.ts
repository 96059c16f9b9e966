import type { Mutation } from './mutation.ts';

const model = 'functions/store/model';
const engine = 'functions/store/lists/engine';
const ofItems = `test/unit/${model}.test.ts`;

/** Mutations of the rules that keep a release from reading what another one has stored in a way of its own. */
export const formatMutations: readonly Mutation[] = [
  {
    name: 'any-format-is-read',
    description: 'an item is read whatever its format is',
    file: `${model}/stored-format.ts`,
    search: '.includes(format);',
    replacement: '.includes(format) || format !== undefined;',
    detectedBy: [ofItems],
    testNamePattern: '^stored-format ',
  },
  {
    name: 'unknown-fields-ignored',
    description: 'fields of an item that this release does not know are lost when it is written again',
    file: `${model}/stored-format.ts`,
    search: '!commonAttributes.has(name))',
    replacement: "!commonAttributes.has(name) && name === '')",
    detectedBy: [ofItems],
    testNamePattern: '^stored-format ',
  },
  {
    name: 'unknown-work-continued',
    description: 'a worker takes a job of a type that it does not know',
    file: 'functions/store/cascades/continue-job.ts',
    search: '  if (item) requireReadableJob(item);\n',
    replacement: "  if (item?.pk === '') requireReadableJob(item);\n",
    detectedBy: ['test/simulation/scenarios/jobs.test.ts'],
    testNamePattern: 'a job of another release',
  },
  {
    name: 'unknown-word-is-no-value',
    description: 'a word of a record that this release does not know becomes an absent value',
    file: `${model}/value-codec.ts`,
    search: 'const word = words[number];',
    replacement: "const word = words[number] ?? 'none';",
    detectedBy: [`test/unit/${model}.test.ts`],
    testNamePattern: '^record-codec ',
  },
  {
    name: 'unknown-field-is-a-name',
    description: 'the number of a field that this release does not know is taken for a field with a name',
    file: `${model}/record-codec.ts`,
    search: 'if (field > otherField)',
    replacement: 'if (field > 1_000 * otherField)',
    detectedBy: [`test/unit/${model}.test.ts`],
    testNamePattern: '^record-codec ',
  },
  {
    name: 'attribute-that-no-row-holds',
    description: 'an attribute that can be no field is kept in the entity, and is missing in its row',
    file: `${model}/item-codec.ts`,
    search: 'if (!isFieldValue(value))',
    replacement: "if (name === '' && !isFieldValue(value))",
    detectedBy: [`test/unit/${model}.test.ts`],
    testNamePattern: '^item-codec ',
  },
  {
    name: 'no-way-out-of-a-manifest',
    description: 'a rebuild needs the manifest that it replaces',
    file: `${engine}/compaction/rebuild.ts`,
    search: 'if (!(error instanceof UnknownFormat)) throw error;',
    replacement: 'if (error) throw error;',
    detectedBy: ['test/unit/lib/audit.test.ts'],
    testNamePattern: 'format',
  },
  {
    name: 'unreadable-manifest-is-absent',
    description: 'compaction begins anew where another release has written the manifest, without older rows',
    file: `${engine}/dynamodb-storage.ts`,
    search: 'manifest: manifest && decodeManifest(manifest),',
    replacement: "manifest: manifest?.['format'] === 5 ? decodeManifest(manifest) : undefined,",
    detectedBy: ['test/unit/lib/audit.test.ts'],
    testNamePattern: 'format',
  },
  {
    name: 'unreadable-reminder-stops-all',
    description: 'the schedule handles nothing when a reminder is in a format of another release',
    file: 'functions/store/cascades/read-jobs.ts',
    search: 'if (!(error instanceof UnknownFormat)) throw error;',
    replacement: "if (!(error instanceof UnknownFormat) || error.message !== '') throw error;",
    detectedBy: ['test/simulation/scenarios/jobs.test.ts'],
    testNamePattern: 'a reminder of another release',
  },
  {
    name: 'words-in-another-order',
    description: 'a number of a record gets another meaning, and its format keeps its number',
    file: `${model}/value-codec.ts`,
    search: "  'active',\n  'archived',",
    replacement: "  'archived',\n  'active',",
    detectedBy: ['test/unit/lib/release.test.ts'],
  },
];
