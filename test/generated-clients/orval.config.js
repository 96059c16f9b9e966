/** The document has a relative server URL, so the URL of the service is a variable of the program. */
const baseUrl = { runtime: 'url', imports: [{ name: 'url', importPath: '../../clients/request.ts' }] };

/**
 * Returns the document with parameters that are repeated for several values. With `explode: false`, orval 8.38.0 encodes the commas between
 * values too (RFC 6570, 3.2.8, encodes only the values). In free text, an encoded comma belongs to the value.
 */
function repeatParameters(document) {
  for (const parameter of Object.values(document.components.parameters)) delete parameter.explode;
  return document;
}

export default {
  tasks: {
    input: { target: 'reference.json', override: { transformer: repeatParameters } },
    output: { target: 'client.ts', client: 'fetch', baseUrl },
  },
};
