/** Highlighted code. The colors are in the style sheet, because the content security policy forbids inline styles. */
import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import http from 'highlight.js/lib/languages/http';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import python from 'highlight.js/lib/languages/python';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import { escaped } from './layout.ts';

const languages = { bash, http, json, kotlin, python, swift, typescript };
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language);

const aliases: Readonly<Record<string, string>> = { sh: 'bash', curl: 'bash', ts: 'typescript' };

/** The lines of an example that are shown only if requests need a token. */
const ofTokens = /^\s*(?:-H|"Authorization"|headers=|token:|request\.setValue|\.header).*TOKEN/;

/** Returns HTML in which a long address can break after a parameter instead of within a word. */
export const withBreaks = (html: string): string => html.replaceAll(/(?:\?|&amp;)(?=[\w{])/g, '$&<wbr>');

/** Returns code as HTML. Lines about tokens are elements of their own, which pages without tokens hide. */
function highlighted(code: string, language: string): string {
  const known = aliases[language] ?? language;
  const html = known in languages ? highlighter.highlight(code, { language: known }).value : escaped(code);
  const sources = code.split('\n');
  const lines = withBreaks(html).split('\n');
  return lines
    .map((line, position) => {
      const end = position === lines.length - 1 ? '' : '\n';
      return ofTokens.test(sources[position] ?? '')
        ? `<span class="of-tokens">${line}${end}</span>`
        : `${line}${end}`;
    })
    .join('');
}

/** Returns a block of code that can be scrolled with the keyboard. @param label accessible name. */
export const codeBlock = (code: string, language: string, label = `Example in ${language}`): string =>
  `<pre class="code" tabindex="0" role="region" aria-label="${escaped(label)}"><code>${highlighted(code.trimEnd(), language)}</code></pre>`;

export const jsonBlock = (value: unknown, label: string): string =>
  codeBlock(JSON.stringify(value, null, 2), 'json', label);
