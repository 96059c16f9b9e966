import { Marked, type Token, type Tokens } from 'marked';
import { codeBlock, languageName, statusPill, type Tab, tabs, withBreaks } from './code.ts';
import { escaped } from './html.ts';

/** Returns the anchor of a heading, as GitHub forms it. */
export const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/\s/g, '-');

/** Returns the address of a link on the pages. In the repository, guides link to each other as files. */
const pageLink = (href: string): string =>
  href
    .replace(/^(?:\.\/)?([\w-]+)\.md(?=#|$)/, '/docs/guides/$1')
    .replace(/^https:\/\/api\.example\.com(?=\/)/, '');

/** Labels of the languages that a reader chooses from. A block in another language stands alone. */
const choices: Readonly<Record<string, string>> = {
  sh: 'curl',
  ts: 'TypeScript',
  swift: 'Swift',
  kotlin: 'Kotlin',
  python: 'Python',
};

/** Languages of what arrives. Behind a request, such a block is its response. */
const isResponse = ({ lang = '' }: Tokens.Code): boolean => ['json', 'http'].includes(lang);

const isCode = (token: Token | undefined): token is Tokens.Code => token?.type === 'code';

/** Returns the label of a block. A shell also runs other programs than curl. */
const labelOf = ({ lang = '', text }: Tokens.Code): string =>
  lang === 'sh' && !text.includes('curl') ? languageName(lang) : (choices[lang] ?? languageName(lang));

const tabOf = (block: Tokens.Code): Tab => ({
  label: labelOf(block),
  language: block.lang ?? '',
  source: block.text,
});

/** Returns the status of a response that says it: that of an HTTP message, or of a problem. */
const statusOf = (response: string): string | undefined =>
  /^HTTP\/[\d.]+ (\d+)/.exec(response)?.[1] ?? /^ {2}"status": (\d+),$/m.exec(response)?.[1];

/** Returns the panel of a response, or of data that stands alone. */
function responsePanel({ text, lang = '' }: Tokens.Code, heading: string, isResponse: boolean): string {
  const status = isResponse ? statusOf(text) : undefined;
  const title = `<span>${isResponse ? 'Response' : escaped(languageName(lang))}</span>`;
  return codeBlock(text, lang, `Response: ${heading}`, status ? `${statusPill(status)} ${title}` : title);
}

/** Returns consecutive blocks of code as one panel with tabs, and a response beside it. */
function example(blocks: readonly Tokens.Code[], heading: string): string {
  const requests = blocks.filter((block) => !isResponse(block));
  const responses = blocks
    .filter(isResponse)
    .map((block) => responsePanel(block, heading, requests.length > 0));
  const [first] = requests;
  if (!first) return responses.join('\n');
  const request =
    requests.length === 1 && !['curl', 'Python'].includes(labelOf(first))
      ? codeBlock(first.text, first.lang ?? '')
      : tabs(requests.map(tabOf), heading);
  return responses.length === 0 ? request : `<div class="exchange">${request}${responses.join('\n')}</div>`;
}

const isSpace = ({ type }: Token): boolean => type === 'space';

/** Replaces each run of consecutive blocks of code by one block of HTML. A response ends its run. */
function joinExamples(tokens: Token[]): Token[] {
  const joined: Token[] = [];
  let run: Tokens.Code[] = [];
  let heading = '';
  const close = (): void => {
    if (run.length > 0) {
      const text = example(run, heading);
      joined.push({ type: 'html', raw: text, text, block: true, pre: false } as Tokens.HTML);
    }
    run = [];
  };
  for (const token of tokens) {
    if (isCode(token)) {
      // A response ends its example, and so does a second block in one language.
      if (run.some((block) => isResponse(block) || block.lang === token.lang)) close();
      run.push(token);
    } else if (!(isSpace(token) && run.length > 0)) {
      close();
      if (token.type === 'heading') heading = (token as Tokens.Heading).text;
      joined.push(token);
    }
  }
  close();
  return joined;
}

const marked = new Marked({
  hooks: { processAllTokens: (tokens) => joinExamples(tokens as Token[]) },
  renderer: {
    code({ text, lang = '' }: Tokens.Code) {
      return codeBlock(text, lang);
    },
    codespan({ text }: Tokens.Codespan) {
      return `<code>${withBreaks(escaped(text))}</code>`;
    },
    heading({ tokens, depth, text }: Tokens.Heading) {
      const html = this.parser.parseInline(tokens);
      const anchor = anchorOf(text);
      return depth === 1
        ? `<h1>${html}</h1>\n`
        : `<h${depth} id="${anchor}"><a href="#${anchor}">${html}</a></h${depth}>\n`;
    },
    link({ href, tokens }: Tokens.Link) {
      return `<a href="${escaped(pageLink(href))}">${this.parser.parseInline(tokens)}</a>`;
    },
    table(token: Tokens.Table) {
      const cells = (row: Tokens.TableCell[], tag: string) =>
        row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('');
      const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
      return `<div class="table" tabindex="0" role="region" aria-label="Table"><table><thead><tr>${cells(token.header, 'th')}</tr></thead><tbody>${rows}</tbody></table></div>\n`;
    },
  },
});

/** Returns the HTML of a text. The text is the project's own: it is not sanitized. */
export const markdown = (text: string): string => marked.parse(text, { async: false });

export const inlineMarkdown = (text: string): string => marked.parseInline(text, { async: false });
