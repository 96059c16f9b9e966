/**
 * The parser and evaluator of expressions: conditions, filters, key conditions, updates and projections, as far as the service has them. An operand
 * is a name (`id`, `#id`) or a placeholder of a value (`:id`). Attributes are of the top level.
 */
import { invalid } from './errors.ts';
import { isReservedWord } from './reserved-words.ts';
import { type Attributes, areEqual, compare, type Type, typeOf } from './values.ts';

type Condition = { readonly all: readonly Condition[] } | { readonly any: readonly Condition[] } | Test;

/** A comparison or a function that is true or false. */
export interface Test {
  readonly test: string;
  readonly operands: readonly string[];
}

export interface Action {
  readonly section: string;
  readonly name: string;
  /** The placeholder of the value. Absent in `REMOVE`. */
  readonly value?: string;
}

/** The placeholders of a request. */
export interface Placeholders {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Attributes | undefined;
}

/** Functions of conditions, and the number of their operands. */
const functions: Readonly<Record<string, number>> = {
  attribute_exists: 1,
  attribute_not_exists: 1,
  begins_with: 2,
};

const comparators = new Set(['=', '<>', '<', '<=', '>', '>=']);

const isValue = (operand: string): boolean => operand.startsWith(':');

const tokens = /\s*(?:([#:]?\w+)|(<>|<=|>=|[=<>(),]))/y;

/** A recursive descent parser. It reports errors without the name of the expression. */
class Parser {
  readonly #tokens: string[] = [];
  #position = 0;

  constructor(text: string) {
    tokens.lastIndex = 0;
    while (tokens.lastIndex < text.trimEnd().length) {
      const match = tokens.exec(text);
      if (!match) throw invalid(`Invalid expression: Syntax error, or a document path: ${text}`);
      this.#tokens.push(match[1] ?? match[2] ?? '');
    }
    if (this.#tokens.length === 0) throw invalid('Invalid expression: The expression can not be empty;');
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#tokens.length;
  }

  end(): void {
    if (!this.isAtEnd) throw this.#unexpected();
  }

  /** Returns whether the next token is a word, in any case, or a sign, and skips it. */
  skip(word: string): boolean {
    const isNext = this.#next()?.toUpperCase() === word;
    if (isNext) this.#position += 1;
    return isNext;
  }

  expect(word: string): void {
    if (!this.skip(word)) throw this.#unexpected();
  }

  /** Parses elements with a separator between them. */
  list<Element>(separator: string, parse: () => Element): Element[] {
    const elements = [parse()];
    while (this.skip(separator)) elements.push(parse());
    return elements;
  }

  condition(): Condition {
    const any = this.list('OR', () => {
      const all = this.list('AND', () => this.#test());
      return all.length === 1 ? (all[0] as Condition) : { all };
    });
    return any.length === 1 ? (any[0] as Condition) : { any };
  }

  name(): string {
    const token = this.#take();
    if (!/^#?\w+$/.test(token)) throw this.#unexpected(-1);
    if (!token.startsWith('#') && isReservedWord(token))
      throw invalid(`Invalid expression: Attribute name is a reserved keyword; reserved keyword: ${token}`);
    return token;
  }

  /** Parses the placeholder of a value. */
  value(): string {
    const token = this.#take();
    if (!isValue(token)) throw this.#unexpected(-1);
    return token;
  }

  #operand(): string {
    return isValue(this.#next() ?? '') ? this.value() : this.name();
  }

  #test(): Test {
    if (this.#next() === '(') throw new TypeError('This table has no parentheses in conditions.');
    if (this.#next(1) === '(') return this.#function(this.#take());
    const left = this.#operand();
    if (this.skip('BETWEEN')) {
      const low = this.#operand();
      this.expect('AND');
      return { test: 'BETWEEN', operands: [left, low, this.#operand()] };
    }
    const comparator = this.#take();
    if (!comparators.has(comparator)) throw this.#unexpected(-1);
    return { test: comparator, operands: [left, this.#operand()] };
  }

  #function(name: string): Test {
    if (!(name in functions)) throw new TypeError(`This table has no function ${name}.`);
    this.expect('(');
    const operands = this.list(',', () => this.#operand());
    this.expect(')');
    return { test: name, operands };
  }

  #next(offset = 0): string | undefined {
    return this.#tokens[this.#position + offset];
  }

  #take(): string {
    const token = this.#next();
    if (token === undefined) throw this.#unexpected();
    this.#position += 1;
    return token;
  }

  #unexpected(offset = 0): Error {
    const token = this.#next(offset) ?? '<EOF>';
    return invalid(`Invalid expression: Syntax error; token: "${token}", near: "${this.#tokens.join(' ')}"`);
  }
}

/** The functions of a module parse few different texts. */
function remember<Parsed>(parse: (parser: Parser) => Parsed): (text: string) => Parsed {
  const parsed = new Map<string, Parsed>();
  return (text) => {
    let result = parsed.get(text);
    if (result === undefined) {
      const parser = new Parser(text);
      result = parse(parser);
      parser.end();
      parsed.set(text, result);
    }
    return result;
  };
}

export const parseCondition = remember((parser) => {
  const condition = parser.condition();
  checkFunctions(condition);
  return condition;
});

export const parseProjection = remember((parser) => parser.list(',', () => parser.name()));

export const parseUpdate = remember((parser): readonly Action[] => {
  const actions: Action[] = [];
  const sections = new Set<string>();
  while (!parser.isAtEnd) {
    const section = ['SET', 'REMOVE', 'ADD'].find((word) => parser.skip(word));
    if (!section) throw invalid('Invalid UpdateExpression: Syntax error; expected SET, REMOVE or ADD.');
    if (sections.has(section))
      throw invalid(`The "${section}" section can only be used once in an update expression;`);
    sections.add(section);
    actions.push(...parser.list(',', () => parseAction(parser, section)));
  }
  return actions;
});

function parseAction(parser: Parser, section: string): Action {
  const name = parser.name();
  if (section === 'REMOVE') return { section, name };
  if (section === 'SET') parser.expect('=');
  return { section, name, value: parser.value() };
}

/** Yields the tests of a condition. */
export function* testsOf(condition: Condition): Generator<Test> {
  if ('test' in condition) yield condition;
  else for (const part of 'all' in condition ? condition.all : condition.any) yield* testsOf(part);
}

function checkFunctions(condition: Condition): void {
  for (const { test, operands } of testsOf(condition)) {
    const expected = functions[test];
    if (expected !== undefined && operands.length !== expected)
      throw invalid(`Incorrect number of operands for operator or function; operator or function: ${test}`);
    if (test.startsWith('attribute_') && isValue(operands[0] ?? ''))
      throw invalid(`Operator or function requires a document path; operator or function: ${test}`);
  }
}

/** The names and values of a request. Each given one must be used, and each used one must be given. */
export class Bindings {
  readonly #names: Readonly<Record<string, string>>;
  readonly #values: Attributes;
  readonly #used = new Set<string>();

  constructor({ ExpressionAttributeNames = {}, ExpressionAttributeValues = {} }: Placeholders) {
    this.#names = ExpressionAttributeNames;
    this.#values = ExpressionAttributeValues;
  }

  /** Returns the name of an attribute. */
  name(token: string): string {
    return token.startsWith('#') ? (this.#names[token] as string) : token;
  }

  /** Returns the value of a placeholder, or of an attribute of an item. */
  value(token: string, item: Attributes = {}): unknown {
    if (isValue(token)) return this.#values[token];
    const name = this.name(token);
    return Object.hasOwn(item, name) ? item[name] : undefined;
  }

  /** @throws ValidationException when one of the names and placeholders of an expression is not given. */
  use(operands: readonly string[]): void {
    for (const token of operands) {
      const isName = token.startsWith('#');
      if (!isName && !isValue(token)) continue;
      if ((isName ? this.#names[token] : this.#values[token]) === undefined)
        throw invalid(`An expression attribute ${isName ? 'name' : 'value'} is not defined: ${token}`);
      this.#used.add(token);
    }
  }

  /** Checks a condition and returns it as a function. */
  condition(condition: Condition): (item: Attributes) => boolean {
    for (const test of testsOf(condition)) {
      this.use(test.operands);
      this.#checkOperands(test);
    }
    return (item) => evaluate(condition, (operand) => this.value(operand, item));
  }

  /** @throws ValidationException when a given name or value was not used. */
  checkUsed(): void {
    for (const [kind, given] of [
      ['Names', this.#names],
      ['Values', this.#values],
    ] as const) {
      const unused = Object.keys(given).filter((token) => !this.#used.has(token));
      if (unused.length > 0)
        throw invalid(
          `Value provided in ExpressionAttribute${kind} unused in expressions: keys: {${unused.join(', ')}}`,
        );
    }
  }

  /** Checks the operands, which DynamoDB does before it reads the item. */
  #checkOperands({ test, operands }: Test): void {
    const [first, ...others] = operands.map((operand) => (isValue(operand) ? undefined : this.name(operand)));
    if (first !== undefined && others.includes(first))
      throw invalid(`The first operand must be distinct from the remaining operands; operator: ${test}`);
    const given = operands.filter(isValue).map((token) => this.#values[token]);
    const allowed = operandTypes[test];
    for (const value of given)
      if (allowed && !allowed.includes(typeOf(value)))
        throw invalid(`Incorrect operand type for operator or function; operator or function: ${test}`);
    if (test !== 'BETWEEN' || !operands.slice(1).every(isValue)) return;
    const [low, high] = given.slice(-2);
    if (typeOf(low) !== typeOf(high))
      throw invalid('The BETWEEN operator requires same data type for lower and upper bounds');
    if ((compare(low, high) ?? 0) > 0)
      throw invalid('The BETWEEN operator requires upper bound to be greater than or equal to lower bound');
  }
}

/** The types that have an order. */
const ordered: readonly Type[] = ['S', 'N', 'B'];

const operandTypes: Readonly<Record<string, readonly Type[]>> = {
  '<': ordered,
  '<=': ordered,
  '>': ordered,
  '>=': ordered,
  BETWEEN: ordered,
  begins_with: ['S'],
};

function evaluate(condition: Condition, resolve: (operand: string) => unknown): boolean {
  if ('all' in condition) return condition.all.every((part) => evaluate(part, resolve));
  if ('any' in condition) return condition.any.some((part) => evaluate(part, resolve));
  return evaluateTest(condition.test, condition.operands.map(resolve));
}

/** Evaluates a comparison. An attribute that does not exist differs from each value, and compares with none. */
function evaluateTest(test: string, values: readonly unknown[]): boolean {
  const [first, second, third] = values;
  switch (test) {
    case '=':
      return first !== undefined && areEqual(first, second);
    case '<>':
      return first === undefined || second === undefined || !areEqual(first, second);
    case 'BETWEEN':
      return evaluateTest('>=', [first, second]) && evaluateTest('<=', [first, third]);
    case 'attribute_exists':
      return first !== undefined;
    case 'attribute_not_exists':
      return first === undefined;
    case 'begins_with':
      return typeof first === 'string' && typeof second === 'string' && first.startsWith(second);
    default:
      return isOrdered(test, compare(first, second));
  }
}

function isOrdered(comparator: string, order: number | undefined): boolean {
  if (order === undefined) return false;
  if (order === 0) return comparator.endsWith('=');
  return comparator.startsWith(order < 0 ? '<' : '>');
}

/** Adds integers, whose sums are exact. Those of other numbers are exact in DynamoDB, but not in JavaScript. */
export function add(one: unknown, other: unknown): number {
  if (typeof one !== 'number' || typeof other !== 'number')
    throw invalid('An operand in the update expression has an incorrect data type');
  if (!Number.isInteger(one) || !Number.isInteger(other))
    throw new TypeError('This table adds only integers.');
  return one + other;
}
