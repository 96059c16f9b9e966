/** Shows the OpenAPI document without the parts that only tools need. */

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** Removes HEAD, which would repeat every GET. */
const withoutHead = (item) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => methods.includes(name)));

const mapped = (record, change) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));

/** Keeps only the description of an error response. All error responses have the same schema. */
const brief = ({ description }) => ({ description });

/** Removes the example of a parameter, because Swagger UI would send it as the value. */
const unfilled = ({ example: _, ...parameter }) => parameter;

const response = await fetch('/v1/openapi.json');
// Requests go to this server.
const { servers: _, ...document } = await response.json();

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
  // The validator would send requests to another host.
  validatorUrl: null,
});
