/** Returns elements by a key, those of one key in their order. `Map.groupBy` comes with Node.js 21. */
export function groupBy<Element, GroupKey>(
  elements: Iterable<Element>,
  keyOf: (element: Element) => GroupKey,
): Map<GroupKey, Element[]> {
  const groups = new Map<GroupKey, Element[]>();
  for (const element of elements) {
    const group = groups.get(keyOf(element));
    if (group) group.push(element);
    else groups.set(keyOf(element), [element]);
  }
  return groups;
}
