import { isClean, isLimited, type Report, reportLines } from '#lib/audit/report.ts';
import { maxFindings } from '#lib/audit/snapshot.ts';

const clean: Report = {
  entities: 0,
  compared: 0,
  orphans: [],
  malformed: [],
  texts: [],
  subjects: [],
  logs: [],
  repaired: 0,
};

test('says that there can be more findings than the audit keeps', () => {
  const malformed = Array.from({ length: maxFindings }, (_, number) => `a#task#${number}`);
  expect(isLimited(clean)).toBe(false);
  expect(isLimited({ ...clean, malformed: malformed.slice(1) })).toBe(false);
  expect(isLimited({ ...clean, malformed })).toBe(true);
  expect(isLimited({ ...clean, logs: [{ log: 'a#task#log', ids: malformed }] })).toBe(true);
  expect(reportLines({ ...clean, malformed })).toContain(
    'The audit keeps 10000 findings of a kind. Repair them, and audit again.',
  );
});

test('a log that was not compared completely is a finding', () => {
  const report: Report = { ...clean, logs: [{ log: 'a#task#log', ids: [], isIncomplete: true }] };
  expect(isClean(report)).toBe(false);
  expect(reportLines(report)[0]).toBe(
    'Log: a#task#log was not compared completely, because of other differences. Repair them, and audit again.',
  );
});
