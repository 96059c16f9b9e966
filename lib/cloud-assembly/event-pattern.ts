/**
 * Returns whether a value matches a filter pattern of an event source mapping.
 * @throws Error for a rule that is not supported here.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 */
export function matchesPattern(pattern: unknown, value: unknown): boolean {
  if (Array.isArray(pattern)) {
    if (pattern.some((one) => typeof one === 'object')) {
      throw new Error(`The filter rule ${JSON.stringify(pattern)} is not supported.`);
    }
    return pattern.includes(value);
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(pattern as object).every(([name, one]) =>
    matchesPattern(one, (value as Record<string, unknown>)[name]),
  );
}
