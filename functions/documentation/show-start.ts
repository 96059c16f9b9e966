import { staticPage } from '../shared/http/static-page.ts';
import { showStart } from './contract.ts';
import { htmlPage } from './pages/html.ts';

const content = htmlPage(
  'Project management API',
  `<main class="page">
<h1>Project management API</h1>
<p>The resources organizations, projects, users, tasks and tags are under <code>/v1</code>.</p>
<ul>
<li><a href="/docs">API reference</a>: every operation, with a form to send requests.</li>
<li><a href="/docs/problems">Problems</a>: the meaning of each error, and its solution.</li>
<li><a href="/v1/openapi.json">OpenAPI document</a>: the API in a form for tools.</li>
<li><a href="/v1/health">Health</a>: whether the service is available.</li>
</ul>
</main>`,
);

export const handler = staticPage(showStart, () => ({ mediaType: 'text/html', content }));
