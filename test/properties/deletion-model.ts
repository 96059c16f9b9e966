/**
 * A model of deletions and restores. It applies what a deletion or a restore does at once: jobs that are not finished leave the service behind it, so
 * what a response shows meanwhile decides what a request has met.
 */

export type Kind = 'organization' | 'project' | 'task';

/** One deletion: what it removes comes back with its root. */
interface Deletion {
  readonly root: string;
}

export interface Known {
  readonly id: string;
  readonly kind: Kind;
  name: string;
  /** The organization of a project, and the project of a task. */
  parent: string | null;
  deletion?: Deletion | undefined;
}

export const parentFields = {
  organization: undefined,
  project: 'organizationId',
  task: 'projectId',
} as const;

export class DeletionModel {
  readonly #known = new Map<string, Known>();
  /** Whether jobs of deletions and restores may have left something to do. */
  isUnsettled = false;

  add(entity: Known): void {
    // A parent that its deletion has not reached yet takes its children along.
    this.#known.set(entity.id, { ...entity, deletion: this.deletionOf(entity.parent) });
  }

  get(id: string): Known | undefined {
    return this.#known.get(id);
  }

  deletionOf(id: string | null): Deletion | undefined {
    return id === null ? undefined : this.#known.get(id)?.deletion;
  }

  all(kind: Kind, isDeleted: boolean): Known[] {
    return [...this.#known.values()].filter(
      (one) => one.kind === kind && (one.deletion !== undefined) === isDeleted,
    );
  }

  #childrenOf(id: string): Known[] {
    return [...this.#known.values()].filter(({ parent }) => parent === id);
  }

  /** Deletes an entity with its descendants. Those that an earlier deletion has removed stay a part of that one. */
  remove(id: string): void {
    const root = this.#known.get(id);
    if (!root) return;
    this.isUnsettled ||= root.kind !== 'task';
    this.#take(root, root.deletion, { root: id });
  }

  #take(one: Known, earlier: Deletion | undefined, deletion: Deletion): void {
    one.deletion = deletion;
    for (const child of this.#childrenOf(one.id))
      if (child.deletion === earlier) this.#take(child, earlier, deletion);
  }

  /** Restores an entity; a root with all that its deletion has removed. @param parent its parent then. */
  restore(id: string, parent: string | null): void {
    const one = this.#known.get(id);
    const deletion = one?.deletion;
    if (!one || !deletion) return;
    one.parent = parent;
    one.deletion = undefined;
    if (deletion.root !== id) return;
    this.isUnsettled ||= one.kind !== 'task';
    for (const kind of ['project', 'task'] as const)
      for (const member of this.all(kind, true)) if (member.deletion === deletion) this.#comeBack(member);
  }

  /** What a later deletion of its parent has removed comes back with that one. Only a task can be without its parent. */
  #comeBack(member: Known): void {
    const parent = member.parent === null ? undefined : this.#known.get(member.parent);
    if (!parent && member.kind === 'project') return;
    if (!parent) member.parent = null;
    member.deletion = parent?.deletion;
  }

  /** Removes deleted entities for good: one with what its deletion has removed, or all. */
  forget(id?: string): string[] {
    const root = id === undefined ? undefined : this.#known.get(id);
    const isGone = ({ deletion, id: own }: Known): boolean =>
      deletion !== undefined &&
      (!root || own === id || (root.deletion?.root === id && deletion === root.deletion));
    const gone = [...this.#known.values()].filter(isGone).map((one) => one.id);
    for (const one of gone) this.#known.delete(one);
    return gone;
  }
}
