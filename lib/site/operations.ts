import type { OpenApiDocument } from '../openapi/types.ts';
import type { OperationPlace } from './operation-page.ts';

/** Returns the operations of each tag, without HEAD, which repeats every GET. */
export const operationsByTag = ({ tags, paths }: OpenApiDocument) =>
  tags.map((tag) => ({
    ...tag,
    operations: Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, { tags: own }]) => own.includes(tag.name))
        .map(([method, operation]): OperationPlace => ({ path, method, operation })),
    ),
  }));
