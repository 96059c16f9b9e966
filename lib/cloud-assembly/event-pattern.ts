function matchesRule(rule: unknown, value: unknown): boolean {
  if (typeof rule !== 'object' || rule === null) return rule === value;
  const [[name, argument] = [], ...others] = Object.entries(rule);
  if (name !== 'prefix' || typeof argument !== 'string' || others.length > 0) {
    throw new Error(`The filter rule ${JSON.stringify(rule)} is not supported.`);
  }
  return typeof value === 'string' && value.startsWith(argument);
}

/**
 * Returns whether a value matches a filter pattern of an event source mapping.
 * @throws Error for a rule that is not supported here.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 */
export function matchesPattern(pattern: unknown, value: unknown): boolean {
  if (Array.isArray(pattern)) {
    return pattern.some((rule) => matchesRule(rule, value));
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(pattern as object).every(([name, one]) =>
    matchesPattern(one, (value as Record<string, unknown>)[name]),
  );
}
