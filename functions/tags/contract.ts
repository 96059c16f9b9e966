import { create, list, read, remove, replace, update } from '../shared/contract/contract.ts';
import { color, nullable, reference, text, withDefault } from '../shared/contract/fields.ts';
import { commonFields, resource } from '../shared/contract/resource.ts';

export const tag = resource({
  kind: 'tag',
  plural: 'tags',
  fields: {
    ...commonFields,
    color: withDefault(color(), '#808080'),
    description: withDefault(text(10_000), ''),
    organizationId: nullable(reference('organization')),
  },
});

export const listTags = list(tag);
export const createTag = create(tag);
export const readTag = read(tag);
export const replaceTag = replace(tag);
export const updateTag = update(tag);
export const deleteTag = remove(tag);
