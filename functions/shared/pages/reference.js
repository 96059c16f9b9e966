/** Shows the document of this service. A HEAD is its GET without content: to list both would double every read. */
const withoutHead = ({ paths, ...rest }) => ({
  ...rest,
  paths: Object.fromEntries(Object.entries(paths).map(([path, { head: _, ...item }]) => [path, item])),
});

const answer = await fetch('/v1/openapi.json');

window.SwaggerUIBundle({
  dom_id: '#reference',
  spec: withoutHead(await answer.json()),
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  defaultModelRendering: 'model',
  displayRequestDuration: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  // It would ask a server elsewhere.
  validatorUrl: null,
});
