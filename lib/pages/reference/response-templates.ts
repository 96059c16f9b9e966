/** What several operations respond with, written once: `assets/scripts/responses.js` shows it where the reader asks for it. */
import type { OpenApiDocument, Response, Schema } from '../../openapi/types.ts';
import { jsonHtml } from '../code.ts';
import { escaped } from '../html.ts';
import { entry, factsOf } from './fields.ts';
import { resolve } from './resolve.ts';

/** Returns the first example of a response. */
export function exampleOf({ content = {} }: Response): unknown {
  const [{ example, examples = {} } = {}] = Object.values(content);
  return example ?? Object.values(examples)[0]?.value;
}

const isObject = ({ properties }: Schema): boolean => properties !== undefined;

/** Returns the fields of an object, those of objects in it below them. @param depth how many levels are shown. */
function fields(document: OpenApiDocument, schema: Schema, depth: number): string {
  const { properties = {} } = resolve(document, schema);
  const entries = Object.entries(properties).map(([name, property]) => {
    const own = resolve(document, property);
    const [item = {}] = [own.items?.anyOf?.[0] ?? own.items ?? own.anyOf?.[0] ?? own].map((one) =>
      resolve(document, one),
    );
    const inner =
      depth > 1 && isObject(item)
        ? `<details><summary><span class="facts">fields of <code>${escaped(name)}</code></span></summary>${fields(document, item, depth - 1)}</details>`
        : '';
    return `${entry(name, factsOf(own), String(own['description'] ?? ''))}${inner && `<dd>${inner}</dd>`}`;
  });
  return `<dl class="fields">${entries.join('\n')}</dl>`;
}

/** Returns templates of all objects that operations return, and of the examples of errors. */
export function responseTemplates(document: OpenApiDocument): string {
  const successes = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap((response) => resolve<Response>(document, response).content?.['application/json']?.schema ?? [])
    .flatMap(
      (schema) =>
        String((schema as Schema)['$ref'] ?? '')
          .split('/')
          .at(-1) || [],
    );
  const schemas = [...new Set(successes)].map(
    (name) =>
      `<template data-fields="${name}">${fields(document, document.components.schemas[name] ?? {}, 2)}</template>`,
  );
  const errors = Object.entries(document.components.responses).flatMap(([name, response]) => {
    const example = exampleOf(response);
    return example === undefined ? [] : [`<template data-error="${name}">${jsonHtml(example)}</template>`];
  });
  return [...schemas, ...errors].join('\n');
}
