/** The templates of a cloud assembly, and what CloudFormation would make of the references in them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, unknown>>;
}

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<
    Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: unknown } }>
  >;
}

/** A place in the cloud that there is not. */
export interface Place {
  readonly region: string;
  readonly account: string;
}

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/**
 * Reads the templates that the manifest names.
 * @throws Error that says what to do when nothing was synthesized there.
 */
function readTemplates(assembly: string): Template[] {
  let manifest: { artifacts: Record<string, { type: string; properties?: { templateFile?: string } }> };
  try {
    manifest = read(join(assembly, 'manifest.json')) as typeof manifest;
  } catch (error) {
    throw new Error(`There is nothing synthesized in ${assembly}. Run "npm run synth" first.`, {
      cause: error,
    });
  }
  return Object.values(manifest.artifacts)
    .filter(({ type }) => type === 'aws:cloudformation:stack')
    .map(({ properties }) => read(join(assembly, properties?.templateFile ?? '')) as Template);
}

/** All resources of all stacks; the names of the stacks' resources do not meet. */
export class Templates {
  readonly place: Place;
  readonly #templates: readonly Template[];
  readonly #resources: ReadonlyMap<string, Resource>;
  readonly #names: ReadonlyMap<string, string>;

  /** @param names what CloudFormation would call resources, by type. */
  constructor(assembly: string, place: Place, names: Readonly<Record<string, string>>) {
    this.place = place;
    this.#templates = readTemplates(assembly);
    this.#resources = new Map(this.#templates.flatMap(({ Resources }) => Object.entries(Resources)));
    this.#names = new Map(Object.entries(names));
  }

  /** The resources of a type, by their logical ids, with what their properties refer to put in. */
  ofType(type: string): Map<string, Record<string, unknown>> {
    const found = [...this.#resources].filter(([, { Type }]) => Type === type);
    return new Map(
      found.map(([id, { Properties }]) => [id, this.resolve(Properties) as Record<string, unknown>]),
    );
  }

  /** The only resource of a type. */
  theOnly(type: string): [id: string, properties: Record<string, unknown>] {
    const [one, ...others] = this.ofType(type);
    if (!one || others.length > 0)
      throw new Error(`There must be one ${type}; there are ${others.length + (one ? 1 : 0)}.`);
    return one;
  }

  #nameOf(id: string): string {
    const type = this.#resources.get(id)?.Type ?? '';
    return this.#names.get(type) ?? id;
  }

  #reference(name: string): string {
    const pseudo: Record<string, string> = {
      'AWS::Region': this.place.region,
      'AWS::AccountId': this.place.account,
      'AWS::Partition': 'aws',
      'AWS::URLSuffix': 'amazonaws.com',
    };
    return pseudo[name] ?? this.#nameOf(name);
  }

  #attribute(id: string, attribute: string): string {
    const { region, account } = this.place;
    const type = this.#resources.get(id)?.Type;
    const name = this.#nameOf(id);
    if (type === 'AWS::DynamoDB::GlobalTable') {
      const arn = `arn:aws:dynamodb:${region}:${account}:table/${name}`;
      if (attribute === 'Arn') return arn;
      // The stream's own label is the time at which it began.
      if (attribute === 'StreamArn') return `${arn}/stream/label`;
    }
    // Who reads the templates compares what is named here, and knows none of it from elsewhere.
    return `arn:aws:${type?.split('::')[1]?.toLowerCase()}:${region}:${account}:${id}${attribute === 'Arn' ? '' : `:${attribute}`}`;
  }

  #imported(name: string): unknown {
    const outputs = this.#templates.flatMap(({ Outputs = {} }) => Object.values(Outputs));
    const found = outputs.find(({ Export }) => Export && this.resolve(Export.Name) === name);
    if (!found) throw new Error(`No stack exports ${name}.`);
    return this.resolve(found.Value);
  }

  /** Puts in what a value refers to. @throws Error for a function of CloudFormation that is not known here. */
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
      case 'Fn::ImportValue':
        return this.#imported(String(this.resolve(argument)));
      case 'Fn::Join': {
        const [separator, parts] = argument as [string, unknown[]];
        return (this.resolve(parts) as unknown[]).join(separator);
      }
      case 'Fn::Sub':
        return String(argument).replaceAll(/\$\{([\w:]+)\}/g, (_, reference: string) =>
          this.#reference(reference),
        );
      default:
        throw new Error(`${name} is not known here.`);
    }
  }
}
