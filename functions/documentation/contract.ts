import { contract } from '../shared/contract/contract.ts';

const access = { actions: [] } as const;
const html = ['text/html'] as const;

export const showStart = contract({
  operation: 'showStart',
  method: 'GET',
  path: '/',
  summary: 'Shows the start page.',
  success: 'staticPage',
  access,
  mediaTypes: html,
});

export const showReference = contract({
  operation: 'showReference',
  method: 'GET',
  path: '/docs',
  summary: 'Shows the API reference.',
  success: 'staticPage',
  access,
  mediaTypes: html,
});

export const showProblems = contract({
  operation: 'showProblems',
  method: 'GET',
  path: '/docs/problems',
  summary: 'Shows an explanation of each problem type.',
  success: 'staticPage',
  access,
  mediaTypes: html,
});

export const readDocumentationFile = contract({
  operation: 'readDocumentationFile',
  method: 'GET',
  path: '/docs/{file}',
  summary: 'Reads a file that the static pages use.',
  success: 'staticPage',
  access,
  mediaTypes: ['text/css', 'text/javascript', 'image/svg+xml'],
  files: ['icon.svg', 'reference.js', 'style.css', 'swagger-ui-bundle.js', 'swagger-ui.css'],
});

export const readOpenApiDocument = contract({
  operation: 'readOpenApiDocument',
  method: 'GET',
  path: '/v1/openapi.json',
  summary: 'Reads the OpenAPI document of this API.',
  success: 'staticPage',
  access,
  mediaTypes: ['application/json'],
  files: ['openapi.json'],
});
