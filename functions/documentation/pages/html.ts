/** The common HTML of the static pages. It loads only resources of this service. */

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Returns a text, escaped for HTML. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => entities[one] ?? one);

/**
 * Returns a complete page.
 * @param title as text.
 * @param body as HTML.
 * @param head additional HTML of the head element.
 */
export const htmlPage = (title: string, body: string, head = ''): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="/docs/icon.svg">
${head}<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<header class="site">
<a class="name" href="/">Project management</a>
<nav><a href="/docs">Reference</a> <a href="/docs/problems">Problems</a> <a href="/v1/openapi.json">OpenAPI</a></nav>
</header>
${body}
</body>
</html>
`;
