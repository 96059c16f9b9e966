/** Holds answers against the OpenAPI document: status, headers, media type and content. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { SentResponse } from '../../lib/local/gateway.ts';
import { committedFile } from '../../lib/openapi/committed.ts';
import type { Components, OpenApiDocument, Operation, Response, Schema } from '../../lib/openapi/types.ts';

/** Headers that HTTP and the gateway add to any answer. */
const ofTransport =
  /^(?:access-control-.*|apigw-requestid|connection|content-length|content-type|date|keep-alive|server-timing|transfer-encoding|x-amz.*|vary|x-cache|via|alt-svc|server)$/;

/** An answer may gain members with the next version; what is not declared today is a mistake all the same. */
const closed = (schema: Schema): Schema => ({
  ...schema,
  ...(schema.properties && schema.additionalProperties === undefined && { unevaluatedProperties: false }),
  ...(schema.items && { items: closed(schema.items) }),
});

/** A path whose encoding is malformed is no operation's. */
function isEncoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

const pointerPart = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** The document, with everything in it ready to check. */
export class DeclaredAnswers {
  readonly #document: OpenApiDocument;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #templates: readonly { readonly path: string; readonly pattern: RegExp }[];

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
    // A path without parameters goes before one with.
    this.#templates = Object.keys(document.paths)
      .sort((one, other) => Number(one.includes('{')) - Number(other.includes('{')))
      .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));
  }

  static fromFile(file = committedFile): DeclaredAnswers {
    return new DeclaredAnswers(JSON.parse(readFileSync(file, 'utf8')) as OpenApiDocument);
  }

  /** What about an answer is not as declared; nothing when all is. */
  faults(answer: SentResponse): string[] {
    const { method, path, status } = answer;
    if (method === 'OPTIONS') return [];
    const template = isEncoded(path) && this.#templates.find(({ pattern }) => pattern.test(path))?.path;
    const operation = template && this.#document.paths[template]?.[method.toLowerCase()];
    if (!template || !operation) return this.#unmatchedFaults(answer);
    const { response, pointer } = this.#response(template, method.toLowerCase(), operation, status);
    if (!response) return [`${operation.operationId} does not declare ${status}`];
    return [...this.#headerFaults(response, answer), ...this.#contentFaults(response, pointer, answer)].map(
      (fault) => `${operation.operationId}, ${status}: ${fault}`,
    );
  }

  #response(template: string, method: string, { responses }: Operation, status: number) {
    const response = responses[status];
    if (response && '$ref' in response) {
      return {
        response: this.#component<Response>('responses', response.$ref),
        pointer: response.$ref,
      };
    }
    return { response, pointer: `#/paths/${pointerPart(template)}/${method}/responses/${status}` };
  }

  #component<Component>(section: keyof Components, reference: string): Component {
    return this.#document.components[section][reference.split('/').at(-1) ?? ''] as Component;
  }

  /** What no operation has is a 404 or 405 in our form. */
  #unmatchedFaults({ method, path, status, headers, text }: SentResponse): string[] {
    const where = `${method} ${path}, which is no operation`;
    if (![400, 404, 405, 413, 431].includes(status)) return [`${where}: the status is ${status}`];
    if (status === 405 && !headers.has('allow')) return [`${where}: Allow is missing`];
    return method === 'HEAD'
      ? []
      : this.#valueFaults('#/components/schemas/Problem', text).map((fault) => `${where}: ${fault}`);
  }

  #headerFaults({ headers: declared }: Response, { headers }: SentResponse): string[] {
    const names = new Map(Object.entries(declared).map(([name, { $ref }]) => [name.toLowerCase(), $ref]));
    const undeclared = [...headers.keys()]
      .filter((name) => !names.has(name) && !ofTransport.test(name))
      .map((name) => `the header ${name} is not declared`);
    const wrong = [...names].flatMap(([name, reference]) => {
      const { required } = this.#component<{ required?: boolean }>('headers', reference);
      const value = headers.get(name);
      if (value === undefined) return required ? [`the header ${name} is missing`] : [];
      return this.#schemaFaults(`${reference}/schema`, value).map((fault) => `the header ${name} ${fault}`);
    });
    return [...undeclared, ...wrong];
  }

  #contentFaults({ content }: Response, pointer: string, { headers, text }: SentResponse): string[] {
    if (!content) return text === '' ? [] : ['there is content, and none is declared'];
    const mediaType = headers.get('content-type')?.split(';')[0]?.trim() ?? '';
    if (!content[mediaType]) return [`the media type ${mediaType || 'none'} is not declared`];
    const schema = `${pointer}/content/${pointerPart(mediaType)}/schema`;
    return /json$/.test(mediaType) ? this.#valueFaults(schema, text) : this.#schemaFaults(schema, text);
  }

  #valueFaults(schema: string, text: string): string[] {
    try {
      return this.#schemaFaults(schema, JSON.parse(text));
    } catch {
      return ['the content is not JSON'];
    }
  }

  #schemaFaults(pointer: string, value: unknown): string[] {
    const reference = `document${encodeURI(pointer).replaceAll('%25', '%')}`;
    const known = this.#validators.get(reference);
    const validate = known ?? this.#ajv.compile({ $ref: reference });
    this.#validators.set(reference, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}
