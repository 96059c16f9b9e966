import * as v from 'valibot';
import { routes } from '#functions/routes.ts';

describe('hostile-text', () => {
  /**
   * No pattern reads a text that is longer than the maximum length of its field, in any schema of any body. This bounds the
   * time of every pattern, also with backtracking.
   */

  /** The largest maximum length of a field with a pattern: ids, names and e-mail addresses. */
  const maxPatternLength = 255;

  /** Longer than the longest field. */
  const filled = (start: string, repeated: string, end: string): string =>
    start + repeated.repeat(6_000) + end;

  const hostile = [filled('a@', 'a.', '!'), filled('x', ' ', 'x'), filled('', '0000-', '\u{1F600}')];

  const bodies = [
    ...new Map(
      routes.flatMap(({ contract: { body, operation } }) =>
        body ? [[body.schema, { operation, body }]] : [],
      ),
    ).values(),
  ];

  /** Runs `work` and returns the length of the longest text that a regular expression read. */
  function longestSubject(work: () => void): number {
    let longest = 0;
    const { exec } = RegExp.prototype;
    // `test`, `match` and `replace` also call `exec`.
    const spy = jest.spyOn(RegExp.prototype, 'exec').mockImplementation(function (
      this: RegExp,
      text: string,
    ) {
      longest = Math.max(longest, String(text).length);
      return exec.call(this, text);
    });
    try {
      work();
    } finally {
      spy.mockRestore();
    }
    return longest;
  }

  test('the spy measures the texts that patterns read', () => {
    expect(longestSubject(() => /^a+$/.test('a'.repeat(1_000)))).toBe(1_000);
  });

  const fields = bodies.flatMap(({ operation, body }) =>
    body.writable.map((field) => [operation, field, body.schema] as const),
  );

  test.each(fields)('%s rejects long hostile texts in %s before a pattern reads them', (_, field, schema) => {
    for (const text of hostile) {
      for (const value of [text, [text]]) {
        const input = { name: 'x', [field]: value };
        const length = longestSubject(() => v.safeParse(schema(), input));
        expect(length).toBeLessThanOrEqual(maxPatternLength);
      }
    }
  });
});
