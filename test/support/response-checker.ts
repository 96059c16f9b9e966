/** Compares responses with the OpenAPI document: status, headers, media type and content. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { SentResponse } from '#lib/local/http-api.ts';
import { documentText, openApiDocument } from '#lib/openapi/document.ts';
import type {
  Components,
  Content,
  OpenApiDocument,
  Operation,
  PathItem,
  Response,
  Schema,
} from '#lib/openapi/types.ts';

/** Headers that HTTP and the gateway add to every response. */
const transportHeaders =
  /^(?:access-control-.*|apigw-requestid|connection|content-encoding|content-length|content-type|date|keep-alive|server-timing|strict-transport-security|transfer-encoding|x-amz.*|vary|x-cache|via|alt-svc|server)$/;

/** Rejects undeclared fields. Responses may gain fields in later versions, but then the document declares them. */
const closed = (schema: Schema): Schema => ({
  ...schema,
  ...(schema.properties && schema.additionalProperties === undefined && { unevaluatedProperties: false }),
  ...(schema.properties && {
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, closed(property)]),
    ),
  }),
  ...(schema.items && { items: closed(schema.items) }),
  ...(schema.oneOf && { oneOf: schema.oneOf.map(closed) }),
});

/** Returns whether the encoding of a path is valid. A path with invalid encoding matches no operation. */
function isEncoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

const pointerPart = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** What the document says of a response. */
interface Declared {
  /** Of the response in the document. */
  readonly pointer: string;
  readonly content: Content | undefined;
  readonly headers: readonly {
    readonly name: string;
    readonly schema: string;
    readonly isRequired: boolean;
  }[];
}

export class ResponseChecker {
  readonly #document: OpenApiDocument;
  // Each schema is used few times, so optimized code would not pay for itself.
  readonly #ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    code: { optimize: false },
  });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #paths: readonly { readonly path: string; readonly pattern: RegExp; readonly item: PathItem }[];
  readonly #declared = new Map<string, Declared | undefined>();

  constructor(document: OpenApiDocument) {
    const schemas = Object.entries(document.components.schemas).map(([name, schema]) => [
      name,
      closed(schema),
    ]);
    this.#document = {
      ...document,
      components: { ...document.components, schemas: Object.fromEntries(schemas) },
    };
    formats.default(this.#ajv);
    this.#ajv.addSchema(this.#document, 'document');
    // Paths without parameters take precedence.
    this.#paths = Object.entries(document.paths)
      .sort(([one], [other]) => Number(one.includes('{')) - Number(other.includes('{')))
      .map(([path, item]) => ({
        path,
        item,
        pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      }));
  }

  /** Compares with the document of the contracts. One test says when the committed file is another; this one would say it of each response. */
  static ofContracts(): ResponseChecker {
    return new ResponseChecker(JSON.parse(documentText(openApiDocument())) as OpenApiDocument);
  }

  differences(sent: SentResponse): string[] {
    const { path, status } = sent;
    if (sent.method === 'OPTIONS') return [];
    // What the local gateway refuses for itself: the API has no such problem.
    if (sent.text.includes('"type":"about:blank"')) return [];
    // The document says once that HEAD has the headers of GET (RFC 9110, section 9.3.2).
    const method = sent.method === 'HEAD' ? 'get' : sent.method.toLowerCase();
    // The gateway matches the method as well: PUT on the path of a batch is PUT on an entity with the id "batch".
    const found = this.#paths.find(({ pattern, item }) => method in item && pattern.test(path));
    const operation = found?.item[method];
    if (!found || !operation || !isEncoded(path)) return this.#unmatchedDifferences(sent);
    const declared = this.#declaredFor(found.path, method, operation, status);
    if (!declared) return [`${operation.operationId} does not declare ${status}`];
    return [...this.#headerDifferences(declared, sent), ...this.#contentDifferences(declared, sent)].map(
      (difference) => `${operation.operationId}, ${status}: ${difference}`,
    );
  }

  #declaredFor(path: string, method: string, operation: Operation, status: number): Declared | undefined {
    const key = `${method} ${path} ${status}`;
    if (!this.#declared.has(key)) {
      const pointer = `#/paths/${pointerPart(path)}/${method}/responses/${status}`;
      const response = operation.responses[status];
      const { $ref } = { $ref: pointer, ...response };
      const whole =
        response && '$ref' in response ? this.#component<Response>('responses', response.$ref) : response;
      const headers = Object.entries(whole?.headers ?? {}).map(([name, header]) => ({
        name: name.toLowerCase(),
        schema: `${header.$ref}/schema`,
        isRequired: this.#component<{ required?: boolean }>('headers', header.$ref).required === true,
      }));
      this.#declared.set(key, whole && { pointer: $ref, content: whole.content, headers });
    }
    return this.#declared.get(key);
  }

  #component<Component>(section: keyof Components, reference: string): Component {
    return this.#document.components[section][reference.split('/').at(-1) ?? ''] as Component;
  }

  /** Requests that match no operation get an error with a problem. */
  #unmatchedDifferences({ method, path, status, headers, text }: SentResponse): string[] {
    const where = `${method} ${path}, which matches no operation`;
    // The document does not describe the documentation, nor redirects to it. The gateway cuts a path at an encoded question mark.
    const isDocumentation = /^\/(?:docs(?:\/.*)?|llms(?:-full)?\.txt|v1\/openapi\.json|robots\.txt)$/.test(
      path,
    );
    // The paths for agents have the documents of their protocols.
    if (/^\/(?:mcp$|\.well-known\/oauth-)/.test(path)) return [];
    if (status === 308 || (isDocumentation && [200, 304].includes(status))) return [];
    if (headers.get('content-type')?.startsWith('text/html') && status === 404) return [];
    if (![400, 404, 405, 413, 431].includes(status)) return [`${where}: the status is ${status}`];
    if (status === 405 && !headers.has('allow')) return [`${where}: Allow is missing`];
    return method === 'HEAD'
      ? []
      : this.#valueDifferences('#/components/schemas/Problem', text).map(
          (difference) => `${where}: ${difference}`,
        );
  }

  #headerDifferences({ headers: declared }: Declared, { headers }: SentResponse): string[] {
    const undeclared = [...headers.keys()]
      .filter((name) => !transportHeaders.test(name) && !declared.some((header) => header.name === name))
      .map((name) => `the header ${name} is not declared`);
    const wrong = declared.flatMap(({ name, schema, isRequired }) => {
      const value = headers.get(name);
      if (value === undefined) return isRequired ? [`the header ${name} is missing`] : [];
      return this.#schemaDifferences(schema, value === 'true' || value).map(
        (difference) => `the header ${name} ${difference}`,
      );
    });
    return [...undeclared, ...wrong];
  }

  #contentDifferences({ content, pointer }: Declared, { method, headers, text }: SentResponse): string[] {
    if (!content || method === 'HEAD') return text === '' ? [] : ['there is content, but none is declared'];
    const mediaType = headers.get('content-type')?.split(';')[0]?.trim() ?? '';
    if (!content[mediaType]) return [`the media type ${mediaType || 'none'} is not declared`];
    const schema = `${pointer}/content/${pointerPart(mediaType)}/schema`;
    return /json$/.test(mediaType)
      ? this.#valueDifferences(schema, text)
      : this.#schemaDifferences(schema, text);
  }

  #valueDifferences(schema: string, text: string): string[] {
    try {
      return this.#schemaDifferences(schema, JSON.parse(text));
    } catch {
      return ['the content is not JSON'];
    }
  }

  #schemaDifferences(pointer: string, value: unknown): string[] {
    let validate = this.#validators.get(pointer);
    if (!validate) {
      const $ref = `document${encodeURI(pointer).replaceAll('%25', '%')}`;
      validate = this.#ajv.compile({ $ref });
      this.#validators.set(pointer, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}
