import * as v from 'valibot';
import { flag, number } from '#functions/contract/fields.ts';
import { commonFields, resource } from '#functions/contract/resource.ts';
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

describe('a field', () => {
  const withField = (name: string, schema: v.GenericSchema) =>
    resource({ kind: 'task', plural: 'tasks', fields: { ...commonFields, [name]: schema } });

  test.each([[v.date()], [v.object({})], [v.number()], [v.array(v.string())]])(
    'with a type that lists do not know is refused with those that they know',
    (schema) => {
      expect(() => withField('done', schema)).toThrow(
        /"done" has a type .* text, .* number, flag, reference/,
      );
    },
  );

  test('cannot be called like the number that the service gives', () => {
    expect(() => withField('number', flag())).toThrow('No field can be called "number"');
  });

  test.each(['search', 'sumBy', 'since', 'page'])('cannot be called like the parameter %s', (name) => {
    expect(() => withField(name, flag())).toThrow(`"${name}": lists have a parameter`);
  });

  test.each([
    [{ min: 0, max: 1, decimals: 7 }],
    [{ min: 0, max: 1, decimals: 0.5 }],
    [{ min: 1, max: 0, decimals: 0 }],
    [{ min: -9_007_199_254_740_992, max: 0, decimals: 0 }],
    [{ min: 0, max: 9_007_199_254_740, decimals: 4 }],
    [{ min: 0, max: Number.NaN, decimals: 0 }],
  ])('with numbers cannot have the bounds %j', (bounds) => {
    expect(() => number(bounds)).toThrow(TypeError);
  });

  test.each([
    [0, -7, true],
    [0, 1.5, false],
    [2, 0.07, true],
    [2, 0.071, false],
    [6, 4_503_599_627.370_497, true],
    [6, -4_503_599_627.370_498, false],
  ])('with %d decimals has the number %d: %j', (decimals, value, isValid) => {
    const schema = number({ min: -4_503_599_627.370_497, max: 4_503_599_627.370_497, decimals });
    expect(v.safeParse(schema, value).success).toBe(isValid);
  });
});
