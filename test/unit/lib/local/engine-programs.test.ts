import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inMemory, startEngine } from '#lib/local/dynamodb-engine.ts';
import { engineOnPath, nativeEngine, nativeFile } from '#lib/local/engine-programs.ts';

test.each([
  ['linux', 'x64', '@dynoxide/linux-x64/dynoxide'],
  ['linux', 'arm64', '@dynoxide/linux-arm64/dynoxide'],
  ['darwin', 'arm64', '@dynoxide/darwin-arm64/dynoxide'],
  ['darwin', 'x64', '@dynoxide/darwin-x64/dynoxide'],
  ['win32', 'x64', '@dynoxide/win32-x64/dynoxide.exe'],
] as const)('the engine for %s on %s is %s', (platform, architecture, file) => {
  expect(nativeFile(platform, architecture)).toBe(file);
});

test('every optional package is the engine of a platform, and the lock file limits it to the platform', () => {
  const { resolve } = createRequire(__filename);
  const { optionalDependencies } = jest.requireActual<{ optionalDependencies: Record<string, string> }>(
    resolve('../../../../package.json'),
  );
  const { packages } = jest.requireActual<{
    packages: Record<string, { version: string; os: string[]; cpu: string[]; optional: boolean }>;
  }>(resolve('../../../../package-lock.json'));
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const [os = '', cpu = ''] = name.replace('@dynoxide/', '').split('-');
    expect(nativeFile(os as NodeJS.Platform, cpu)).toContain(`${name}/`);
    expect(packages[`node_modules/${name}`]).toMatchObject({ version, os: [os], cpu: [cpu], optional: true });
  }
});

describe('an engine on the PATH', () => {
  const folder = mkdtempSync(join(tmpdir(), 'path-'));
  const { PATH } = process.env;

  afterEach(() => {
    process.env['PATH'] = PATH;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('runs, and its name has its version', async () => {
    const [binary = ''] = nativeEngine()?.command({ host: '', port: 0 }, undefined) ?? [];
    symlinkSync(binary, join(folder, 'dynoxide'));
    process.env['PATH'] = folder;
    const engine = await startEngine(inMemory, [engineOnPath]);
    expect(engine.name).toMatch(/^dynoxide \d+\.\d+\.\d+ on the PATH$/);
    await engine.stop();
  });

  test('is absent when there is no such program', () => {
    process.env['PATH'] = tmpdir();
    expect(engineOnPath()).toBeUndefined();
  });
});

test('names a program that cannot be started', async () => {
  const missing = () => ({
    name: 'missing',
    dataFile: (file: string) => file,
    command: () => ['/no/such/engine'],
  });
  await expect(startEngine(inMemory, [missing])).rejects.toThrow(
    'The database engine cannot be started: spawn /no/such/engine ENOENT.',
  );
});
