/** Finds the source of stack traces, whose places are those of minified bundles. */
import type { SourceMap } from 'node:module';
import { basename } from 'node:path';
import { functionFiles } from './functions.ts';

const camel = (name: string): string =>
  name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The source map of the bundle of each operation, in the folder of the bundles. */
export const mapsByOperation: ReadonlyMap<string, string> = new Map(
  functionFiles.map((file) => [camel(basename(file, '.ts')), file.replace(/\.ts$/, '/index.js.map')]),
);

/** Returns a stack trace with the places of the source instead of those of the bundle on Lambda. */
export const resolveTrace = (trace: string, map: SourceMap): string =>
  trace.replaceAll(/(?:file:\/\/)?\/var\/task\/index\.js:(\d+):(\d+)/g, (place, line, column) => {
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
    if (!('originalSource' in entry)) return place;
    const { originalSource, originalLine, originalColumn } = entry;
    return `${originalSource.replace(/^.*?\/(?=(?:functions|node_modules)\/)/, '')}:${originalLine + 1}:${originalColumn + 1}`;
  });
