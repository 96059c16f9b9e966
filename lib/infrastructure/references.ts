/** References of the API stack to resources of the data stack. */
import { createHash } from 'node:crypto';
import {
  CfnResource,
  DefaultTokenResolver,
  type IPostProcessor,
  type IResolvable,
  type IResolveContext,
  Reference,
  type Stack,
  StringConcat,
  Tokenization,
} from 'aws-cdk-lib';

/** Collects the resources of other stacks that resolved tokens refer to. */
class ReferenceCollector extends DefaultTokenResolver {
  readonly found = new Set<CfnResource>();
  readonly #consumer: Stack;

  constructor(consumer: Stack) {
    super(new StringConcat());
    this.#consumer = consumer;
  }

  override resolveToken(token: IResolvable, context: IResolveContext, postProcessor: IPostProcessor) {
    const target = Reference.isReference(token) ? token.target : undefined;
    if (target && CfnResource.isCfnResource(target) && target.stack !== this.#consumer)
      this.found.add(target);
    return super.resolveToken(token, context, postProcessor);
  }
}

/** Returns the resources of other stacks that a resource refers to. */
function referencesOf(resource: CfnResource): CfnResource[] {
  const resolver = new ReferenceCollector(resource.stack);
  Tokenization.resolve(resource._toCloudFormation(), { scope: resource, resolver, preparing: true });
  return [...resolver.found];
}

/**
 * Adds to each resource of a stack a hash of the resources of other stacks that it refers to. CloudFormation reads the output of another stack only
 * when it updates the resource that names it: without a change of its own, a resource keeps the id of a user pool that has been replaced.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-getstackoutput.html
 */
export function refreshReferences(stack: Stack): void {
  for (const resource of stack.node.findAll().filter((one) => CfnResource.isCfnResource(one))) {
    // Nested stacks get what they need as parameters.
    if (resource.stack !== stack) continue;
    const references = referencesOf(resource);
    if (references.length === 0) continue;
    const hash = createHash('sha256');
    for (const target of references)
      hash.update(JSON.stringify(target.stack.resolve(target._toCloudFormation())));
    resource.addMetadata('references', hash.digest('hex').slice(0, 16));
  }
}
