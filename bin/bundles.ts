/**
 * `npm run bundles`: bundles all functions as they ship, shows how large they are, and what breaks the budget.
 * `-- --record` makes what is so now the measure of what comes.
 */
import { parseArgs } from 'node:util';
import { bundleFunctions } from '../lib/infrastructure/bundle.ts';
import {
  budgetComplaints,
  bundlesOf,
  recordedSizes,
  recordSizes,
} from '../lib/infrastructure/bundle-budget.ts';

const { values } = parseArgs({ options: { record: { type: 'boolean', default: false } } });
const { metafile } = await bundleFunctions('dist/functions');
if (values.record) recordSizes(metafile);
for (const { file, bytes } of bundlesOf(metafile).sort((one, other) => one.bytes - other.bytes)) {
  console.log(bytes.toLocaleString('en').padStart(9), file);
}
const complaints = budgetComplaints(metafile, recordedSizes());
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length > 0 ? 1 : 0;
