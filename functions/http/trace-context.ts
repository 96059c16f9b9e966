/** Reads the header `traceparent`, by which the log lines of several services can be joined. */

/** The form of version 00. A later version may have more parts after these. */
const pattern = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/**
 * Returns the trace of a request; `undefined` when the header is absent or invalid: the standard tells receivers to ignore an invalid one.
 * @see https://www.w3.org/TR/trace-context-1/#traceparent-header
 */
export function traceContext(traceparent: string | undefined) {
  const [, version, traceId, parentId, more] = pattern.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || parentId === undefined) return undefined;
  return version === '00' && more !== undefined ? undefined : { traceId, parentId };
}
