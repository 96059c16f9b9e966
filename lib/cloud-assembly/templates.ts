/** Reads the templates of a cloud assembly and resolves the references in them, as CloudFormation does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, unknown>>;
}

interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}

/** Region and account that stand for the real ones. */
export interface Place {
  readonly region: string;
  readonly account: string;
}

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** The resource of a nested stack. Its template is an asset, whose path only the metadata has. */
const nestedStack = 'AWS::CloudFormation::Stack';

function withNested(assembly: string, file: string): Template[] {
  const template = read(join(assembly, file)) as Template;
  const nested = Object.values(template.Resources).filter(({ Type }) => Type === nestedStack);
  return [
    template,
    ...nested.flatMap(({ Metadata }) => withNested(assembly, String(Metadata?.['aws:asset:path']))),
  ];
}

/** Returns the templates of each stack, its own first. @throws Error when the folder has no cloud assembly. */
function readTemplates(assembly: string): ReadonlyMap<string, readonly Template[]> {
  let manifest: {
    artifacts: Record<string, { type: string; properties?: { templateFile?: string } }>;
  };
  try {
    manifest = read(join(assembly, 'manifest.json')) as typeof manifest;
  } catch (error) {
    throw new Error(`The folder ${assembly} has no cloud assembly. Run "npm run synth" first.`, {
      cause: error,
    });
  }
  // The app names no stack differently from its artifact.
  const stacks = Object.entries(manifest.artifacts).filter(
    ([, { type }]) => type === 'aws:cloudformation:stack',
  );
  return new Map(
    stacks.map(([name, { properties }]) => [name, withNested(assembly, properties?.templateFile ?? '')]),
  );
}

/**
 * The resources of all stacks, nested ones included. Their logical ids are unique across the stacks. A parameter of nested stacks is named after
 * what its value refers to, so those of one name have one value.
 */
export class Templates {
  readonly place: Place;
  readonly #templates: ReadonlyMap<string, readonly Template[]>;
  readonly #resources: ReadonlyMap<string, Resource>;
  readonly #parameters: Readonly<Record<string, unknown>>;

  constructor(assembly: string, place: Place) {
    this.place = place;
    this.#templates = readTemplates(assembly);
    const resources = [...this.#templates.values()]
      .flat()
      .flatMap(({ Resources }) => Object.entries(Resources));
    this.#resources = new Map(resources);
    this.#parameters = Object.assign(
      {},
      ...resources.map(([, { Type, Properties }]) => (Type === nestedStack ? Properties['Parameters'] : {})),
    ) as Record<string, unknown>;
  }

  ofType(type: string): Map<string, Record<string, unknown>> {
    const found = [...this.#resources].filter(([, { Type }]) => Type === type);
    return new Map(
      found.map(([id, { Properties }]) => [id, this.resolve(Properties) as Record<string, unknown>]),
    );
  }

  /** Returns the only resource of a type. @throws Error when there is none, or more than one. */
  theOnly(type: string): [id: string, properties: Record<string, unknown>] {
    const [one, ...others] = this.ofType(type);
    if (!one || others.length > 0)
      throw new Error(`There must be one ${type}; there are ${others.length + (one ? 1 : 0)}.`);
    return one;
  }

  #nameOf(id: string): string {
    const name = this.#resources.get(id)?.Properties?.['TableName'];
    return typeof name === 'string' ? name : id;
  }

  #reference(name: string): string {
    if (name in this.#parameters) return String(this.resolve(this.#parameters[name]));
    const pseudo: Record<string, string> = {
      'AWS::Region': this.place.region,
      'AWS::AccountId': this.place.account,
      'AWS::Partition': 'aws',
      'AWS::URLSuffix': 'amazonaws.com',
    };
    if (this.#resources.get(name)?.Type === 'AWS::SQS::Queue') {
      return `https://sqs.${this.place.region}.amazonaws.com/${this.place.account}/${name}`;
    }
    return pseudo[name] ?? this.#nameOf(name);
  }

  #attribute(id: string, attribute: string): string {
    const { region, account } = this.place;
    const type = this.#resources.get(id)?.Type;
    if (type === nestedStack) return String(this.#nestedOutput(attribute.replace(/^Outputs\./, '')));
    if (type === 'AWS::AppSync::Api') {
      // Nobody has a host below `invalid` (RFC 6761).
      if (attribute === 'Dns.Http') return `${id}.appsync-api.${region}.invalid`;
      if (attribute === 'Dns.Realtime') return `${id}.appsync-realtime-api.${region}.invalid`;
      if (attribute === 'ApiArn') return `arn:aws:appsync:${region}:${account}:apis/${id}`;
    }
    const name = this.#nameOf(id);
    if (type === 'AWS::DynamoDB::GlobalTable') {
      const arn = `arn:aws:dynamodb:${region}:${account}:table/${name}`;
      if (attribute === 'Arn') return arn;
      // The label of a real stream is its creation time.
      if (attribute === 'StreamArn') return `${arn}/stream/label`;
    }
    // Readers only compare these ARNs with each other.
    return `arn:aws:${type?.split('::')[1]?.toLowerCase()}:${region}:${account}:${id}${attribute === 'Arn' ? '' : `:${attribute}`}`;
  }

  /** Returns an output of a nested stack. CDK derives its name from the referenced value, so outputs of the same name have the same value. */
  #nestedOutput(name: string): unknown {
    const found = [...this.#templates.values()].flat().find(({ Outputs = {} }) => name in Outputs);
    if (!found) throw new Error(`No nested stack has the output ${name}.`);
    return this.resolve(found.Outputs?.[name]?.Value);
  }

  #stackOutput({ StackName, OutputName }: { StackName: string; OutputName: string }): unknown {
    const found = this.#templates.get(StackName)?.[0]?.Outputs?.[OutputName];
    if (!found) throw new Error(`The stack ${StackName} has no output ${OutputName}.`);
    return this.resolve(found.Value);
  }

  /** Resolves the references in a value. @throws Error for an intrinsic function that is not supported. */
  resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.resolve(one));
    if (typeof value !== 'object' || value === null) return value;
    const [[name, argument] = ['', undefined], ...others] = Object.entries(value);
    if (others.length === 0 && (name === 'Ref' || name.startsWith('Fn::'))) return this.#call(name, argument);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.resolve(one)]));
  }

  #call(name: string, argument: unknown): unknown {
    switch (name) {
      case 'Ref':
        return this.#reference(String(argument));
      case 'Fn::GetAtt': {
        const [id = '', attribute = ''] = argument as string[];
        return this.#attribute(id, attribute);
      }
      case 'Fn::GetStackOutput':
        return this.#stackOutput(argument as { StackName: string; OutputName: string });
      case 'Fn::Join': {
        const [separator, parts] = argument as [string, unknown[]];
        return (this.resolve(parts) as unknown[]).join(separator);
      }
      case 'Fn::Sub':
        return String(argument).replaceAll(/\$\{([\w:]+)\}/g, (_, reference: string) =>
          this.#reference(reference),
        );
      default:
        throw new Error(`The intrinsic function ${name} is not supported.`);
    }
  }
}
