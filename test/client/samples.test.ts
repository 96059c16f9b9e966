import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { committedFile } from '#lib/openapi/committed-document.ts';
import { referenceDocument } from '#lib/openapi/reference-document.ts';
import type { OpenApiDocument } from '#lib/openapi/types.ts';

test('all samples in TypeScript compile with the client of this project', async () => {
  const reference = referenceDocument(JSON.parse(readFileSync(committedFile, 'utf8')) as OpenApiDocument);
  const folder = mkdtempSync(join(__dirname, 'samples-'));
  try {
    const operations = Object.values(reference.paths).flatMap((item) => Object.values(item));
    for (const { operationId, 'x-codeSamples': samples = [] } of operations) {
      const source = samples.find(({ label }) => label === 'TypeScript')?.source ?? '';
      const program = source.replace('project-management-client', '../../../client/index.ts');
      writeFileSync(join(folder, `${operationId}.ts`), program);
    }
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      target: 'es2023',
      module: 'esnext',
      moduleResolution: 'bundler',
      types: ['node'],
      moduleDetection: 'force',
    };
    const project = join(folder, 'tsconfig.json');
    writeFileSync(project, JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const compiler = join(__dirname, '../../node_modules/typescript/bin/tsc');
    await promisify(execFile)(process.execPath, [compiler, '-p', project]).catch(({ stdout }) => {
      throw new Error(stdout as string);
    });
    expect(operations.length).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
