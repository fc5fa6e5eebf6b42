import type { TerraformMetaArguments, TerraformResource } from '../framework.ts';

/**
 * How a resource that holds data is kept: where a change of it cannot be made in place, its successor is made first. That
 * fails on the name that is taken (of a database, a bucket, a secret in its vault), so that nothing is lost. Where it is
 * wanted, Terraform refuses to destroy it.
 */
export const keepData = (preventDestroy: boolean, ...ignoreChanges: string[]): TerraformMetaArguments => ({
  lifecycle: { createBeforeDestroy: true, preventDestroy, ...(ignoreChanges.length > 0 && { ignoreChanges }) },
});

/** Gives a resource that holds data an address in Terraform's state that no move or renaming of constructs changes. */
export function pin(resource: TerraformResource, logicalId: string): void {
  resource.overrideLogicalId(logicalId);
}
