/** Panels of code: a bar that says what the code is, and the code. `site.js` adds the button that copies it. */
import { highlighted } from './highlight.ts';
import { escaped } from './html.ts';

/** Names of languages in the bars of panels. The page remembers the reader's choice among those of `tabs`. */
const languageNames: Readonly<Record<string, string>> = {
  bash: 'Shell',
  http: 'HTTP',
  json: 'JSON',
  kotlin: 'Kotlin',
  python: 'Python',
  sh: 'Shell',
  swift: 'Swift',
  text: 'Terminal',
  ts: 'TypeScript',
  typescript: 'TypeScript',
};

export const languageName = (language: string): string => languageNames[language] ?? language;

/** Returns HTML in which a long address can break after a parameter instead of within a word. */
export const withBreaks = (html: string): string => html.replaceAll(/(?:\?|&amp;)(?=[\w{])/g, '$&<wbr>');

/** Returns code that can be scrolled with the keyboard. @param label accessible name. */
const code = (text: string, language: string, label: string): string =>
  `<pre class="code" tabindex="0" role="region" aria-label="${escaped(label)}"><code>${highlighted(text.trimEnd(), language)}</code></pre>`;

/** @param title HTML of what the bar says. */
export const panel = (title: string, content: string, kind = ''): string =>
  `<div class="panel${kind && ` ${kind}`}"><div class="bar">${title}</div>${content}</div>`;

/** @param title HTML of what the bar says. */
export const codeBlock = (
  text: string,
  language: string,
  label = `Example in ${languageName(language)}`,
  title = `<span>${escaped(languageName(language))}</span>`,
): string => panel(title, code(text, language, label));

export const statusPill = (status: number | string): string =>
  `<b class="status s${String(status)[0]}">${status}</b>`;

export const methodPill = (method: string): string =>
  `<b class="method ${method.toLowerCase()}">${method.toUpperCase()}</b>`;

export interface Tab {
  readonly label: string;
  readonly language: string;
  readonly source: string;
}

/**
 * Returns a panel with the same example in several languages. The reader's choice of a language applies to the whole site; a panel without
 * that language shows its first one.
 * @param name what the example does, for accessible names. @param more HTML at the end of the bar.
 */
export function tabs(all: readonly Tab[], name: string): string {
  const buttons = all.map(
    ({ label }, position) =>
      `<button type="button" data-language="${label.toLowerCase()}" aria-pressed="${position === 0}">${label}</button>`,
  );
  const samples = all.map(
    ({ label, language, source }) =>
      `<div class="sample" data-language="${label.toLowerCase()}">${code(source, language, `${name} in ${label}`)}</div>`,
  );
  return `<div class="panel tabs"><div class="bar"><div class="languages" role="group" aria-label="Language of the sample">${buttons.join('')}</div></div>${samples.join('\n')}</div>`;
}

/** Returns JSON in which an object of two short fields is on one line, such as a count of a value. */
const readable = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(
    /\{\n\s+("\w+": [^{[\n]{1,30},)\n\s+("\w+": [^{[\n]{1,30})\n\s+\}/g,
    '{ $1 $2 }',
  );

/** Returns the HTML of JSON. */
export const jsonHtml = (value: unknown): string => highlighted(readable(value), 'json');

interface ErrorTab {
  readonly status: string;
  /** Name of the template with its example. */
  readonly name: string;
}

/** Returns the panel of responses: the successful one, and a button for each error, whose example the page has in a template. */
export function responseTabs(
  { status, example }: { readonly status: string; readonly example: unknown },
  errors: readonly ErrorTab[],
  name: string,
): string {
  if (example === undefined) return '';
  const button = (code: string, template: string, isShown: boolean): string =>
    `<button type="button" aria-pressed="${isShown}" data-shows="${template}">${statusPill(code)}</button>`;
  const buttons = [
    button(status, '', true),
    ...errors.map((error) => button(error.status, error.name, false)),
  ];
  const title = `<div class="statuses" role="group" aria-label="Responses of ${name}">${buttons.join('')}</div>`;
  return panel(title, code(readable(example), 'json', `Response of ${name}`), 'response');
}

export const jsonBlock = (value: unknown, label: string, title = '<span>JSON</span>'): string =>
  panel(title, code(readable(value), 'json', label));
