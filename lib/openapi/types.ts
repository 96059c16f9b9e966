/** The parts of OpenAPI 3.1 that the document uses. */

/** A JSON Schema (2020-12), or a reference to one. */
export interface Schema {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  /** Values that a text can have besides others. */
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly additionalProperties?: boolean;
}

export type Reference = { readonly $ref: string };

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly deprecated?: boolean;
  readonly description: string;
  /** Of an array: its values are separated by commas. */
  readonly style?: 'form';
  readonly explode?: false;
  readonly schema: Schema;
  readonly example?: unknown;
}

/** Returns a parameter of the query. */
export const inQuery = (
  name: string,
  description: string,
  schema: Schema,
  more: Pick<Parameter, 'example'> = {},
): Parameter => ({ name, in: 'query', description, schema, ...more });

export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

export type Examples = Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;

interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Examples;
}

export type Content = Readonly<Record<string, MediaType>>;

export interface Link {
  readonly operationId: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Content;
  readonly links?: Readonly<Record<string, Link>>;
}

export interface RequestBody {
  readonly required: boolean;
  readonly content: Content;
}

export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response | Reference>>;
  readonly 'x-codeSamples'?: readonly CodeSample[];
}

export type PathItem = Readonly<Record<string, Operation>>;

export interface Components {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly headers: Readonly<Record<string, Header>>;
  readonly responses: Readonly<Record<string, Response>>;
  readonly securitySchemes: Readonly<Record<string, unknown>>;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<string, unknown>> & { readonly version: string };
  readonly servers: readonly {
    readonly url: string;
    readonly description: string;
    readonly 'x-internal': boolean;
  }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Components;
}

export const referTo = (section: keyof Components, name: string): Reference => ({
  $ref: `#/components/${section}/${name}`,
});
