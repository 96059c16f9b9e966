import { WebSocket } from 'ws';
import { createClient } from '#client/index.ts';
import { killLeftovers, start } from './started-service.ts';

/** `npm start -- --inspect`, with the protocol that editors speak. */

afterEach(killLeftovers);

interface Message {
  readonly method?: string;
  readonly params: {
    readonly url: string;
    readonly scriptId: string;
    readonly sourceMapURL: string;
    readonly callFrames: readonly { readonly location: { readonly scriptId: string } }[];
  };
}

test('a debugger stops in the source of a handler', async () => {
  const service = await start({ DATABASE_FILE: ':memory:' }, ['--inspect', '0']);
  const [address = ''] = /ws:\S+/.exec(service.output()) ?? [];
  const socket = new WebSocket(address);
  await new Promise((resolve) => socket.once('open', resolve));
  const send = (method: string, params = {}): void => socket.send(JSON.stringify({ id: 1, method, params }));
  let [map, scriptId] = ['', ''];
  const paused = new Promise<string>((resolve) => {
    socket.on('message', (text) => {
      const { method, params } = JSON.parse(String(text)) as Message;
      if (method === 'Debugger.scriptParsed' && params.url.endsWith('/functions/tasks/create-task.ts')) {
        scriptId = params.scriptId;
        map = Buffer.from(params.sourceMapURL.split(',')[1] ?? '', 'base64').toString();
      }
      if (method === 'Debugger.paused') resolve(params.callFrames[0]?.location.scriptId ?? '');
    });
  });
  send('Debugger.enable');
  // A handler is loaded at its first request.
  send('Debugger.setBreakpointByUrl', { urlRegex: '/functions/tasks/create-task\\.ts$', lineNumber: 0 });
  const created = createClient({ url: service.url }).tasks.create({ name: 'Stopped' });
  const stoppedIn = await paused;
  send('Debugger.resume');
  expect((await created).name).toBe('Stopped');
  expect(stoppedIn).toBe(scriptId);
  // Editors find the lines of the file by it.
  expect(map).toContain('create-task.ts');
  socket.close();
  await service.stop();
});
