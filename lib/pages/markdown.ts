import { Marked, type Tokens } from 'marked';
import { codeBlock, withBreaks } from './code.ts';
import { escaped } from './layout.ts';

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

const marked = new Marked({
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
