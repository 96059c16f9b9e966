import {
  batch,
  changes,
  create,
  history,
  list,
  listDeleted,
  read,
  remove,
  replace,
  restore,
  update,
} from '../contract/contract.ts';
import { tag } from './resource.ts';

export const listTags = list(tag);
export const createTag = create(tag);
export const readTag = read(tag);
export const replaceTag = replace(tag);
export const updateTag = update(tag);
export const deleteTag = remove(tag);
export const batchTags = batch(tag);
export const listTagChanges = changes(tag);
export const listDeletedTags = listDeleted(tag);
export const restoreTag = restore(tag);
export const listTagHistory = history(tag);
