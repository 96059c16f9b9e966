import { contract } from '../contract/contract.ts';

const html = ['text/html'] as const;

export const showStart = contract({
  operation: 'showStart',
  method: 'GET',
  path: '/',
  summary: 'Show the start page',
  success: 'staticPage',
  mediaTypes: html,
  files: ['start.html'],
});

export const showReference = contract({
  operation: 'showReference',
  method: 'GET',
  path: '/docs',
  summary: 'Show the API reference',
  success: 'staticPage',
  mediaTypes: html,
  files: ['reference.html'],
});

export const showProblems = contract({
  operation: 'showProblems',
  method: 'GET',
  path: '/docs/problems',
  summary: 'Show an explanation of each problem type',
  success: 'staticPage',
  mediaTypes: html,
  files: ['problems.html'],
});

export const showGuide = contract({
  operation: 'showGuide',
  method: 'GET',
  path: '/docs/guides/{file}',
  summary: 'Show a guide',
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
    'undo',
    'offline-and-live',
    'mobile-apps',
    'generating-a-client',
    'agents',
    'events',
  ],
});

export const readDocumentationFile = contract({
  operation: 'readDocumentationFile',
  method: 'GET',
  path: '/docs/{file}',
  summary: 'Read a file that the static pages use',
  success: 'staticPage',
  mediaTypes: [
    'application/json',
    'text/css',
    'text/javascript',
    'text/plain',
    'image/svg+xml',
    'font/woff2',
  ],
  files: [
    'client.mjs',
    'events.json',
    'icon.svg',
    'inter-license.txt',
    'inter.woff2',
    'reference.js',
    'reference.json',
    'samples.mjs',
    'search.json',
    'search.mjs',
    'site.css',
    'site.js',
    'theme.js',
  ],
  redirects: new Map([['guides', '/docs/guides/getting-started']]),
});

export const readLlmsText = contract({
  operation: 'readLlmsText',
  method: 'GET',
  path: '/llms.txt',
  summary: 'Read an overview for language models',
  success: 'staticPage',
  mediaTypes: ['text/plain'],
  files: ['llms.txt'],
});

export const readOpenApiDocument = contract({
  operation: 'readOpenApiDocument',
  method: 'GET',
  path: '/v1/openapi.json',
  summary: 'Read the OpenAPI document of this API',
  success: 'staticPage',
  mediaTypes: ['application/json'],
  files: ['openapi.json'],
});
