import { traceContext } from '#functions/http/trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';

test.each([
  ['version 00', `00-${traceId}-${parentId}-01`],
  ['a later version', `cc-${traceId}-${parentId}-01`],
  ['a later version with more parts', `cc-${traceId}-${parentId}-01-what-the-future-brings`],
])('returns the trace of %s', (_, header) => {
  expect(traceContext(header)).toEqual({ traceId, parentId });
});

test.each([
  ['no header', undefined],
  ['no parts', 'hello'],
  ['the version ff', `ff-${traceId}-${parentId}-01`],
  ['upper case', `00-${traceId.toUpperCase()}-${parentId}-01`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${parentId}-01`],
  ['a parent of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['a short trace', `00-${traceId.slice(1)}-${parentId}-01`],
  ['no flags', `00-${traceId}-${parentId}`],
  ['more parts in version 00', `00-${traceId}-${parentId}-01-more`],
  ['a later version with text at its end', `cc-${traceId}-${parentId}-01more`],
  ['two headers', `00-${traceId}-${parentId}-01,00-${traceId}-${parentId}-01`],
])('ignores %s', (_, header) => {
  expect(traceContext(header)).toBeUndefined();
});
