import { FunctionsInvokeFunction } from '@cdktf/provider-oci/functions-invoke-function';
import { Construct, type TerraformResource } from '../framework.ts';
import type { RagFunction } from './functions.ts';

interface BootstrapProps {
  function: RagFunction;
  /** What makes it run again when it changes. */
  triggers: Record<'migrations' | 'model' | 'image' | 'database' | 'secrets' | 'settings', string>;
  /** The link to the model's file; null while there is none. */
  modelSource: string | null;
  after: TerraformResource[];
}

/**
 * Invokes bootstrap once, and again when a trigger changes: every argument of this resource makes a new one. It is
 * idempotent, since the provider calls again where it fails.
 */
export class Bootstrap extends Construct {
  readonly resource: TerraformResource;

  constructor(scope: Construct, id: string, { function: bootstrap, triggers, modelSource, after }: BootstrapProps) {
    super(scope, id);
    this.resource = new FunctionsInvokeFunction(this, 'invocation', {
      functionId: bootstrap.functionId,
      invokeFunctionBody: JSON.stringify({ ...triggers, ...(modelSource !== null && { modelSource }) }),
      fnInvokeType: 'sync',
      dependsOn: after,
    });
  }
}
