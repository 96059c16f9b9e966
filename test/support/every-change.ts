/** Makes changes of every kind of entity, and tells which events they have. */

type Answer = Readonly<Record<string, unknown>> & { readonly id: string };

export interface ExpectedEvent {
  readonly id: string;
  readonly type: string;
}

export class EveryChange {
  readonly #url: string;
  readonly expected: ExpectedEvent[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async #send(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${this.#url}/v1/${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? { id: '' } : JSON.parse(text)) as Answer;
  }

  #expect(kind: string, operation: string, id: string, version: number): void {
    this.expected.push({ id: `${id}:${version}`, type: `${kind}.${operation}` });
  }

  async #create(kind: string, fields: object): Promise<string> {
    const { id } = await this.#send('POST', `${kind}s`, fields);
    this.#expect(kind, 'created', id, 1);
    return id;
  }

  async #update(kind: string, id: string, version: number, fields: object): Promise<void> {
    await this.#send('PATCH', `${kind}s/${id}`, fields);
    this.#expect(kind, 'updated', id, version);
  }

  async #remove(kind: string, id: string, version: number): Promise<void> {
    await this.#send('DELETE', `${kind}s/${id}`);
    this.#expect(kind, 'deleted', id, version);
  }

  async #restore(kind: string, id: string, version: number): Promise<void> {
    await this.#send('POST', `${kind}s/${id}/restore`);
    this.#expect(kind, 'restored', id, version);
  }

  async make(): Promise<void> {
    const long = 'é"\n'.repeat(300);
    const organizationId = await this.#create('organization', { name: 'Acme', description: long });
    const projectId = await this.#create('project', {
      name: 'Plan',
      organizationId,
      startDate: '2026-01-01',
    });
    const userId = await this.#create('user', { name: 'Ada', email: 'ada@example.com', organizationId });
    const tagId = await this.#create('tag', { name: 'red', color: '#ff0000' });
    const other = await this.#create('tag', { name: 'blue' });
    const task = {
      name: 'Draft',
      projectId,
      userId,
      tagIds: [tagId, other],
      priority: 'high',
      position: 'a0',
    };
    const taskId = await this.#create('task', { ...task, description: long });
    await this.#update('task', taskId, 2, { description: `${long}!`, dueDate: '2026-12-01' });
    await this.#update('task', taskId, 3, { description: 'short', userId: null, tagIds: [other] });
    await this.#update('organization', organizationId, 2, { status: 'on_hold' });
    await this.#update('project', projectId, 2, { dueDate: '2026-02-01', name: '"Pläne" \u{1f600}' });
    await this.#update('user', userId, 2, { email: null });
    await this.#update('tag', tagId, 2, { color: '#00ff00' });
    await this.#batch();
    // Without a cascade: others would change as well.
    await this.#remove('task', taskId, 4);
    await this.#remove('tag', tagId, 3);
    await this.#remove('user', userId, 3);
    await this.#remove('project', projectId, 3);
    await this.#remove('organization', organizationId, 3);
    // References first: what does not exist cannot be referred to.
    await this.#restore('organization', organizationId, 4);
    await this.#restore('project', projectId, 4);
    await this.#restore('user', userId, 4);
    await this.#restore('tag', tagId, 4);
    await this.#restore('task', taskId, 5);
  }

  async #batch(): Promise<void> {
    const body = { name: 'One of two' };
    const operations = [1, 2].map(() => ({ operation: 'create', body }));
    const { results } = await this.#send('POST', 'tasks/batch', { operations });
    for (const { body: created } of results as { body: Answer }[])
      this.#expect('task', 'created', created.id, 1);
  }
}

/** Returns the ids and types of events, each once, in their order. */
export const distinct = (events: Iterable<ExpectedEvent>): ExpectedEvent[] =>
  [...new Map([...events].map(({ id, type }) => [id, { id, type }])).values()].sort((one, next) =>
    one.id < next.id ? -1 : 1,
  );
