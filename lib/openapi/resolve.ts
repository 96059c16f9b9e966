import type { Header, OpenApiDocument, Operation, Parameter, Reference, Response, Schema } from './types.ts';

type Component = Parameter | Response | Schema | Header;

export function resolve<One extends Component>(document: OpenApiDocument, value: One | Reference): One {
  const reference = '$ref' in value ? value.$ref : undefined;
  if (typeof reference !== 'string') return value as One;
  const [, , section = '', name = ''] = reference.split('/');
  const found = (document.components as unknown as Record<string, Record<string, One>>)[section]?.[name];
  if (!found) throw new Error(`The document has no ${reference}.`);
  return found;
}

export const currentParameters = (document: OpenApiDocument, { parameters = [] }: Operation): Parameter[] =>
  parameters.map((one) => resolve<Parameter>(document, one)).filter(({ deprecated }) => !deprecated);
