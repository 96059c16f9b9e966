import { contract } from '../contract/contract.ts';

const html = ['text/html'] as const;

export const showStart = contract({
  operation: 'showStart',
  method: 'GET',
  path: '/',
  summary: 'Shows the start page.',
  success: 'staticPage',
  mediaTypes: html,
  files: ['start.html'],
});

export const showReference = contract({
  operation: 'showReference',
  method: 'GET',
  path: '/docs',
  summary: 'Shows the API reference.',
  success: 'staticPage',
  mediaTypes: html,
  files: ['reference.html'],
});

export const showProblems = contract({
  operation: 'showProblems',
  method: 'GET',
  path: '/docs/problems',
  summary: 'Shows an explanation of each problem type.',
  success: 'staticPage',
  mediaTypes: html,
  files: ['problems.html'],
});

export const showGuide = contract({
  operation: 'showGuide',
  method: 'GET',
  path: '/docs/guides/{file}',
  summary: 'Shows a guide.',
  success: 'staticPage',
  mediaTypes: html,
  files: [
    'getting-started',
    'authentication',
    'lists-and-filters',
    'errors',
    'retries-and-lost-updates',
    'batches',
    'drag-and-drop',
    'agents',
    'offline-and-live',
    'events',
  ],
});

export const readDocumentationFile = contract({
  operation: 'readDocumentationFile',
  method: 'GET',
  path: '/docs/{file}',
  summary: 'Reads a file that the static pages use.',
  success: 'staticPage',
  mediaTypes: ['application/json', 'text/css', 'text/javascript', 'image/svg+xml'],
  files: [
    'client.mjs',
    'events.json',
    'icon.svg',
    'reference.js',
    'reference.json',
    'site.css',
    'site.js',
    'theme.js',
  ],
});

export const readOpenApiDocument = contract({
  operation: 'readOpenApiDocument',
  method: 'GET',
  path: '/v1/openapi.json',
  summary: 'Reads the OpenAPI document of this API.',
  success: 'staticPage',
  mediaTypes: ['application/json'],
  files: ['openapi.json'],
});
