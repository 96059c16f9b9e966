/** What is wrong with a text that `JSON.parse` refuses. V8's own messages differ between versions and quote the text. */
import { type ParseErrorCode, visit } from 'jsonc-parser';

/** What the parser expected, by its error codes: `ParseErrorCode` is a const enum and has no values at run time. */
const expectations: Readonly<Record<number, string>> = {
  1: 'a value, or a property name in double quotes',
  2: 'a digit',
  3: 'a property name in double quotes',
  4: 'a value',
  5: 'a colon',
  6: 'a comma',
  7: 'a closing brace',
  8: 'a closing bracket',
  9: 'the end of the text',
  10: 'no comments',
  11: 'no comments',
  12: 'a closing double quote',
  13: 'a digit',
  14: 'four hexadecimal digits',
  15: 'a valid escape sequence',
  16: 'control characters to be escaped',
} satisfies Readonly<Record<ParseErrorCode, string>>;

/** Returns a sentence that names the line, the column and what was expected at the first mistake in a JSON text. */
export function describeSyntaxError(text: string): string {
  let first: { readonly code: ParseErrorCode; readonly line: number; readonly column: number } | undefined;
  const onError = (
    code: ParseErrorCode,
    _offset: number,
    _length: number,
    line: number,
    column: number,
  ): void => {
    first ??= { code, line: line + 1, column: column + 1 };
  };
  visit(text, { onError }, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  if (!first) return 'The body is not valid JSON.';
  const { code, line, column } = first;
  return `The body is not valid JSON at line ${line}, column ${column}. Expected ${expectations[code] ?? 'JSON'}.`;
}
