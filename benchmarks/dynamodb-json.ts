/** Requests and responses of DynamoDB as JSON, and with the values of documents. */

/** Fields whose values are DynamoDB attribute values. */
const marshalled = new Set(['Key', 'Item', 'ExpressionAttributeValues', 'ExclusiveStartKey']);

type AttributeValue = Readonly<Record<string, unknown>>;

/** Converts an attribute value to JavaScript. The store uses only these types. */
function unmarshal(value: AttributeValue): unknown {
  const [[type, content] = ['', undefined]] = Object.entries(value);
  switch (type) {
    case 'S':
    case 'BOOL':
      return content;
    case 'N':
      return Number(content);
    case 'B':
      return Buffer.from(String(content), 'base64');
    case 'NULL':
      return null;
    case 'L':
      return (content as AttributeValue[]).map(unmarshal);
    case 'M':
      return unmarshalItem(content as Record<string, AttributeValue>);
    default:
      throw new TypeError(`The attribute type ${type} is not supported.`);
  }
}

const unmarshalItem = (item: Readonly<Record<string, AttributeValue>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, unmarshal(value)]));

/** Converts the body of a request to the input of a document client command. */
export function documentInput(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(documentInput);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      if (marshalled.has(name)) return [name, unmarshalItem(field as Record<string, AttributeValue>)];
      if (name === 'Keys') return [name, (field as Record<string, AttributeValue>[]).map(unmarshalItem)];
      return [name, documentInput(field)];
    }),
  );
}

/** Converts a value of JavaScript to an attribute value. */
function marshal(value: unknown): object {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return { L: value.map(marshal) };
  return value === null ? { NULL: true } : { M: marshalItem(value as object) };
}

const marshalItem = (item: object): object =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, marshal(value)]));

/** Fields of responses whose values are items, or lists of them. */
const itemFields = new Set(['Item', 'Items', 'Attributes', 'LastEvaluatedKey', 'Keys']);

const marshalItems = (value: object): object =>
  Array.isArray(value) ? value.map(marshalItem) : marshalItem(value);

/** Converts the output of a document client command to the body of a response. */
export function documentOutput(output: object): object {
  return Object.fromEntries(
    Object.entries(output).map(([name, value]) => {
      if (typeof value !== 'object' || value === null) return [name, value];
      if (itemFields.has(name)) return [name, marshalItems(value)];
      if (name !== 'Responses') return [name, Array.isArray(value) ? value : documentOutput(value)];
      return [
        name,
        Object.fromEntries(
          Object.entries(value).map(([table, items]) => [table, marshalItems(items as object[])]),
        ),
      ];
    }),
  );
}
