import { codeBlock } from './code.ts';
import type { Guide } from './guides.ts';
import { escaped, exampleOrigin, type Page } from './layout.ts';

const curlQuickStart = `url=${exampleOrigin}

curl -s -w '\\n' "$url/v1/tasks" \\
  -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"name":"Draft the sitemap","priority":"high","dueDate":"2026-03-20"}'

curl -sg -w '\\n' \\
  -H "authorization: Bearer $TOKEN" \\
  "$url/v1/tasks?priority[gte]=medium&sortBy=priority&countBy=status"
`;

const javascriptQuickStart = `curl -sO ${exampleOrigin}/docs/client.mjs
cat > quick-start.mjs <<'END'
import { createClient } from './client.mjs';

const client = createClient({
  url: '${exampleOrigin}',
  token: process.env.TOKEN,
});
const task = await client.tasks.create({ name: 'Draft the sitemap', priority: 'high' });
await client.tasks.update(task, { status: 'completed' });

const { data, total } = await client.tasks.list({ status: 'completed', limit: 5 });
console.log(total, data.map(({ name }) => name));
END
node quick-start.mjs
`;

const totals = ['organizations', 'projects', 'users', 'tasks', 'tags'];

const card = (href: string, title: string, text: string): string =>
  `<li><a href="${href}"><b>${escaped(title)}</b><span>${escaped(text)}</span></a></li>`;

/** Returns the start page. Its script replaces the address in the examples, and fetches the totals. */
export const startPage = (version: string, guides: readonly Guide[]): Page => ({
  title: 'Project management API',
  description: 'A REST API for organizations, projects, users, tasks and tags.',
  section: '/',
  main: `<div class="front">
<h1>Project management API</h1>
<p class="lead">A REST API for organizations, projects, users, tasks and tags.
Lists take any filter, any order and any page with an exact total, and every write is atomic and safe to repeat.</p>
<p class="actions"><a class="button" href="/docs/guides/getting-started">Get started</a> <a class="button second" href="/docs">API reference</a>
<span class="facts">Version ${escaped(version)} · <a href="/v1/openapi.json">OpenAPI 3.1</a> · <a href="/v1/health">Health</a></span></p>
<dl class="totals" hidden aria-label="Entities in this service">${totals.map((name) => `<div><dt>${name}</dt><dd data-total="${name}">…</dd></div>`).join('')}</dl>
<p class="of-tokens note">Requests need an access token. <a href="/docs/guides/authentication">Authentication</a> explains how to get one.</p>
<div class="quick">
<section><h2>curl</h2>
<p class="facts">Create a task, then list the important ones and count them by status.</p>
${codeBlock(curlQuickStart, 'sh', 'Quick start with curl')}</section>
<section><h2>JavaScript</h2>
<p class="facts">With Node.js. For TypeScript, install the <a href="/docs/guides/getting-started#from-a-program">typed client</a>.</p>
${codeBlock(javascriptQuickStart, 'sh', 'Quick start with the client')}</section>
</div>
<h2>Guides</h2>
<ul class="cards">${guides.map(({ name, title, summary }) => card(`/docs/guides/${name}`, title, summary)).join('')}</ul>
<h2>Look up</h2>
<ul class="cards">
${card('/docs', 'API reference', 'Every operation, with samples in five languages and a form to try it.')}
${card('/docs/problems', 'Problems', 'The meaning of each error, its solution, and the JSON that arrives.')}
${card('/docs/reference.json', 'For generators', 'The OpenAPI document without HEAD operations, for SDKs in other languages.')}
</ul>
</div>`,
});
