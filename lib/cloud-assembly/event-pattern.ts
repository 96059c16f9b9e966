/**
 * Whether an event fits a pattern of an event source mapping.
 * @throws Error for a rule that is not known here.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 */
export function fits(pattern: unknown, value: unknown): boolean {
  if (Array.isArray(pattern)) {
    if (pattern.some((one) => typeof one === 'object'))
      throw new Error(`The rule ${JSON.stringify(pattern)} is not known here.`);
    return pattern.includes(value);
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(pattern as object).every(([name, one]) =>
    fits(one, (value as Record<string, unknown>)[name]),
  );
}
