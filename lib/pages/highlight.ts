/** Colors of code. The colors themselves are in the style sheet, because the content security policy forbids inline styles. */
import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import http from 'highlight.js/lib/languages/http';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import python from 'highlight.js/lib/languages/python';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import { escaped } from './html.ts';

const languages = { bash, http, json, kotlin, python, swift, typescript };
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language);

const aliases: Readonly<Record<string, string>> = { sh: 'bash', curl: 'bash', ts: 'typescript' };

/** The lines of an example that are shown only if requests need a token. */
const ofTokens =
  /^\s*(?:-H|"Authorization"|headers=|token:|headers:|authorization:|api\.headers|request\.setValue|\.header).*TOKEN/;

/** Returns code as HTML. Lines about tokens are elements of their own, which pages without tokens hide. */
export function highlighted(code: string, language: string): string {
  const known = aliases[language] ?? language;
  const html = known in languages ? highlighter.highlight(code, { language: known }).value : escaped(code);
  const sources = code.split('\n');
  const lines = html.split('\n');
  return lines
    .map((line, position) => {
      const end = position === lines.length - 1 ? '' : '\n';
      return ofTokens.test(sources[position] ?? '')
        ? `<span class="of-tokens">${line}${end}</span>`
        : `${line}${end}`;
    })
    .join('');
}
