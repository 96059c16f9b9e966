/** The examples of a guide, as one program for each language, and the responses that the guide shows. */

export const languages = ['sh', 'ts', 'python'] as const;

export type Language = (typeof languages)[number];

/** What a guide shows beside a request. */
export interface Shown {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Consecutive blocks of code: the same request in several languages, and its response. */
export interface Example {
  readonly heading: string;
  readonly code: Readonly<Record<string, string>>;
  readonly response?: Shown;
}

/** Parses an HTTP message: a status line, headers, and a body behind an empty line. */
function httpOf(text: string): Shown {
  const [head = '', body = ''] = text.replaceAll('\r', '').split(/\n\n(.*)/s);
  const [status = '', ...fields] = head.trim().split('\n');
  const headers = fields.map((line) => {
    const [name = '', value = ''] = line.split(/:\s*(.*)/s);
    return [name.toLowerCase(), value] as const;
  });
  return {
    status: Number(status.split(' ')[1]),
    headers: Object.fromEntries(headers),
    ...(body.trim() !== '' && { body: JSON.parse(body) as unknown }),
  };
}

function shownOf({ language, text }: { readonly language: string; readonly text: string }): Shown {
  return language === 'http' ? httpOf(text) : { body: JSON.parse(text) as unknown };
}

const isResponse = ({ language }: { readonly language: string }): boolean =>
  language === 'http' || language === 'json';

interface Block {
  readonly heading: string;
  readonly language: string;
  readonly text: string;
}

/** Returns the blocks of code of a text in groups: those without text between them, up to a response. */
function groupsOf(guide: string): Block[][] {
  const groups: Block[][] = [];
  let heading = '';
  let isOpen = false;
  for (const [, title, language, text = ''] of guide.matchAll(
    /^## (.+)$|^```(\w+)\n([\s\S]*?)^```$|^.+$/gm,
  )) {
    heading = title ?? heading;
    if (language) {
      const block = { heading, language, text };
      if (isOpen) groups.at(-1)?.push(block);
      else groups.push([block]);
    }
    isOpen = language !== undefined && !isResponse({ language });
  }
  return groups;
}

/** Returns the examples of a guide. */
export const examplesOf = (guide: string): Example[] =>
  groupsOf(guide)
    .filter(([first]) => first && !isResponse(first))
    .map((blocks) => {
      const response = blocks.find(isResponse);
      const code = blocks.filter((block) => !isResponse(block)).map(({ language, text }) => [language, text]);
      return {
        heading: blocks[0]?.heading ?? '',
        code: Object.fromEntries(code) as Example['code'],
        ...(response && { response: shownOf(response) }),
      };
    });

const marker = '--- end of an example ---';

/** What a program says first, so that each value that it prints is JSON on a line of its own. */
const openings: Readonly<Record<Language, string>> = {
  sh: '',
  ts: "console.log = (value: unknown) => process.stdout.write((JSON.stringify(value) ?? 'null') + '\\n');\n",
  python:
    'import json, sys\ndef print(value):\n    sys.stdout.write((value if value == "' +
    marker +
    '" else json.dumps(value)) + "\\n")\n',
};

const marks: Readonly<Record<Language, string>> = {
  sh: `printf '\\n%s\\n' '${marker}'\n`,
  ts: `process.stdout.write('${marker}\\n');\n`,
  python: `print("${marker}")\n`,
};

/** Returns the examples of a language as one program, which marks the end of each. Blocks of TypeScript alone are no part of it. */
export function programOf(examples: readonly Example[], language: Language): string {
  const parts = examples.map(({ code }) =>
    language === 'sh' || code['sh'] !== undefined
      ? (code[language] ?? '') + marks[language]
      : marks[language],
  );
  return openings[language] + parts.join('');
}

/** Returns what the program of a language printed for each example. */
export function printedBy(output: string, language: Language): (readonly Shown[])[] {
  return output
    .split(new RegExp(`^${marker}\\n`, 'm'))
    .slice(0, -1)
    .map((text) => {
      if (language === 'sh' && /^HTTP\//.test(text.trim())) return [httpOf(text.trim())];
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      return lines.map((line) => ({
        body: line.startsWith('{') || language !== 'sh' ? JSON.parse(line) : line,
      }));
    });
}

/** What differs from one run to the next, in texts. */
const placeholders: readonly (readonly [RegExp, string])[] = [
  [/(\\?")[\da-f]{12}-\d+\1/g, '<entity tag>'],
  [/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, '<id>'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/-\d{10,}/g, '-<number>'],
];

/** Fields with a text that differs from one run to the next. Each program has a tenant of its own. */
const opaque = ['requestId', 'cursor', 'next', 'tenant'];

/** The numbers of tasks continue in the next program. */
const isOpaque = (name: string, value: unknown): boolean =>
  name === 'number' || (opaque.includes(name) && typeof value === 'string');

/** Returns a value without what differs from one run to the next, and without the version that the client adds. */
export function comparable(value: unknown): unknown {
  if (typeof value === 'string') {
    return placeholders.reduce((text, [pattern, name]) => text.replaceAll(pattern, name), value);
  }
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'version')
      .map(([name, inner]) => [name, isOpaque(name, inner) ? `<${name}>` : comparable(inner)]),
  );
}

/** Returns a value and everything inside it. */
export function partsOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value];
  return [value, ...Object.values(value).flatMap(partsOf)];
}
