/** Shows the document of this service, without what is there for tools only. */

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** A HEAD is its GET without content: to list both would double every read. */
const withoutHead = (item) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => methods.includes(name)));

const mapped = (record, change) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));

/** A refusal says what it is and where that is explained; its form, which is always the same, would hide that. */
const brief = ({ description }) => ({ description });

/** An example would be filled in and sent: a key or a tag that is not the reader's own. */
const unfilled = ({ example: _, ...parameter }) => parameter;

const answer = await fetch('/v1/openapi.json');
// There is one server, which is this.
const { servers: _, ...document } = await answer.json();

window.SwaggerUIBundle({
  dom_id: '#reference',
  spec: {
    ...document,
    paths: mapped(document.paths, withoutHead),
    components: {
      ...document.components,
      parameters: mapped(document.components.parameters, unfilled),
      responses: mapped(document.components.responses, brief),
    },
  },
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  // It would ask a server elsewhere.
  validatorUrl: null,
});
