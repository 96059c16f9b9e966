/** The kinds of entities of this application. A new resource adds its own. */
export type Kind = 'organization' | 'project' | 'user' | 'task' | 'tag';
