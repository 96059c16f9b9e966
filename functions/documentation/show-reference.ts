import { staticPage } from '../shared/http/static-page.ts';
import { showReference } from './contract.ts';
import { htmlPage } from './pages/html.ts';

const content = htmlPage(
  'Reference · Project management API',
  `<div id="reference"><noscript>This page needs JavaScript. Without it, read <a href="/v1/openapi.json">the OpenAPI document</a>.</noscript></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/reference.js"></script>`,
  '<link rel="stylesheet" href="/docs/swagger-ui.css">\n',
);

export const handler = staticPage(showReference, () => ({ mediaType: 'text/html', content }));
