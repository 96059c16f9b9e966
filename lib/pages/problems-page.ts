import { STATUS_CODES } from 'node:http';
import { catalogue, type ProblemCode } from '../../functions/http/problems.ts';
import { codeBlock, statusPill } from './code.ts';
import { escaped } from './html.ts';
import { type Page, productName } from './layout.ts';
import { inlineMarkdown } from './markdown.ts';
import { problemCodes, problemExample } from './problem-examples.ts';
import { explanations } from './problem-explanations.ts';

const shownHeaders = ['content-type', 'allow', 'retry-after'];

function httpText(code: ProblemCode): string {
  const { status } = catalogue[code];
  const { headers, body } = problemExample(code);
  const lines = shownHeaders.filter((name) => name in headers).map((name) => `${name}: ${headers[name]}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', JSON.stringify(body, null, 2)].join(
    '\n',
  );
}

function section(code: ProblemCode): string {
  const { status, title } = catalogue[code];
  const { meaning, remedy } = explanations[code];
  return `<section class="problem" id="${code}">
<h2><a href="#${code}">${escaped(title)}</a></h2>
<p class="facts">${statusPill(status)} <code>${code}</code></p>
<p>${inlineMarkdown(meaning)}</p>
<p class="remedy"><b>What to do</b> ${inlineMarkdown(remedy)}</p>
${codeBlock(httpText(code), 'http', `Response with the problem ${code}`)}
</section>`;
}

export const problemsPage = (): Page => ({
  title: `Errors · ${productName}`,
  description: 'What each error of the API means, how to solve it, and its JSON.',
  section: '/docs/problems',
  sidebar: `<p class="group">Errors</p><ul>${problemCodes
    .map(
      (code) => `<li><a href="#${code}"><span>${code}</span>${statusPill(catalogue[code].status)}</a></li>`,
    )
    .join('')}</ul>`,
  main: `<div class="text guide"><h1>Errors</h1>
<p>Every error is an <code>application/problem+json</code> document (RFC 9457). Its <code>type</code> links to a section
of this page, <code>detail</code> describes the error, <code>errors</code> locates it, and <code>requestId</code>
identifies the request in the log.</p>
<p>The gateway rejects some requests before they reach the service: 401 without a valid token, 403 without the scope of
the operation, and 429 for too many simultaneous requests. The body of these responses is <code>{ "message": … }</code>.</p>
${problemCodes.map(section).join('\n')}</div>`,
});
