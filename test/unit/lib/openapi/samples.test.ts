import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { committedFile } from '#lib/openapi/committed-document.ts';
import { referenceDocument } from '#lib/openapi/reference-document.ts';
import type { OpenApiDocument } from '#lib/openapi/types.ts';

const root = join(__dirname, '../../../..');
const reference = referenceDocument(JSON.parse(readFileSync(committedFile, 'utf8')) as OpenApiDocument);

function sample(path: string, method: string, label: string): string {
  const found = reference.paths[path]?.[method]?.['x-codeSamples']?.find((one) => one.label === label);
  return found?.source ?? '';
}

/** The samples of one write, whose body and headers need quotes in every language. */
const update = (label: string) => sample('/v1/projects/{id}', 'patch', label);

const id = '019b2f4e-8e02-7c44-9f0a-2b6d5c3e1f78';

test('curl', () => {
  expect(update('curl')).toBe(`curl -X PATCH 'https://api.example.com/v1/projects/${id}' \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'If-Match: "7a2c4d8f0e36-3"' \\
  -H 'Content-Type: application/json' \\
  -d '{"status":"planned","dueDate":null}'`);
});

test('TypeScript', () => {
  expect(update('TypeScript')).toBe(`import { createClient } from 'project-management-client';

const client = createClient({
  url: 'https://api.example.com',
  token: process.env.TOKEN,
});
const found = await client.projects.get('${id}');
const changed = await client.projects.update(found, { status: 'planned', dueDate: null });`);
});

test('Swift', () => {
  expect(update('Swift')).toBe(`import Foundation

var request = URLRequest(url: URL(string: "https://api.example.com/v1/projects/${id}")!)
request.httpMethod = "PATCH"
request.setValue("Bearer \\(TOKEN)", forHTTPHeaderField: "Authorization")
request.setValue("\\"7a2c4d8f0e36-3\\"", forHTTPHeaderField: "If-Match")
request.setValue("application/json", forHTTPHeaderField: "Content-Type")
request.httpBody = Data(#"""
  {
    "status": "planned",
    "dueDate": null
  }
  """#.utf8)

let (data, response) = try await URLSession.shared.data(for: request)
print((response as! HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))`);
});

test('Kotlin', () => {
  expect(update('Kotlin')).toBe(`import okhttp3.MediaType.Companion.toMediaType
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody

val body = """
  {
    "status": "planned",
    "dueDate": null
  }
""".trimIndent()
val request = Request.Builder()
  .url("https://api.example.com/v1/projects/${id}")
  .header("Authorization", "Bearer $TOKEN")
  .header("If-Match", "\\"7a2c4d8f0e36-3\\"")
  .patch(body.toRequestBody("application/json".toMediaType()))
  .build()
OkHttpClient().newCall(request).execute().use { println(it.code); println(it.body?.string()) }`);
});

test('Python', () => {
  expect(update('Python')).toBe(`import requests

response = requests.patch(
    "https://api.example.com/v1/projects/${id}",
    headers={
        "Authorization": f"Bearer {TOKEN}",
        "If-Match": "\\"7a2c4d8f0e36-3\\"",
    },
    json={
        "status": "planned",
        "dueDate": None
    },
)
print(response.status_code, response.text)`);
});

test('lists have the typical query of the resource', () => {
  expect(sample('/v1/tags', 'get', 'curl')).toMatch(/^curl -G '\S+\/v1\/tags'[\s\S]* -d 'sortBy=color,name'/);
  expect(sample('/v1/tasks', 'get', 'TypeScript')).toContain("status: { notIn: ['completed', 'archived'] }");
});

test('all samples in TypeScript compile with the client of this project', async () => {
  const folder = mkdtempSync(join(root, 'test/unit/lib/openapi/samples-'));
  try {
    const operations = Object.values(reference.paths).flatMap((item) => Object.values(item));
    for (const { operationId, 'x-codeSamples': samples = [] } of operations) {
      const source = samples.find(({ label }) => label === 'TypeScript')?.source ?? '';
      writeFileSync(
        join(folder, `${operationId}.ts`),
        source.replace('project-management-client', '../../../../../client/index.ts'),
      );
    }
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
      ...{
        target: 'es2023',
        module: 'esnext',
        moduleResolution: 'bundler',
        types: ['node'],
        moduleDetection: 'force',
      },
    };
    const project = join(folder, 'tsconfig.json');
    writeFileSync(project, JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    await promisify(execFile)(process.execPath, [compiler, '-p', project]).catch(({ stdout }) => {
      throw new Error(stdout as string);
    });
    expect(operations.length).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
