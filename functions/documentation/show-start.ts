import { staticPage } from '../shared/http/static-page.ts';
import { showStart } from './contract.ts';
import { htmlPage } from './pages/html.ts';

const content = htmlPage(
  'Project management API',
  `<main class="page">
<h1>Project management API</h1>
<p>Organizations, projects, users, tasks and tags, as resources under <code>/v1</code>.</p>
<ul>
<li><a href="/docs">The reference</a>: read and try every operation.</li>
<li><a href="/docs/problems">The problems</a>: what each error means, and what to do about it.</li>
<li><a href="/v1/openapi.json">The OpenAPI document</a>: for tools.</li>
<li><a href="/v1/health">The health</a> of the service.</li>
</ul>
</main>`,
);

export const handler = staticPage(showStart, () => ({ mediaType: 'text/html', content }));
