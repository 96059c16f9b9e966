import { catalogue, type ProblemCode } from '../shared/http/problems.ts';
import { staticPage } from '../shared/http/static-page.ts';
import { showProblems } from './contract.ts';
import { escaped, htmlPage } from './pages/html.ts';
import { explanations } from './pages/problem-explanations.ts';

function section(code: ProblemCode): string {
  const { status, title } = catalogue[code];
  const { meaning, remedy, example } = explanations[code];
  return `<section id="${code}">
<h2><a href="#${code}">${escaped(title)}</a></h2>
<p class="facts"><b>${status}</b> <code>${code}</code></p>
<p>${escaped(meaning)}</p>
<p><b>What to do:</b> ${escaped(remedy)}</p>
<p class="example">“${escaped(example)}”</p>
</section>`;
}

const codes = Object.keys(catalogue) as ProblemCode[];

const content = htmlPage(
  'Problems · Project management API',
  `<main class="page">
<h1>Problems</h1>
<p>Every error is an <code>application/problem+json</code> document (RFC 9457). Its <code>type</code> links to a section
of this page. <code>detail</code> describes the error, <code>errors</code> lists its locations, and <code>requestId</code>
identifies the request in the log.</p>
<p>The gateway rejects some requests before the service receives them. Its responses have the form
<code>{ "message": … }</code>: 401 without a valid token, 403 without the scope of the operation, and 429 for too many
requests at the same time.</p>
<nav class="contents">${codes.map((code) => `<a href="#${code}">${catalogue[code].status} ${code}</a>`).join(' ')}</nav>
${codes.map(section).join('\n')}
</main>`,
);

export const handler = staticPage(showProblems, () => ({ mediaType: 'text/html', content }));
